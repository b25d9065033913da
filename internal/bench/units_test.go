package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// loads makes the tests count all loads, for an hour each; without it the one that is bounded, for a while.
var loads = flag.Bool("loads", false, "count the write units of all loads, which takes a minute")

// usage is what a pipeline wrote within a span.
type usage struct {
	events        float64
	steps         map[string]float64 // by lane
	units, writes map[string]float64 // by item kind
	reads         float64            // read units
}

// simulate runs a pipeline for warm and then for span, in fake time, on a broker and a table in memory, and returns
// what it wrote in the span. Each second's records are published at its end. The table tells units as DynamoDB would.
// through wraps the table; nil does not.
func simulate(t *testing.T, l load, next func() *kgo.Record, warm, span time.Duration, through func(sinks.Table) sinks.Table) (u usage) {
	testworld.InBubble(t, 1, func(t *testing.T, w *testworld.World) {
		table := sinks.Table(w.Table)
		if through != nil {
			table = through(table)
		}
		m := pipeline.NewMetrics(prometheus.NewRegistry())
		settings := l.settings
		if settings.Fold == 0 {
			settings = checkpoint.DefaultSettings()
		}
		settings.NewSites = 0 // All sites of a load come at once.
		p, err := pipeline.New(pipeline.Options{Kafka: w.Kafka, Topic: "events", Group: "g", Table: table, Metrics: m, Settings: settings,
			StatsInterval: l.interval, RealtimeMax: l.realtimeMax, Limits: l.limits})
		if err != nil {
			t.Fatal(err)
		}
		record := next()
		begin := record.Timestamp
		time.Sleep(time.Until(begin))
		drain := testworld.Start(t, p.Run)

		publish := func(until time.Time) {
			for time.Now().Before(until) {
				time.Sleep(time.Second)
				var second []*kgo.Record
				for ; !record.Timestamp.After(time.Now()); record = next() {
					second = append(second, record)
				}
				if err := w.Client.ProduceSync(t.Context(), second...).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
		}
		publish(begin.Add(warm))
		before := used(m)
		publish(begin.Add(warm + span))
		u = used(m).minus(before)
		drain()
		if l.then != nil {
			l.then(w.Table)
		}
	}, kfake.SeedTopics(l.partitions, "events"))
	return u
}

func used(m *pipeline.Metrics) usage {
	return usage{events: total(m.Records, "counted"), steps: all(m.Steps), units: all(m.Units), writes: all(m.Writes),
		reads: value(m.ReadUnits)}
}

func (u usage) minus(o usage) usage {
	return usage{u.events - o.events, less(u.steps, o.steps), less(u.units, o.units), less(u.writes, o.writes), u.reads - o.reads}
}

func less(a, b map[string]float64) map[string]float64 {
	d := maps.Clone(a)
	for k := range d {
		d[k] -= b[k]
	}
	return d
}

// all reads a counter with one label, by the label's values.
func all(c *prometheus.CounterVec) map[string]float64 {
	metrics := make(chan prometheus.Metric)
	go func() {
		c.Collect(metrics)
		close(metrics)
	}()
	values := make(map[string]float64)
	for metric := range metrics {
		var m dto.Metric
		if err := metric.Write(&m); err != nil {
			panic(err) // A counter in memory can be read.
		}
		values[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
	}
	return values
}

func sum(m map[string]float64) (n float64) {
	for _, x := range m {
		n += x
	}
	return n
}

// print shows the units by item kind.
func (u usage) print(t *testing.T, what string) {
	fmt.Fprintf(t.Output(), "%s: %.0f events, %.0f steps of stats, %.0f of realtime\n", what, u.events, u.steps[checkpoint.LaneStats],
		u.steps[checkpoint.LaneRealtime])
	for _, kind := range slices.Sorted(maps.Keys(u.units)) {
		writes := "" // Of a checkpoint, the writes are not told.
		if n := u.writes[kind]; n > 0 {
			writes = fmt.Sprintf("  %8.0f items, %.2f units each", n, u.units[kind]/n)
		}
		fmt.Fprintf(t.Output(), "  %-12s %8.0f units, %.3f an event%s\n", kind, u.units[kind], u.units[kind]/u.events, writes)
	}
	fmt.Fprintf(t.Output(), "  %-12s %8.0f units, %.3f an event; %.3f read units an event\n", "all", sum(u.units), sum(u.units)/u.events,
		u.reads/u.events)
}

// calm is a record of each of 50 sites every 5 seconds, of visitors without sessions: about 50 items a step.
func calm(begin time.Time) func() *kgo.Record {
	n := 0
	return func() *kgo.Record {
		at := begin.Add(time.Duration(n/50) * 5 * time.Second)
		r := &kgo.Record{Topic: "events", Timestamp: at, Key: []byte("k"), Value: fmt.Appendf(nil,
			`{"siteId":"site-%d","type":"page_view","timestamp":%d,"id":"%d","visitorId":"visitor-%d","url":"/page-%d"}`,
			n%50, at.UnixMilli(), n, n/50%8, n/50%5)}
		n++
		return r
	}
}

// TestUnitsPerItemWhenCalm holds a flushed item to one write unit, with a twentieth for everything around it.
func TestUnitsPerItemWhenCalm(t *testing.T) {
	settings := checkpoint.DefaultSettings()
	settings.VisitGapMs = 0
	u := simulate(t, load{partitions: 1, settings: settings}, calm(bubbleStart), 2*time.Minute, 10*time.Minute, nil)
	u.print(t, "calm, 50 sites in one partition")
	items := sum(u.writes) - u.writes[sinks.EntityEvent]
	steps := sum(u.steps)
	units := sum(u.units) - u.units[sinks.EntityEvent]
	fmt.Fprintf(t.Output(), "  %.1f items a step; write units a flushed item, checkpoints included: %.3f (at most 1.05)\n", items/steps,
		units/items)
	if per := units / items; per > 1.05 {
		t.Errorf("%.3f write units a flushed item, want at most 1.05", per)
	}
	if items/steps < 45 || items/steps > 60 {
		t.Errorf("%.1f items a step: this is not the load that the figure is about", items/steps)
	}
}

// bubbleStart is what the clock of every bubble begins at.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// loadStart is ten minutes before an hour. With loads, the span that is measured begins in the middle of that hour. It has all writes of an
// hour in a pipeline that runs: the first flushes of an hour are larger where all partitions begin at once, and the hour before is written
// once more, or more often with visits, after it is over.
var loadStart = bubbleStart.Add(50 * time.Minute)

// TestUnitsPerEvent counts write units at the loads that the design names.
func TestUnitsPerEvent(t *testing.T) {
	slow.Test(t)
	const million = 1_000_000 / 24
	warm, span := 10*time.Minute, 15*time.Minute
	if *loads {
		warm, span = 40*time.Minute, time.Hour
	}
	for _, c := range []struct {
		name string
		load load
		most float64 // units an event; 0: only shown
		slow bool
	}{
		{"1 M events a day of one site in one partition",
			load{sites: 1, partitions: 1, hourly: million, script: readers, think: 40 * time.Second}, 2.6, false},
		{"the same packed, at 60 s",
			load{sites: 1, partitions: 1, hourly: million, script: readers, think: 40 * time.Second, settings: packedSettings()}, 1.55, true},
		{"the same packed, at 300 s",
			load{sites: 1, partitions: 1, hourly: million, script: readers, think: 40 * time.Second, settings: packedSettings(),
				interval: 5 * time.Minute}, 1.1, true},
		{"the same without session ids",
			load{sites: 1, partitions: 1, hourly: million, script: readers, think: 40 * time.Second, sessionless: true}, 0, true},
		{"1 M events a day of one site over 16 partitions",
			load{sites: 1, partitions: 16, hourly: million, script: readers, think: 40 * time.Second}, 0, true},
		// Partitions do not meet: two of the sixteen are as good as all.
		{"10,000 sites of 1,000 events a day over 16 partitions, 1,250 sites in two of these",
			load{sites: 1250, partitions: 2, hourly: 10 * million / 8, script: readers, think: 40 * time.Second}, 0, true},
		{"10,000 sites of 1,000 events a day over 8 partitions, the 1,250 sites of one of these, at 60 s",
			load{sites: 1250, partitions: 1, hourly: 10 * million / 8, script: readers, think: 40 * time.Second}, 0, true},
		{"the same at 300 s",
			load{sites: 1250, partitions: 1, hourly: 10 * million / 8, script: readers, think: 40 * time.Second, interval: 5 * time.Minute},
			0, true},
		{"10,000 sites packed, the 1,250 sites of one of 8 partitions, at 300 s",
			load{sites: 1250, partitions: 1, hourly: 10 * million / 8, script: readers, think: 40 * time.Second, settings: packedSettings(),
				interval: 5 * time.Minute}, 0, true},
		{"300 M events a day over 5,000 sites and 64 partitions, the 78 sites of one of these, at 300 s",
			load{sites: 78, partitions: 1, hourly: 300 * million / 64, script: readers, think: 40 * time.Second, interval: 5 * time.Minute},
			0, true},
		{"the same with flushes of realtime minutes up to 30 s apart",
			load{sites: 78, partitions: 1, hourly: 300 * million / 64, script: readers, think: 40 * time.Second, interval: 5 * time.Minute,
				realtimeMax: 30 * time.Second}, 0, true},
		// A quarter of the sites of a partition fill a quarter of a flush.
		{"300 M events a day over 16 partitions, 78 of the 312 sites of one of these, and a quarter of the limits",
			load{sites: 78, partitions: 1, hourly: 300 * million / 64, script: readers, think: 40 * time.Second, interval: 5 * time.Minute,
				limits: pipeline.Limits{StepItems: pipeline.DefaultLimits.StepItems / 4, StepBytes: pipeline.DefaultLimits.StepBytes / 4}},
			0, true},
	} {
		if c.slow && !*loads {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			traffic := newTraffic(c.load, loadStart)
			u := simulate(t, c.load, func() *kgo.Record { return traffic.next("events") }, warm, span, nil)
			u.print(t, c.name)
			if per := sum(u.units) / u.events; c.most > 0 && per > c.most {
				t.Errorf("%.3f write units an event, want at most %.1f", per, c.most)
			}
			if !*loads { // A part of an hour is none.
				return
			}
			holdPlan(t, c.load, u)
			t.Run("without breakdowns", func(t *testing.T) {
				if c.load.settings.Fold == 0 {
					c.load.settings = checkpoint.DefaultSettings()
				}
				c.load.settings.Breakdowns = 0
				traffic = newTraffic(c.load, loadStart)
				u = simulate(t, c.load, func() *kgo.Record { return traffic.next("events") }, warm, span, nil)
				u.print(t, c.name+", without breakdowns")
				holdPlan(t, c.load, u)
			})
		})
	}
	if *loads {
		t.Run("what each feature adds", unitsOfFeatures)
		t.Run("at scale", unitsAtScale)
	}
}

// unitsOfFeatures tells what each feature adds to the first load: the difference to the same without it.
func unitsOfFeatures(t *testing.T) {
	normal := load{sites: 1, partitions: 1, hourly: 1_000_000 / 24, script: readers, think: 40 * time.Second}
	perEvent := func(l load, without func(*checkpoint.Settings)) float64 {
		l.settings = checkpoint.DefaultSettings()
		without(&l.settings)
		traffic := newTraffic(l, loadStart)
		u := simulate(t, l, func() *kgo.Record { return traffic.next("events") }, 10*time.Minute, time.Hour, nil)
		return sum(u.units) / u.events
	}
	const rawEvents = "an item for each raw event"
	nothing := func(*checkpoint.Settings) {}
	all := perEvent(normal, nothing)
	fmt.Fprintf(t.Output(), "everything on: %.3f write units an event\n", all)
	for _, c := range []struct {
		name    string
		without func(*checkpoint.Settings)
	}{
		{rawEvents, func(s *checkpoint.Settings) { s.RawEvents = false }},
		{"breakdowns", func(s *checkpoint.Settings) { s.Breakdowns = 0 }},
		{"duplicates", func(s *checkpoint.Settings) { s.Duplicates = checkpoint.Duplicates{} }},
		{"bots", func(s *checkpoint.Settings) { s.Bots = checkpoint.Bots{} }},
	} {
		adds := all - perEvent(normal, c.without)
		fmt.Fprintf(t.Output(), "  %-28s %+.3f\n", c.name, adds)
		if raw := adds > 0.99 && adds < 1.01; raw != (c.name == rawEvents) || adds < -0.01 { // Where steps are cut differs a little.
			t.Errorf("%s adds %.3f write units an event; raw events alone add 1", c.name, adds)
		}
	}
	sessionless := normal
	sessionless.sessionless = true
	with := perEvent(sessionless, nothing)
	fmt.Fprintf(t.Output(), "without session ids: %.3f\n", with)
	fmt.Fprintf(t.Output(), "  %-28s %+.3f\n", "visits", with-perEvent(sessionless, func(s *checkpoint.Settings) { s.VisitGapMs = 0 }))
}
