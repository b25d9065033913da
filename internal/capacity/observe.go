package capacity

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/footfall/footfall/sinks"
)

// Meters are what a process's /metrics say of its writes and reads since it began, as of an instant.
type Meters struct {
	At, Started   time.Time          // Started is zero where the process does not tell
	Units, Writes map[string]float64 // by entity type
	Reads         float64            // read units
	Events        float64            // counted
}

// ReadMeters reads the text of /metrics, as of an instant. One that is not of footfall run is an error.
func ReadMeters(text io.Reader, at time.Time) (Meters, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return Meters{}, err
	}
	units, ok := families["footfall_consumed_read_units_total"] // Since this version, and there from the start.
	if !ok {
		return Meters{}, fmt.Errorf("there is no footfall_consumed_read_units_total among %d metrics", len(families))
	}
	m := Meters{At: at, Units: byLabel(families["footfall_consumed_write_units_total"]), Writes: byLabel(families["footfall_writes_total"]),
		Events: byLabel(families["footfall_records_total"])["counted"]}
	for _, x := range units.GetMetric() {
		m.Reads += x.GetCounter().GetValue()
	}
	for _, x := range families["process_start_time_seconds"].GetMetric() {
		m.Started = time.UnixMilli(int64(1000 * x.GetGauge().GetValue()))
	}
	return m, nil
}

// byLabel reads a counter with one label, by the label's values.
func byLabel(f *dto.MetricFamily) map[string]float64 {
	values := make(map[string]float64)
	for _, x := range f.GetMetric() {
		for _, l := range x.GetLabel() {
			values[l.GetValue()] += x.GetCounter().GetValue()
		}
	}
	return values
}

// since returns what the process has written and read a second, by entity, between an earlier reading and this one; the
// zero Meters stands for the process's start. That it was started again in between is an error, and so is no time at all.
func (m Meters) since(before Meters) (u usage, err error) {
	from := before.At
	if from.IsZero() {
		from = m.Started
	}
	switch {
	case from.IsZero():
		return u, errors.New("it does not report its start time: read its metrics twice, with --over")
	case !m.Started.Equal(before.Started) && !before.At.IsZero():
		return u, fmt.Errorf("it was started again at %s: ask once more", m.Started.UTC().Format(time.RFC3339))
	case !m.At.After(from):
		return u, fmt.Errorf("no time has passed between %s and %s", from.Format(time.RFC3339), m.At.Format(time.RFC3339))
	}
	u.seconds = m.At.Sub(from).Seconds()
	u.units, u.writes = make(map[string]float64), make(map[string]float64)
	for entity, n := range m.Units {
		u.units[entity] = (n - before.Units[entity]) / u.seconds
		u.writes[entity] = (m.Writes[entity] - before.Writes[entity]) / u.seconds
	}
	u.reads, u.events = (m.Reads-before.Reads)/u.seconds, (m.Events-before.Events)/u.seconds
	return u, nil
}

// usage is what a process writes and reads a second.
type usage struct {
	seconds       float64
	units, writes map[string]float64
	reads, events float64
}

// A Reading is the meters of one process, read twice, or once with a zero Before.
type Reading struct {
	URL           string
	Before, After Meters
}

// Metered is what running processes and their table report.
type Metered struct {
	Readings []Reading
	Stored   sinks.Description // the table as it is
	Keys     []HotRate         // the hottest
	Spent    []SpentOf
}

// costSites is how many sites an observed plan lists.
const costSites = 5

// Observe makes a plan of what processes have metered, as if each day were like that, the busiest four hours at peak times the mean.
func Observe(m Metered, peak float64, p Prices) (Plan, error) {
	readings, stored := m.Readings, m.Stored
	plan := Plan{Observed: &Observed{Processes: len(readings), Peak: peak}, Items: []Item{}, Notes: []string{},
		Limits: Limits{Early: []Early{}}}
	cost := ReportCost(m.Spent, p, costSites)
	plan.Cost = &cost
	o := plan.Observed
	byEntity := make(map[string]Item)
	reads, shortest := 0.0, time.Duration(1<<62)
	for _, r := range readings {
		u, err := r.After.since(r.Before)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", r.URL, err)
		}
		for entity := range u.units {
			it := byEntity[entity]
			it.Units += u.units[entity] * daySeconds
			it.Writes += u.writes[entity] * daySeconds
			byEntity[entity] = it
		}
		reads += u.reads * daySeconds
		o.EventsPerDay += u.events * daySeconds
		o.Seconds += u.seconds / float64(len(readings))
		shortest = min(shortest, time.Duration(u.seconds*float64(time.Second)))
	}
	for _, entity := range slices.Sorted(maps.Keys(byEntity)) {
		it := byEntity[entity]
		if it.Units == 0 {
			continue
		}
		it.Item, it.Entity, it.UnitsAWrite = entity, entity, ratio(it.Units, it.Writes)
		plan.add(it)
	}
	plan.Total.Item, plan.Total.ReadUnits = "all", reads
	plan.Total.Stored, plan.Total.Bytes = float64(stored.Items), float64(stored.Bytes)
	plan.price(p)
	plan.priceItems(p, o.EventsPerDay)
	for _, k := range m.Keys {
		plan.Limits.Keys = append(plan.Limits.Keys, Key{PK: k.PK, Units: k.Units, Share: k.Share})
	}
	plan.Notes = o.notes(shortest)
	return plan, nil
}

// price tells the peak of a day of the plan's total, and the dollars.
func (p *Plan) price(prices Prices) {
	var hours []Rates
	for _, l := range dayLevels(p.Observed.Peak) {
		hour := Rates{Table: p.Total.Units * l.hourly / hourSeconds, Reads: p.Total.ReadUnits * l.hourly / hourSeconds}
		for range l.hours {
			hours = append(hours, hour)
		}
	}
	p.Peak, p.Limits.Mean = hours[0], meanOf(hours)
	p.Limits.quota(p.Peak)
	p.Dollars = prices.dollars(p.Total, hours)
}

// enough is how long meters should have run to tell a rate: a few steps of the stats lane.
const enough = 5 * time.Minute

func (o *Observed) notes(shortest time.Duration) []string {
	notes := []string{
		fmt.Sprintf("Measured from %d processes over %.0f s on average. The estimate assumes that each day is like this, with the busiest "+
			"four hours at %g times the mean.", o.Processes, o.Seconds, o.Peak),
		"Units of indexes are in those of each item. What is stored is the table as it stands, by its own count; by item it is not known.",
	}
	if shortest < enough {
		notes = append(notes, fmt.Sprintf("One of them was observed for %.0f s only: flushes come once a minute by default, so its rates are "+
			"rough.", shortest.Seconds()))
	}
	return notes
}
