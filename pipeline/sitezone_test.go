package pipeline_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// TestUTCIsNotWritten: an entry without a zone is one of UTC, so the default costs nothing and tables from before are read right.
func TestUTCIsNotWritten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(inZone(w.Options(), "UTC"))
		w.Produce(clickAt("a", bubbleStart))
		w.Settled()
		run.Drain()
		run = w.Start(inZone(w.Options(), "Pacific/Honolulu"))
		w.Settled()
		w.Produce(clickAt("b", bubbleStart))
		w.Settled()
		run.Drain()
		if it := w.Item(sinks.Keys{}.SiteEntry("s")); it[sinks.AttrZone].Kind() != sinks.None {
			t.Errorf("the entry %v, want no zone", it)
		}
		if n := w.DayEvents(t, "2000-01-01"); n != 2 {
			t.Errorf("the day of UTC has %d events, want 2", n)
		}
		w.Exact(w.Options())
	})
}

// forestalled is a table in which another owner lists the site s just before the process does.
type forestalled struct {
	sinks.Table
	zone string
	done atomic.Bool
}

func (f *forestalled) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if p.Item[sinks.AttrEntity].Str() == sinks.EntitySiteEntry && f.done.CompareAndSwap(false, true) {
		other := sinks.SiteEntryItem(sinks.Keys{}, "s")
		if f.zone != "" {
			other[sinks.AttrZone] = sinks.Str(f.zone)
		}
		if _, err := f.Table.Put(ctx, sinks.Put{Item: other}); err != nil {
			return sinks.Result{}, err
		}
	}
	return f.Table.Put(ctx, p)
}

// TestOwnersThatMeetASiteAtOnceCutTheSame: the one whose put is refused has read that there was no entry, and folds by the other's zone.
func TestOwnersThatMeetASiteAtOnceCutTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ winner, own, date string }{{"Pacific/Honolulu", "Asia/Kolkata", "1999-12-31"},
		{"", "Pacific/Honolulu", "2000-01-01"}} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			o := inZone(w.With(&forestalled{Table: w.Table, zone: c.winner}, 0), c.own)
			run := w.Start(o)
			w.Produce(clickAt("a", bubbleStart))
			w.Settled()
			run.Drain()
			if n := w.DayEvents(t, c.date); n != 1 {
				t.Errorf("%q was faster: day %s has %d events, want 1", c.winner, c.date, n)
			}
			w.Exact(o)
		})
	}
}

// TestRedoCutsByTheEntrysZone: a flush of a process that was killed is repeated by one that is configured otherwise.
func TestRedoCutsByTheEntrysZone(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(inZone(w.With(&killOnStats{Table: w.Table}, 0), "Pacific/Honolulu"))
		w.Produce(clickAt("a", bubbleStart))
		if err := <-run.Done; !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		o := inZone(w.Options(), "Asia/Kolkata")
		run = w.Start(o)
		w.Settled()
		run.Drain()
		if n := w.DayEvents(t, "1999-12-31"); n != 1 {
			t.Errorf("the day in Honolulu has %d events, want 1", n)
		}
		w.Exact(o)
	})
}
