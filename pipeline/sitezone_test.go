package pipeline_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// inZone are options of a process whose configuration names a zone for new sites.
func inZone(o pipeline.Options, zone string) pipeline.Options {
	o.SiteZone = zone
	return o
}

// dayEvents is how many events the site s has in the day of that date.
func (w *world) dayEvents(t *testing.T, date string) int64 {
	t.Helper()
	day, err := sinks.ParseDay(date)
	if err != nil {
		t.Fatal(err)
	}
	return w.stats(sinks.Keys{}.DayStats("s", day), sinks.AttrEvents)
}

// TestNewSiteKeepsTheZoneItWasListedWith: whatever the configuration of later processes says, also where `site update` plans another.
func TestNewSiteKeepsTheZoneItWasListedWith(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		for i, zone := range []string{"Pacific/Honolulu", "", "Asia/Kolkata"} {
			if i == 2 {
				change := sites.Decision{Table: w.table, Site: "s", Now: time.Now()}
				if _, err := change.Update(t.Context(), sites.Changes{Zone: "Pacific/Kiritimati", Name: new("Shop")}); err != nil {
					t.Fatal(err)
				}
			}
			run := w.start(inZone(w.options(), zone))
			w.settled()
			w.produce(clickAt("a", bubbleStart))
			w.settled()
			run.drain()
		}
		if n := w.dayEvents(t, "1999-12-31"); n != 3 {
			t.Errorf("the day in Honolulu has %d events, want all 3", n)
		}
		if it := w.item(sinks.Keys{}.SiteEntry("s")); it[sinks.AttrZone].Str() != "Pacific/Honolulu" {
			t.Errorf("the entry %v, want the zone of the process that met the site", it)
		}
		from := bubbleStart.AddDate(0, 0, -3)
		a, err := query.New(w.table, sinks.Keys{}, time.Now).Stats(t.Context(), query.StatsParams{Site: "s", From: from,
			To: from.AddDate(0, 0, 6), By: query.Day})
		if err != nil || len(a.Buckets) != 1 || !a.Buckets[0].Start.Equal(time.Date(1999, 12, 31, 10, 0, 0, 0, time.UTC)) {
			t.Errorf("days %+v, %v; want the one that begins at midnight in Honolulu", a.Buckets, err)
		}
		w.exact(w.options())
	})
}

// TestUTCIsNotWritten: an entry without a zone is one of UTC, so the default costs nothing and tables from before are read right.
func TestUTCIsNotWritten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.start(inZone(w.options(), "UTC"))
		w.produce(clickAt("a", bubbleStart))
		w.settled()
		run.drain()
		run = w.start(inZone(w.options(), "Pacific/Honolulu"))
		w.settled()
		w.produce(clickAt("b", bubbleStart))
		w.settled()
		run.drain()
		if it := w.item(sinks.Keys{}.SiteEntry("s")); it[sinks.AttrZone].Kind() != sinks.None {
			t.Errorf("the entry %v, want no zone", it)
		}
		if n := w.dayEvents(t, "2000-01-01"); n != 2 {
			t.Errorf("the day of UTC has %d events, want 2", n)
		}
		w.exact(w.options())
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
			o := inZone(w.with(&forestalled{Table: w.table, zone: c.winner}, 0), c.own)
			run := w.start(o)
			w.produce(clickAt("a", bubbleStart))
			w.settled()
			run.drain()
			if n := w.dayEvents(t, c.date); n != 1 {
				t.Errorf("%q was faster: day %s has %d events, want 1", c.winner, c.date, n)
			}
			w.exact(o)
		})
	}
}

// TestRedoCutsByTheEntrysZone: a flush of a process that was killed is repeated by one that is configured otherwise.
func TestRedoCutsByTheEntrysZone(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.start(inZone(w.with(&killOnStats{Table: w.table}, 0), "Pacific/Honolulu"))
		w.produce(clickAt("a", bubbleStart))
		if err := <-run.done; !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		o := inZone(w.options(), "Asia/Kolkata")
		run = w.start(o)
		w.settled()
		run.drain()
		if n := w.dayEvents(t, "1999-12-31"); n != 1 {
			t.Errorf("the day in Honolulu has %d events, want 1", n)
		}
		w.exact(o)
	})
}
