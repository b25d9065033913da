package move_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/move"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// counted has the old table count both sites, with days that are sealed, and the new one the other site. Both have members at work.
func counted(t *testing.T, from, to *testpipeline.World, packed bool) (stop func()) {
	t.Helper()
	decide(t, from.Table)
	stopOld, stopNew := member(t, from, packed), member(t, to, packed)
	from.Produce(traffic(4, 900, time.Now().Add(-30*time.Hour), "", "a")...)
	from.Produce(traffic(5, 300, time.Now().Add(-time.Hour), "", "b")...)
	from.Settled()
	from.Produce(traffic(9, 300, time.Now().Add(-time.Hour), "", "f")...)
	to.Produce(traffic(6, 300, time.Now().Add(-time.Hour), other, "c")...)
	from.Settled()
	to.Settled()
	from.Pass(30 * time.Minute) // Until days are sealed.
	return func() { stopOld(); stopNew() }
}

// TestSiteMovesWithItsFigures: all that readers see of a site is the same in the table that it has moved to, beside a site of that table.
// Both tables have topics of the same number. Its events are rejected there until then, and count on top from then on. A recount of either
// topic finds no difference, and leaves out what has moved.
func TestSiteMovesWithItsFigures(t *testing.T) {
	for name, packed := range map[string]bool{"raw events in packs": true, "raw events as items": false} {
		t.Run(name, func(t *testing.T) {
			inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
				stop := counted(t, from, to, packed)
				defer stop()
				retire(t, from.Table)
				want := answers(t, from.Table)
				table := &copied{Table: to.Table, done: make(chan struct{}), begun: func() {
					to.Produce(traffic(7, 60, time.Now().Add(-time.Minute), site, "d")...)
					to.Settled()
				}}
				r, err := move.Run(t.Context(), move.Options{From: from.Table, To: table, Site: site})
				if err != nil {
					t.Fatal(err)
				}
				differ(t, answers(t, to.Table), want)
				sealedAsBefore(t, from.Table, to.Table)
				if was, is := journaled(from), journaled(to); was == 0 || is != was {
					t.Errorf("%d journal entries, of %d", is, was)
				}
				if again := moved(t, from, to); r.Items < 100 || r.Before || !again.Before || again.Revision != r.Revision {
					t.Errorf("%+v; once more: %+v", r, again)
				}
				if left := to.Recounted().LeftOut[finding.BecauseShared]; left == 0 {
					t.Error("nothing of what has moved is left out")
				}
				to.Pass(time.Minute)
				before, later := events(t, to.Table), traffic(8, 100, time.Now().Add(-time.Minute), site, "e")
				to.Produce(later...)
				to.Settled()
				if have := events(t, to.Table); have != before+int64(len(later)) {
					t.Errorf("%d events, after %d and %d more", have, before, len(later))
				}
				to.Pass(30 * time.Minute) // Days are sealed with both.
				if have := events(t, to.Table); have != before+int64(len(later)) {
					t.Errorf("%d events, after %d and %d more, and a pass of the sealer", have, before, len(later))
				}
				stop()
				to.Recounted()
				from.Recounted()
			})
		})
	}
}

// copied is a table that calls begun before the first item of a site's day.
type copied struct {
	sinks.Table
	begun func()
	first atomic.Bool
	done  chan struct{} // closed once begun has returned
}

func (c *copied) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if p.Item[sinks.AttrEntity].Str() == sinks.EntityStats {
		if c.first.CompareAndSwap(false, true) {
			c.begun()
			close(c.done)
		}
		<-c.done
	}
	return c.Table.Put(ctx, p)
}

// TestEventsThatAreCountedBeforeTheMove: members of the new table count events of the site, or do so just before they know it as a deleted
// one. Nothing is copied on top. Once it is purged there, it moves.
func TestEventsThatAreCountedBeforeTheMove(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
		stop := counted(t, from, to, true)
		defer stop()
		retire(t, from.Table)
		want := answers(t, from.Table)
		early := sync.OnceFunc(func() {
			to.Produce(traffic(7, 60, time.Now().Add(-time.Minute), site, "d")...)
			to.Settled()
		})
		o := move.Options{From: from.Table, To: to.Table, Site: site, Waiting: func(table string, _ []erase.Chain) {
			if table == "new" {
				early()
			}
		}}
		if r, err := move.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "footfall site purge") || r.Items > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r, err := purge.Run(t.Context(), purge.Options{Table: to.Table, Site: site}); err != nil || !r.Over() {
			t.Fatalf("%+v, %v", r, err)
		}
		moved(t, from, to)
		differ(t, answers(t, to.Table), want)
		stop()
		to.Recounted()
	})
}

