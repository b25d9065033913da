package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// entities are those whose every attribute is compared.
var entities = []string{sinks.EntityStats, sinks.EntityUniques, sinks.EntityBreakdown, sinks.EntitySession,
	sinks.EntityVisitor, sinks.EntityRecent, sinks.EntityNewSessions, sinks.EntityVisitorSessions, sinks.EntityRealtime,
	sinks.EntityNewSites, sinks.EntitySiteEntry, sinks.EntityEvent}

// TestEveryAttributeIsCompared changes each attribute of an item of each kind, and wants that reported and nothing else.
func TestEveryAttributeIsCompared(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		best := richest(two)
		var all []damage
		for _, entity := range append(slices.Clone(entities), "day "+sinks.EntityStats) {
			it := best[entity]
			if it == nil {
				t.Fatalf("the table has no %s", entity)
			}
			names := slices.Collect(maps.Keys(it))
			names = append(names, "stranger") // An attribute that nothing explains.
			for _, name := range names {
				value := it[name]
				mark := value.Kind() == sinks.Number && strings.HasPrefix(name, "w") && strings.Contains(name, "_")
				if name == sinks.AttrPK || name == sinks.AttrSK {
					continue
				}
				if name == "stranger" {
					value = sinks.Int(0)
				}
				for how, bad := range wrong(t, name, value) {
					// The last step is done: a mark says nothing but that it is not of a later one. A stranger must be there.
					if mark && how != "of a step to come" || name == "stranger" && how == "removed" {
						continue
					}
					// An absent number is 0; the store itself minds keys; what outgrew the hour's item need not be there too.
					if how == "removed" && (value.Kind() == sinks.Number && value.Int() == 0 || name == "h1_0" && entity == sinks.EntityStats) ||
						how == "of another kind" && strings.HasPrefix(name, "gsi") {
						continue
					}
					all = append(all, damaged(fmt.Sprintf("%s, %s %s", entity, name, how), it, name, bad))
				}
			}
		}
		if len(all) < 200 {
			t.Errorf("only %d changes are tried", len(all))
		}
		w.eachIsNamed(all)
		want(t, "all put back", w.verify(nil), 0)
	})
}

func TestEveryMissingItemIsFound(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		tried := make(map[string]int)
		var all []damage
		for key, it := range two {
			entity := it[sinks.AttrEntity].Str()
			attr := "(item)"
			switch entity {
			case sinks.EntityTable, sinks.EntityTopic, sinks.EntityCheckpoint, sinks.EntityHistory:
				continue
			case sinks.EntityRecent:
				key.SK = key.SK[:strings.LastIndexByte(key.SK, '#')]
				key.SK = key.SK[:strings.LastIndexByte(key.SK, '#')+1]
				attr = sinks.AttrSessionIDs
			case sinks.EntityNewSessions: // The hour's lists lack it.
				f := strings.Split(key.SK, "#")
				key.SK = fmt.Sprintf("{bucket}#%s#%s#", f[1][:len("2026-05-12T14")], f[2])
				attr = sinks.AttrListed
			case sinks.EntityVisitorSessions:
				_, key.SK, _ = strings.Cut(key.SK, "#")
				key.SK = key.SK[:strings.LastIndexByte(key.SK, '#')]
				key.SK = "{bucket}#" + key.SK[:strings.LastIndexByte(key.SK, '#')+1]
				attr = sinks.AttrListed
			}
			if tried[entity]++; tried[entity] > 8 {
				continue
			}
			all = append(all, damage{entity + " deleted", it, nil, key, attr})
		}
		w.eachIsNamed(all)
		if len(tried) != 12 { // The ten, raw events and entries of the list of sites.
			t.Errorf("items of %v were deleted", tried)
		}
	})
}

