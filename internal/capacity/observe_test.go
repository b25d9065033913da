package capacity

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// TestMetersAreThoseOfThePipeline reads what a pipeline's metrics look like when they are scraped.
func TestMetersAreThoseOfThePipeline(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := pipeline.NewMetrics(registry)
	started := prometheus.NewGauge(prometheus.GaugeOpts{Name: "process_start_time_seconds"})
	registry.MustRegister(started)
	started.Set(1_778_594_400.25)
	m.Units.WithLabelValues(sinks.EntitySession).Add(15)
	m.Writes.WithLabelValues(sinks.EntitySession).Add(10)
	m.Units.WithLabelValues(sinks.EntityCheckpoint).Add(3)
	m.Records.WithLabelValues("counted").Add(100)
	m.Records.WithLabelValues("redone").Add(7)
	m.ReadUnits.Add(8)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Unix(1_778_594_500, 0)
	have, err := ReadMeters(strings.NewReader(text.String()), at)
	if err != nil || !have.At.Equal(at) || have.Started.UnixMilli() != 1_778_594_400_250 || have.Events != 100 || have.Reads != 8 ||
		have.Units[sinks.EntitySession] != 15 || have.Writes[sinks.EntitySession] != 10 || have.Units[sinks.EntityCheckpoint] != 3 {
		t.Errorf("meters %+v, %v, of\n%s", have, err, &text)
	}
	for _, other := range []string{"", "up 1\n", "not metrics"} {
		if m, err := ReadMeters(strings.NewReader(other), at); err == nil {
			t.Errorf("meters of %q: %+v, want an error", other, m)
		}
	}
}

func meters(at time.Time, units, events float64) Meters {
	return Meters{At: at, Started: start, Units: map[string]float64{"Session": units}, Writes: map[string]float64{"Session": units / 2},
		Reads: units / 4, Events: events}
}

var start = time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)

func TestObservedProcessesAddUp(t *testing.T) {
	minute := start.Add(time.Minute)
	spent := Spent{From: minute, To: minute.Add(heatWindow), Sites: []SiteSpent{{"dear.example", 600, 10, 300, spentOn("Session", 600, 10)}}}
	p, err := Observe(Metered{Readings: []Reading{
		{"http://a", Meters{}, meters(start.Add(1000*time.Second), 1000, 500)},                       // A unit a second since its start.
		{"http://b", meters(minute, 5000, 0), meters(minute.Add(100*time.Second), 5000+300, 0+1000)}, // Three a second now.
	}, Stored: sinks.Description{Items: 7, Bytes: 1 << 30}, Keys: []HotRate{{PK: "K", Units: 900, AtMost: 900, Share: 0.9}},
		Spent: []SpentOf{{"http://a", spent}}}, 1, DefaultPrices())
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Items) != 1 || p.Items[0].Entity != "Session" {
		t.Fatalf("items %+v", p.Items)
	}
	near(t, "units a day", p.Total.Units, 4*daySeconds, 1e-9)
	near(t, "writes a day", p.Total.Writes, 2*daySeconds, 1e-9)
	near(t, "units a write", p.Items[0].UnitsAWrite, 2, 1e-9)
	near(t, "read units a day", p.Total.ReadUnits, daySeconds, 1e-9)
	near(t, "events a day", p.Observed.EventsPerDay, 10.5*daySeconds, 1e-9)
	near(t, "the peak", p.Peak.Table, 4, 1e-6)
	near(t, "dollars for storage", p.Dollars.Storage, 0.25, 1e-9)
	near(t, "dollars of all items, by a million events", *p.Total.PerMillion, p.Dollars.OnDemand/(10.5*monthSeconds/1e6), 1e-9)
	near(t, "dollars of sessions", p.Items[0].Dollars, monthDays*4*0.625*daySeconds/1e6, 1e-9)
	near(t, "dollars of a site a million events", *p.Cost.Sites[0].PerMillion, (600*0.625+10*0.125)/300, 1e-9)
	near(t, "dollars on demand", p.Dollars.OnDemand, 0.25+monthDays*(4*0.625+0.125)*daySeconds/1e6, 1e-9)
	var text strings.Builder
	if err := Print(&text, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Session", "Measured from 2 processes", "was observed for 100 s only", "Key K takes 900",
		"907,200 events a day", "dear.example",
		"Not included"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &text)
		}
	}
}

func TestWhatCannotBeObservedIsSaid(t *testing.T) {
	later := start.Add(time.Hour)
	restarted := meters(later, 10, 10)
	restarted.Started = start.Add(time.Minute)
	unknown := meters(later, 10, 10)
	unknown.Started = time.Time{}
	for want, r := range map[string]Reading{
		"http://x: it was started again": {"http://x", meters(start.Add(time.Second), 5, 5), restarted},
		"read its metrics twice":         {"http://x", Meters{}, unknown},
		"no time has passed":             {"http://x", meters(later, 5, 5), meters(later, 6, 6)},
	} {
		if _, err := Observe(Metered{Readings: []Reading{r}}, 2, DefaultPrices()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Observe = %v, want %q", err, want)
		}
	}
}
