package wire

import (
	"errors"
	"strconv"
	"strings"
)

// fault is what is wrong in a value, and where.
type fault struct {
	path []string // the innermost first
	why  string
}

// Error returns the path as in page.urls[3], and why.
func (f *fault) Error() string {
	if len(f.path) == 0 {
		return f.why
	}
	var text strings.Builder
	for i := len(f.path) - 1; i >= 0; i-- {
		if text.Len() > 0 && f.path[i][0] != '[' {
			text.WriteByte('.')
		}
		text.WriteString(f.path[i])
	}
	return text.String() + ": " + f.why
}

// wrong is a fault at the place that is being read.
func wrong(why string) error { return &fault{why: why} }

// within adds to a fault the step that leads to its place: a name, or [index], or ["key"].
func within(err error, step string) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		f.path = append(f.path, step)
	}
	return err
}

func index(n int) string { return "[" + strconv.Itoa(n) + "]" }

// key is the step to a value of a map.
func key(k []byte) string { return "[" + strconv.Quote(excerpt(string(k))) + "]" }

// excerpt is the beginning of a text that an error names.
func excerpt(s string) string { return excerptOf(s, 60) }

func excerptOf(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
