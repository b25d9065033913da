package pipeline_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// damage damages an attribute of all items that pick picks, and returns their keys. attr may have {tp} for partition 0.
func (w *world) damage(s *spy, attr, way string, pick func(sinks.Item) bool) (keys []sinks.Key) {
	w.T.Helper()
	attr = strings.Replace(attr, "{tp}", sinks.TP{Topic: 1}.String(), 1)
	for key, it := range w.contents(s) {
		if it[attr].Kind() == sinks.None || !pick(it) {
			continue
		}
		it = maps.Clone(it)
		if it[attr] = testpipeline.Damages[way](it[attr]); it[attr].Kind() == sinks.None {
			delete(it, attr)
		}
		if _, err := w.Table.Put(w.T.Context(), sinks.Put{Item: it}); err != nil {
			w.T.Fatal(err)
		}
		keys = append(keys, key)
	}
	if keys == nil {
		w.T.Fatalf("there is nothing to damage with an attribute %s", attr)
	}
	return keys
}

// lostItems returns the keys of the items that verify names as lost, each once.
func (w *world) lostItems() (keys []sinks.Key) {
	w.T.Helper()
	for _, l := range w.Recounted().Lost {
		if key := (sinks.Key{PK: l.PK, SK: l.SK}); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// wantLost wants verify to name each item as lost.
func (w *world) wantLost(keys []sinks.Key) {
	w.T.Helper()
	lost := w.lostItems()
	for _, key := range keys {
		if !slices.Contains(lost, key) {
			w.T.Errorf("verify does not name %v as lost", key)
		}
	}
}

// quarantine has an operator quarantine an item.
func (w *world) quarantine(key sinks.Key) {
	w.T.Helper()
	if _, err := quarantine.Item(w.T.Context(), quarantine.Decision{Topic: w.Topic, Table: w.Table, Key: key}); err != nil {
		w.T.Fatalf("QuarantineItem(%v) = %v", key, err)
	}
}

// latest is the item of an entity that has a part of partition 0 and is the last by its sort key: more records will touch it.
func (w *world) latest(s *spy, entity string) (key sinks.Key) {
	w.T.Helper()
	for k, it := range w.contents(s) {
		marked := false
		for _, lane := range checkpoint.Lanes {
			marked = marked || it[sinks.AttrMark(lane, sinks.TP{Topic: 1})].Kind() != sinks.None
		}
		if marked && it[sinks.AttrEntity].Str() == entity && !strings.HasPrefix(k.SK, sinks.DayStatsPrefix) && (k.SK > key.SK || k.SK == key.SK &&
			k.PK > key.PK) {
			key = k
		}
	}
	return key
}

// parts are the attributes of parts, which decide only themselves.
var parts = []struct {
	entity, attr string
	ways         []string
}{
	{sinks.EntityBreakdown, sinks.AttrPart, []string{"truncated", "checksum", "garbage", "type", "missing"}},
	{sinks.EntityBreakdown, "ws{tp}", []string{"type", "missing"}},
	{sinks.EntityUniques, sinks.AttrPart, []string{"truncated", "checksum", "garbage", "type", "missing"}},
	{sinks.EntityStats, "h{tp}", []string{"truncated", "checksum", "garbage", "type"}},
	{sinks.EntityStats, "mn{tp}", []string{"type", "missing"}},
	{sinks.EntityRealtime, sinks.AttrVisitors, []string{"truncated", "checksum", "garbage", "type", "missing"}},
	{sinks.EntityRealtime, sinks.AttrPages, []string{"truncated", "garbage", "type", "missing"}},
	{sinks.EntityRealtime, sinks.AttrEvents, []string{"type"}},
	{sinks.EntityRealtime, "wr{tp}", []string{"type"}},
}

// A damaged part is quarantined. All partitions count on, and verify names what is lost and finds nothing else.
func TestDamagedPartIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, part := range parts {
		for _, way := range part.ways {
			t.Run(fmt.Sprintf("%s %s %s", part.entity, part.attr, way), func(t *testing.T) {
				t.Parallel()
				inWorld(t, 2, func(t *testing.T, w *world) {
					s := newSpy(w.Table)
					records := traffic(31, 2, 300, bubbleStart)
					before := 200
					if part.attr == "h{tp}" { // More visitors have an item of their own.
						before = 20
					}
					w.Folded(w.With(s, 0), records[:before])
					latest := w.latest(s, part.entity)
					damaged := w.damage(s, part.attr, way, func(it sinks.Item) bool { return it.Key() == latest })
					w.Folded(w.With(s, 0), records[before:])
					lost := w.lostItems()
					if len(lost) == 0 {
						t.Error("verify names nothing that is lost")
					}
					for _, key := range lost {
						if !slices.Contains(damaged, key) {
							t.Errorf("verify says that %v is lost: it was not damaged", key)
						}
						if it := w.Item(key); it[sinks.AttrLost(sinks.TP{Topic: 1})].Kind() != sinks.Number {
							t.Errorf("%v does not say that something is lost: %v", key, it)
						}
					}
				})
			})
		}
	}
}

// A damaged state that decides what other items receive parks its partition; the other partitions count on. Once an operator has
// quarantined it the partition continues, and verify names what is lost and finds no differences.
func TestDamagedStateParksItsPartition(t *testing.T) {
	t.Parallel()
	for _, state := range []struct{ entity, attr, way string }{
		{sinks.EntitySession, sinks.AttrCur, "truncated"}, {sinks.EntitySession, sinks.AttrCur, "type"}, {sinks.EntitySession, "ws{tp}",
			"missing"},
		{sinks.EntityVisitor, sinks.AttrCur, "garbage"}, {sinks.EntityVisitor, sinks.AttrCur, "missing"},
		{sinks.EntitySiteEntry, sinks.AttrSiteID, "missing"}, {sinks.EntitySiteEntry, "ws{tp}", "type"},
		{sinks.EntityNewSites, sinks.AttrHour, "type"}, {sinks.EntityNewSites, sinks.AttrSites, "missing"},
		{sinks.EntityBudget, sinks.AttrSpent, "missing"}, {sinks.EntityBudget, sinks.AttrPrevMinute, "type"},
		{sinks.EntityArrival, sinks.AttrHour, "missing"}, {sinks.EntityArrival, sinks.AttrPrevLastDay, "type"},
		{sinks.EntityCheckpoint, "totals", "type"},
		{sinks.EntityStats, sinks.AttrPageViews, "type"},
	} {
		t.Run(fmt.Sprintf("%s %s %s", state.entity, state.attr, state.way), func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				s := newSpy(w.Table)
				records := traffic(31, 2, 300, bubbleStart)
				if state.entity == sinks.EntityBudget {
					w.Decide("site-0", &sites.Rules{Name: "Busy", EventsPerSecond: 1})
				}
				if state.entity == sinks.EntityArrival {
					w.Decide("site-0", &sites.Rules{Name: "Counted", NewVisitors: true})
				}
				w.Folded(w.With(s, 0), records[:200])
				var keys []sinks.Key
				if state.entity == sinks.EntityCheckpoint {
					keys = w.damage(s, state.attr, state.way, func(it sinks.Item) bool {
						return it.Key() == sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
					})
				} else {
					keys = w.damage(s, state.attr, state.way, func(it sinks.Item) bool {
						mine := it[sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})].Kind() != sinks.None ||
							it[sinks.AttrMark(checkpoint.LaneRealtime, sinks.TP{Topic: 1})].Kind() != sinks.None
						return mine && it[sinks.AttrEntity].Str() == state.entity
					})
				}
				w.Produce(records[200:]...)
				run := w.Start(w.With(s, 0))
				shared := state.entity == sinks.EntityStats || state.entity == sinks.EntitySiteEntry && state.attr == sinks.AttrSiteID
				if !shared {
					w.countsOn(run, records)
					if state.entity != sinks.EntityCheckpoint && w.Behind() == nil {
						t.Error("the partition has counted on with a state that cannot be read")
					}
				}
				w.Pass(30 * time.Second)
				for _, key := range keys {
					w.quarantine(key)
					w.quarantine(key) // It may be repeated.
				}
				w.Settled()
				run.Drain()
				w.wantLost(keys)
			})
		})
	}
}

