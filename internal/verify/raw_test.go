package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// rich is an event that has every field.
func (w *world) rich(i int) map[string]any {
	e := w.event(plainSite, "purchase", 0, "id", fmt.Sprint("rich ", i), "visitorId", "v1", "sessionId", fmt.Sprint("rich ", i), "userId",
		"u1",
		"url", "https://shop/p1?utm_source=q", "referrer", "https://ref.example/", "title", "A page", "userAgent", "Mozilla/5.0", "name", "buy",
		"country", "DE", "region", "BE", "city", "Berlin", "device", "desktop", "browser", "Firefox", "os", "Linux")
	e["value"] = -12.25
	e["properties"] = map[string]any{"plan": "pro"}
	return e
}

// Every field of a raw event is compared, and a change is put into words: what was damaged, and what the record says.
func TestEveryAttributeOfARawEventIsCompared(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		const events = 8
		for i := range events {
			w.produce(record{0, w.rich(i)})
		}
		w.pipeline()
		var items []sinks.Item
		for _, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityEvent {
				items = append(items, it)
			}
		}
		if len(items) != events {
			t.Fatalf("the table has %d raw events, want %d", len(items), events)
		}
		var all []damage
		for i, name := range []string{"siteId", "type", "id", "visitorId", "sessionId", "userId", "url", "referrer", "title", "userAgent",
			"name", "country", "region", "city", "device", "browser", "os", "properties", "timestamp", "value", "recordTime", "source",
			"bot", "foreign", "ttl", "_et", "v", "stranger"} {
			it := items[i%events]
			for how, bad := range wrong(t, name, it[name]) {
				if it[name].Kind() == sinks.None {
					if bad.Kind() == sinks.None {
						continue
					}
					bad = sinks.Str("agent")
				}
				all = append(all, damaged(name+" "+how, it, name, bad))
			}
		}
		if len(all) < 70 {
			t.Errorf("only %d changes are tried", len(all))
		}
		w.eachIsNamed(all)
		want(t, "all put back", w.verify(nil), 0)
	})
}

// Seventy-seven raw events with another page or type are seventy-seven differences that say so.
func TestManyDamagedRawEventsAreEachFound(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		const events = 77
		for i := range events {
			w.produce(record{0, w.rich(i)})
		}
		w.pipeline()
		damaged := 0
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityEvent {
				bad := with(it, "url", sinks.Str(strings.Replace(it["url"].Str(), "/p1", "/p4", 1)))
				if damaged++; damaged%2 == 0 {
					bad = with(it, "type", sinks.Str("perchase"))
				}
				w.set(key, bad)
			}
		}
		r := w.verify(nil)
		want(t, "damaged raw events", r, finding.ExitDifferent)
		if r.DifferenceCount != events {
			t.Errorf("%d differences, want %d", r.DifferenceCount, events)
		}
		for _, d := range r.Differences {
			if d.Attribute == "url" && d.Recount != `"https://shop/p1?utm_source=q"` || d.Attribute == "type" && d.Table != `"perchase"` {
				t.Errorf("difference %+v does not say what was damaged", d)
			}
		}
	})
}

// A raw event of two records is one of them, and never a mixture.
func TestMixtureOfTwoRecordsIsFound(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		one, two := w.rich(1), w.rich(1)
		two["url"], two["title"] = "https://shop/other", "Another"
		w.produce(record{0, one})
		w.pipeline()
		first := w.snapshot()
		w.produce(record{0, two})
		w.pipeline()
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() != sinks.EntityEvent {
				continue
			}
			if it["url"].Str() != "https://shop/other" {
				t.Fatalf("the event is %v, want that of the second record", it)
			}
			w.set(key, first[key])
			want(t, "the first of two records", w.verify(nil), 0)
			w.set(key, with(it, "url", first[key]["url"]))
			onlyAt(t, "the second with the url of the first", w.verify(nil), key, "url")
		}
	})
}

// A writer that ends before its step begins may have believed a later record time than the step does.
func TestRawEventOfAnotherBoundOnRecordTimes(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		const ahead = 60 * time.Hour // A step believes what is dated up to 48 hours after the last midnight.
		dated := w.kafkaRecords([]record{{0, w.event(plainSite, "page_view", ahead, "id", "a", "visitorId", "v1")}})
		dated[0].Timestamp = w.start.Add(ahead)
		publish := func() {
			t.Helper()
			again := *dated[0]
			if err := w.client.ProduceSync(t.Context(), &again).FirstErr(); err != nil {
				t.Fatal(err)
			}
			w.pipeline()
		}
		publish()
		<-time.After(24 * time.Hour)
		publish()
		r := w.verify(nil)
		want(t, "a record that the first step does not believe", r, 0)
		if r.Compared["event"] != 1 {
			t.Fatalf("compared %v, want the raw event of the second record", r.Compared)
		}
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityEvent {
				w.set(key, with(it, "source", sinks.Str(topic+"/0/0")))
				want(t, "the raw event of the first record", w.verify(nil), 0)
				w.set(key, with(it, "source", sinks.Str(topic+"/0/7")))
				want(t, "a raw event of no record", w.verify(nil), finding.ExitDifferent)
			}
		}
	})
}

// A copy of an item in another shard of its site is read by queries, so it is a difference.
func TestCopiesInAnotherShardAreFound(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		w.pipeline()
		tried := make(map[string]bool)
		for key, it := range w.snapshot() {
			entity := it[sinks.AttrEntity].Str()
			if !strings.Contains(key.PK, "#SHARD#") || tried[entity] {
				continue
			}
			tried[entity] = true
			n := len(key.PK) - 2
			for _, shard := range []string{"00", "07", "15", "40"} {
				if shard == key.PK[n:] {
					continue
				}
				other := sinks.Key{PK: key.PK[:n] + shard, SK: key.SK}
				w.set(other, with(it, sinks.AttrPK, sinks.Str(other.PK)))
				onlyAt(t, entity+" in shard "+shard, w.verify(nil), other, "(item)")
				w.set(other, nil)
			}
		}
		if len(tried) < 3 {
			t.Errorf("only items of %v have shards", tried)
		}
	})
}

// A process that writes raw events as items and ends before it begins a flush leaves no record of its settings: its raw events are
// compared although all flushes that are recorded pack them.
func TestRawEventsOfAProcessWithoutAFlushAreCompared(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.produce(record{0, w.rich(1)}, record{0, w.rich(2)})
		w.pipeline()
		left := make(map[sinks.Key]sinks.Item)
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityEvent {
				left[key] = it
			}
			w.set(key, nil)
		}
		if len(left) != 2 {
			t.Fatalf("%d raw events, want 2", len(left))
		}
		w.packed = true
		w.pipeline()
		for key, it := range left {
			w.set(key, it)
		}
		want(t, "raw events as items beside a pack", w.verify(nil), 0)
		for key, it := range left {
			w.set(key, with(it, "url", sinks.Str("https://other.example/")))
			onlyAt(t, "another address", w.verify(nil), key, "url")
			w.set(key, it)
		}
	})
}