// sealedAsBefore fails the test unless sealed days of the site hold in the new table as they did in the old one.
func sealedAsBefore(t *testing.T, from, to sinks.Table) {
	t.Helper()
	holds := func(table sinks.Table) (n int) {
		for day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3); day.Before(time.Now()); day = day.AddDate(0, 0, 1) {
			stats, uniques := sinks.Keys{}.DayStats(site, day.UnixMilli()), sinks.Keys{}.DayUniques(site, day.UnixMilli())
			found, err := sinks.Get(t.Context(), table, stats, uniques)
			if err != nil {
				t.Fatal(err)
			}
			if it := found[uniques]; it != nil && it[sinks.AttrMarks].Str() == sinks.MarksDigest(found[stats]) {
				n++
			}
		}
		return n
	}
	if was, is := holds(from), holds(to); was == 0 || is != was {
		t.Errorf("%d sealed days hold, of %d", is, was)
	}
	month := sinks.MonthOf(time.Now().UTC().AddDate(0, 0, -2).UnixMilli()) // Which is over.
	names := func(table sinks.Table) (days int, uniques bool) {
		key, of := sinks.Keys{}.MonthStats(site, month), sinks.Keys{}.MonthUniques(site, month)
		found, err := sinks.Get(t.Context(), table, key, of)
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := sinks.ParseSealedDays(found[key][sinks.AttrDays].Str())
		if err != nil {
			t.Fatal(err)
		}
		for n, day := range sealed {
			key := sinks.Keys{}.DayStats(site, month+int64(n-1)*24*3_600_000)
			found, err := sinks.Get(t.Context(), table, key)
			if err == nil && day.Marks == sinks.MarksDigest(found[key]) {
				days++
			}
		}
		return days, found[of][sinks.AttrMarks].Str() == sealed.Digest()
	}
	if days, uniques := names(from); days == 0 || !uniques {
		t.Errorf("the month names %d days; its visitors hold: %v", days, uniques)
	} else if now, hold := names(to); now != days || !hold {
		t.Errorf("the month names %d days, of %d; its visitors hold: %v", now, days, hold)
	}
}

// TestErasedStaysErasedInTheNewTable: what was erased is not there, and a person can be erased there whose sessions have moved.
func TestErasedStaysErasedInTheNewTable(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
		stop := counted(t, from, to, true)
		defer stop()
		erased := func(w *testpipeline.World, visitor string) {
			t.Helper()
			o := erase.Options{Table: w.Table, HashKey: w.Options().HashKey, Site: site, Person: sites.Visitor, ID: visitor, Breakdowns: true}
			if r, err := erase.Run(t.Context(), o); err != nil || r.State != erase.Done {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		erased(from, "v0-3")
		retire(t, from.Table)
		want := answers(t, from.Table)
		moved(t, from, to)
		differ(t, answers(t, to.Table), want)
		before := sessionsOf(t, to.Table, "v0-4")
		erased(to, "v0-4")
		if left := len(sessionsOf(t, to.Table, "v0-4")); len(before) == 0 || left > 0 {
			t.Errorf("%d sessions of %d are left", left, len(before))
		}
		for _, s := range before {
			tp, err := sinks.ParseTP(s.Partition)
			if err != nil {
				t.Fatal(err)
			}
			left, err := state.SessionOf(to.Item(sinks.Keys{}.Session(site, s.SessionID, tp, sinks.DefaultShards)))
			if err != nil || !left.Erased {
				t.Errorf("of session %s there is %+v, %v", s.SessionID, left, err)
			}
		}
		late := testpipeline.EventOf("v0-3", "s-late", "late", -time.Hour)
		late.Value = []byte(strings.Replace(string(late.Value), `"siteId":"s"`, `"siteId":"`+site+`"`, 1))
		to.Produce(late)
		to.Settled()
		if n := len(sessionsOf(t, to.Table, "v0-3")); n > 0 {
			t.Errorf("an erased visitor has %d sessions by an event from before the erasure", n)
		}
		stop()
		to.Recounted()
	})
}

// TestSiteMovesOnAndIsPurged: from the second table to a third one, which is empty and takes over the hash key. Then the second one purges
// it, and it comes back there.
func TestSiteMovesOnAndIsPurged(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
		stop := counted(t, from, to, true)
		defer stop()
		retire(t, from.Table)
		want := answers(t, from.Table)
		moved(t, from, to)
		third := *from
		third.Table = newTable(t)
		retire(t, to.Table)
		to.Pass(time.Minute)
		moved(t, to, &third)
		differ(t, answers(t, third.Table), want)
		if r, err := purge.Run(t.Context(), purge.Options{Table: to.Table, Site: site}); err != nil || !r.Over() {
			t.Fatalf("%+v, %v", r, err)
		}
		retire(t, third.Table)
		moved(t, &third, to)
		differ(t, answers(t, to.Table), want)
		stop()
		to.Recounted()
	})
}