// A damaged journal entry parks its partition. Its quarantine marks the hours that it may have had as lost. The partition then counts
// on, and verify finds nothing else. Package answers has what readers say meanwhile.
func TestDamagedJournalEntryLosesItsHours(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"truncated", "garbage", "type", "missing"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				s := newSpy(w.Table)
				records := traffic(31, 2, 300, bubbleStart)
				o := w.With(s, 0)
				o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: math.MaxInt}
				run := w.Start(o)
				for i := 0; i < 200; i += 20 {
					w.Produce(records[i : i+20]...)
					w.Pass(3 * time.Second)
				}
				w.Settled()
				run.Drain()
				latest := w.latest(s, sinks.EntityLate)
				w.damage(s, sinks.AttrPart, way, func(it sinks.Item) bool { return it.Key() == latest })
				m, ok := sinks.Find(latest, nil, sinks.DefaultShards)
				if !ok {
					t.Fatalf("%v is no key", latest)
				}
				w.Produce(records[200:]...)
				run = w.Start(o)
				w.countsOn(run, records)
				if w.Behind() == nil {
					t.Error("the partition has counted on with an entry that cannot be read")
				}
				w.Pass(30 * time.Second)
				w.quarantine(latest)
				w.quarantine(latest) // It may be repeated.
				if it := w.Item(latest); it != nil {
					t.Errorf("the entry is still there: %v", it)
				}
				w.Settled()
				run.Drain()
				hours := 0
				for _, key := range w.lostItems() {
					of, ok := sinks.Find(key, nil, sinks.DefaultShards)
					if !ok || of.Fields.Site != m.Fields.Site || sinks.Day(of.Fields.At) != sinks.Day(m.Fields.At) {
						t.Errorf("verify says that %v is lost", key)
					}
					if of.Type.Entity == sinks.EntityBreakdown {
						hours++
					}
					if it := w.Item(key); key != latest && it[sinks.AttrLost(sinks.TP{Topic: 1})].Kind() != sinks.Number {
						t.Errorf("%v does not say that something is lost: %v", key, it)
					}
				}
				if hours == 0 {
					t.Error("no hour is lost with the entry")
				}
			})
		})
	}
}

func count(records []record, partition int32) (n int64) {
	for _, r := range records {
		if r.Partition == partition {
			n++
		}
	}
	return n
}