func TestEverySurplusItemIsFound(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		number, _, _ := sinks.LoadTopic(t.Context(), w.table, sinks.Keys{}, topic)
		tp, strange := sinks.TP{Topic: number, Partition: 1}, sinks.TP{Topic: number, Partition: 7}
		keys := sinks.Keys{}
		now := w.start.UnixMilli()
		hour, minute := now-now%3600_000-2*3600_000, now-now%60_000
		best := richest(two)
		surplus := []struct {
			text string
			key  sinks.Key
			like sinks.Item
		}{
			{"an hour", keys.HourStats(plainSite, hour), best[sinks.EntityStats]},
			{"a day", keys.DayStats(plainSite, now-now%86400_000+2*86400_000), best["day "+sinks.EntityStats]},
			{"uniques of a partition that has few", keys.Uniques(plainSite, hour+2*3600_000, tp), best[sinks.EntityUniques]},
			{"uniques of no partition", keys.Uniques(plainSite, hour+2*3600_000, strange), best[sinks.EntityUniques]},
			{"a breakdown of nothing", keys.Breakdown(plainSite, hour+3*3600_000, tp), best[sinks.EntityBreakdown]},
			{"a breakdown of no partition", keys.Breakdown(plainSite, hour, strange), best[sinks.EntityBreakdown]},
			{"a session", keys.Session(plainSite, "never", tp, sinks.DefaultShards), best[sinks.EntitySession]},
			{"a session of no partition", keys.Session(plainSite, "s1", strange, sinks.DefaultShards), best[sinks.EntitySession]},
			{"a visitor", keys.VisitorState(plainSite, "nobody", tp, sinks.DefaultShards), best[sinks.EntityVisitor]},
			{"a visitor of no partition", keys.VisitorState(plainSite, "crowd0", strange, sinks.DefaultShards), best[sinks.EntityVisitor]},
			{"a minute", keys.Realtime(plainSite, minute+5*60_000, tp), best[sinks.EntityRealtime]},
			{"a raw event", keys.Event(plainSite, 3, ulid.ULID{9}.String()), best[sinks.EntityEvent]},
			{"a key that no template spells", sinks.Key{PK: keys.Site(plainSite), SK: sinks.HourStatsPrefix + "tomorrow"}, best[sinks.EntityStats]},
		}
		for _, s := range surplus {
			it := maps.Clone(s.like)
			it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(s.key.PK), sinks.Str(s.key.SK)
			if s.like[sinks.AttrEntity].Str() == sinks.EntityEvent {
				delete(it, sinks.AttrTTL)
				u := ulid.ULID{}
				if err := u.SetTime(uint64(now)); err != nil {
					t.Fatal(err)
				}
				s.key = keys.Event(plainSite, 3, u.String())
				it[sinks.AttrSK] = sinks.Str(s.key.SK)
			}
			w.set(s.key, it)
			onlyAt(t, "surplus: "+s.text, w.verify(nil), s.key, "(item)")
			w.set(s.key, nil)
		}
		recent := maps.Clone(best[sinks.EntityRecent])
		key := keys.Recent(plainSite, minute+5*60_000, tp, 1, 0)
		recent[sinks.AttrSK] = sinks.Str(key.SK)
		recent[sinks.AttrPK] = sinks.Str(key.PK)
		w.set(key, recent)
		onlyAt(t, "surplus: recent sessions", w.verify(nil), key, sinks.AttrSessionIDs)
		w.set(key, nil)
		list := maps.Clone(best[sinks.EntityVisitorSessions])
		key = keys.VisitorSessions(plainSite, sinks.VisitorBucket{}, hour+5*3600_000, tp, 1, 0)
		list[sinks.AttrSK], list[sinks.AttrPK] = sinks.Str(key.SK), sinks.Str(key.PK)
		w.set(key, list)
		onlyAt(t, "surplus: sessions by visitor", w.verify(nil), key, sinks.AttrListed)
		w.set(key, nil)
		key = keys.SiteEntry("elsewhere")
		entry := sinks.SiteEntryItem(keys, plainSite)
		entry[sinks.AttrPK], entry[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
		w.set(key, entry)
		onlyAt(t, "an entry under another site's key", w.verify(nil), key, sinks.AttrSiteID)
		entry[sinks.AttrSiteID] = sinks.Str("elsewhere") // A site that was created and has no events.
		w.set(key, entry)
		want(t, "an entry without events", w.verify(nil), 0)
		for _, name := range []string{sinks.AttrMark(checkpoint.LaneStats, tp), sinks.AttrMark(checkpoint.LaneRealtime, tp),
			sinks.AttrMark(checkpoint.LaneStats, strange), sinks.AttrAdmitted(tp)} {
			w.set(key, with(entry, name, sinks.Int(1)))
			onlyAt(t, "a site that nobody has admitted, with "+name, w.verify(nil), key, name)
		}
		other := sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: number + 1})
		w.set(key, with(entry, other, sinks.Int(1)))
		onlyAt(t, "a site that a topic without a number has admitted", w.verify(nil), key, other)
		if _, err := sinks.EnsureTopic(t.Context(), w.table, sinks.Keys{}, "other"); err != nil {
			t.Fatal(err)
		}
		want(t, "a site that another topic has admitted", w.verify(nil), 0)
	})
}

