package testworld

import (
	"bytes"
	"log/slog"
	"strings"
)

// Spoken is a log, and what it says, a line each, without instants.
func Spoken() (*slog.Logger, func() []string) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	return log, func() []string { return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' }) }
}
