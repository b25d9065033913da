package sinks_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// unread is a table that cannot be read.
type unread struct{ sinks.Table }

func (unread) BatchGet(context.Context, sinks.BatchGet) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, sinks.ErrDenied
}

// What a format brought is refused in those before it, in the name of the release that may return, and while the format is not known. A
// table without settings will have the last one.
func TestNewThingsWaitForTheirFormat(t *testing.T) {
	table := newTable(t)
	if err := sinks.NeedFormat(t.Context(), table, "it", sinks.LastFormat); err != nil {
		t.Errorf("without settings: %v", err)
	}
	if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	for format := sinks.FirstFormat; format <= sinks.LastFormat; format++ {
		if _, err := table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(),
			Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(int64(format))}}}); err != nil {
			t.Fatal(err)
		}
		for need := sinks.FirstFormat; need <= sinks.LastFormat; need++ {
			err := sinks.NeedFormat(t.Context(), table, "it", need)
			early, ok := errors.AsType[*sinks.EarlyError](err)
			if ok != (format < need) || err != nil && !ok || ok && early.Release != sinks.FormatRelease(format) {
				t.Errorf("format %d where %d is needed: %v", format, need, err)
			}
		}
	}
	if err := sinks.NeedFormat(t.Context(), unread{table}, "it", sinks.FirstFormat); !errors.Is(err, sinks.ErrDenied) {
		t.Errorf("of a table that cannot be read: %v", err)
	}
}