func TestTotalsAreCompared(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		number, _, _ := sinks.LoadTopic(t.Context(), w.table, sinks.Keys{}, topic)
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats)
		it := w.snapshot()[key]
		for _, change := range []struct{ from, to, attr string }{
			{`"counted":`, `"counted":1`, "totals.counted"},
			{`"duplicate":`, `"duplicate":1`, "totals.duplicate"},
			{`"sessionless":`, `"sessionless":1`, "totals.sessionless"},
			{`"too_late":`, `"too_late":1`, "totals.rejected.too_late"},
			{`"too_late":`, `"empty":`, "totals.rejected.empty"},
		} {
			text := strings.Replace(it["totals"].Str(), change.from, change.to, 1)
			if text == it["totals"].Str() {
				t.Fatalf("totals %s have no %s", text, change.from)
			}
			w.set(key, with(it, "totals", sinks.Str(text)))
			onlyAt(t, change.attr, w.verify(nil), key, change.attr)
		}
		w.set(key, with(it, "t", sinks.Int(it["t"].Int()+5)))
		onlyAt(t, "a chain beyond its log", w.verify(nil), key, "t")
	})
}

func TestSettingsOfTheHistoryAreFoldedUnder(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		ping := w.event(plainSite, "note", 0, "visitorId", "v1", "sessionId", "s1")
		late := w.event(plainSite, "note", -3*60*60*1e9, "visitorId", "v1")
		w.produce(record{0, ping}, record{0, late})
		w.pipeline()
		o := w.options()
		o.Settings.LateMs = 3600_000
		o.Settings.NonInteractive = []string{"note"}
		o.Settings.Retention.HourDays = 5
		ping["sessionId"] = "s2"
		w.produce(record{0, ping}, record{0, late})
		w.run(o)
		ping["sessionId"] = "s3"
		w.produce(record{0, ping}, record{0, late})
		w.pipeline()
		r := w.verify(nil)
		want(t, "settings that changed between steps", r, 0)
		if r.Compared["history"] != 2 { // Of two lanes.
			t.Errorf("compared %v", r.Compared)
		}
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityHistory && it["k"].Int() == 3 {
				w.set(key, nil)
			}
		}
		want(t, "a history that is missing", w.verify(nil), finding.ExitDifferent)
	})
}

func TestSessionListedAsNewInAnotherStepIsFound(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		var first, second sinks.Item // of one minute, by two steps
		for _, it := range two {
			if it[sinks.AttrEntity].Str() != sinks.EntityNewSessions || !strings.HasPrefix(it.Key().PK, "SITE#shop") {
				continue
			}
			switch {
			case strings.HasSuffix(it.Key().SK, "#1_0#1") && has(it, "s1"):
				first = it
			case has(it, "s4"):
				second = it
			}
		}
		if first == nil || second == nil {
			t.Fatal("the steps' lists are not as this test needs them")
		}
		without, with := maps.Clone(first), maps.Clone(second)
		entries := listedIn(first)
		i := slices.IndexFunc(entries, func(e state.ListedSession) bool { return e.Session == "s1" })
		moved := append(listedIn(second), entries[i])
		slices.SortFunc(moved, state.ListedSession.Compare)
		without[sinks.AttrListed] = sinks.Bytes(state.AppendListed(nil, slices.Delete(entries, i, i+1), 0, sinks.TP{}))
		with[sinks.AttrListed] = sinks.Bytes(state.AppendListed(nil, moved, 0, sinks.TP{}))
		w.set(first.Key(), without)
		w.set(second.Key(), with)
		onlyAt(t, "a session listed by the wrong step", w.verify(nil), second.Key(), sinks.AttrSessionIDs)
	})
}

// listedIn are the entries of an item that lists sessions, at times since the start of its hour.
func listedIn(it sinks.Item) []state.ListedSession {
	entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), 0, sinks.TP{})
	if err != nil {
		panic(err)
	}
	return entries
}

func has(it sinks.Item, session string) bool {
	return slices.ContainsFunc(listedIn(it), func(e state.ListedSession) bool { return e.Session == session })
}
