package capacity

import (
	"math"

	"github.com/footfall/footfall/sinks"
)

// A Plan is what a workload comes to. Days are average days, months are of 30.4 days.
type Plan struct {
	Workload   *Workload `json:"workload"` // null: observed
	Observed   *Observed `json:"observed"` // null: planned
	Items      []Item    `json:"items"`
	Total      Item      `json:"total"`
	Peak       Rates     `json:"peak"` // of the busiest four hours
	Limits     Limits    `json:"limits"`
	Duplicates *Window   `json:"duplicates"`       // null: there is no window, or it was not planned
	Packed     *Packed   `json:"packed,omitempty"` // null: raw events are not packed
	Dollars    Dollars   `json:"dollarsPerMonth"`
	// by site and kind, of the last five minutes; null: planned
	Cost    *CostReport `json:"cost"`
	Members *Members    `json:"members"` // null: observed
	Readers *Readers    `json:"readers"` // null: observed
	Notes   []string    `json:"notes"`
}

// An Item says what items of a type take.
type Item struct {
	Item        string  `json:"item"`   // as in the catalogue
	Entity      string  `json:"entity"` // as in the metrics' label kind
	Writes      float64 `json:"writesPerDay"`
	UnitsAWrite float64 `json:"unitsPerWrite"` // indexes included
	Units       float64 `json:"writeUnitsPerDay"`
	IndexUnits  float64 `json:"indexWriteUnitsPerDay"` // of these
	ReadUnits   float64 `json:"readUnitsPerDay"`
	Stored      float64 `json:"itemsStored"` // once their retention has filled
	Bytes       float64 `json:"bytesStored"` // as billed, indexes included
	IndexBytes  float64 `json:"indexBytesStored"`
	// on demand, with what is stored. Of an observed item storage is in the total alone.
	Dollars    float64  `json:"dollarsPerMonth"`
	PerMillion *float64 `json:"dollarsPerMillionEvents"` // null: there are no events
}

// Rates are units a second, on average over the hours that they are of.
type Rates struct {
	Table float64 `json:"table"` // write units
	GSI1  float64 `json:"gsi1"`
	Reads float64 `json:"reads"` // read units, of the table
}

// Make plans for a workload, which must be valid. It takes up to some seconds.
func Make(w Workload, p Prices) Plan {
	plan := Plan{Workload: &w, Items: []Item{}, Duplicates: w.window(), Packed: w.packed(), Notes: w.notes()}
	all := make(book)
	var hours []Rates
	for i, span := range w.day() {
		all.add(span.hour, float64(span.hours))
		for range span.hours {
			hours = append(hours, ratesOf(span.hour))
		}
		if i == 0 {
			plan.Peak = hours[0]
			plan.Limits = w.limits(span.busiest, plan.Peak)
			plan.Limits.Early = append(plan.Limits.Early, span.early...)
			members := w.members(span.hour, w.EventsPerDay*dayLevels(w.Peak)[0].hourly, plan.Limits)
			plan.Members = &members
		}
	}
	plan.Limits.Mean = meanOf(hours)
	plan.Packed.fewer(&w, w.busiestHourly(), plan.Limits.ShardsNeeded)
	all.add(w.daily(all), 1)
	for _, item := range items {
		if f := all[item]; f != nil && (f.writes > 0 || f.made > 0) {
			plan.add(itemOf(item, f, w.kept(item)))
		}
	}
	plan.Dollars = p.dollars(plan.Total, hours)
	plan.priceItems(p, w.EventsPerDay)
	readers := w.readers(all, p)
	plan.Readers = &readers
	return plan
}

// add adds an item to the plan and to its total.
func (p *Plan) add(it Item) {
	p.Items = append(p.Items, it)
	t := &p.Total
	t.Item = "all"
	t.Writes += it.Writes
	t.Units += it.Units
	t.IndexUnits += it.IndexUnits
	t.ReadUnits += it.ReadUnits
	t.Stored += it.Stored
	t.Bytes += it.Bytes
	t.IndexBytes += it.IndexBytes
	t.UnitsAWrite = ratio(t.Units, t.Writes)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// itemOf is what a day's figures come to, where items are kept so many days.
func itemOf(item string, f *figures, kept float64) Item {
	it := Item{Item: item, Writes: f.writes, Units: f.total(), IndexUnits: f.units[sinks.GSI1],
		ReadUnits: f.reads, UnitsAWrite: ratio(f.total(), f.writes), Stored: f.made * kept, Bytes: (f.bytes + f.index) * kept,
		IndexBytes: f.index * kept}
	for _, t := range sinks.Catalogue() {
		if t.Name == item {
			it.Entity = t.Entity
		}
	}
	return it
}

// ratesOf are the rates of an hour.
func ratesOf(hour book) (r Rates) {
	for _, item := range items { // In one order: sums of floats depend on it.
		f := hour[item]
		if f == nil {
			continue
		}
		r.Table += f.units[sinks.Base] / hourSeconds
		r.GSI1 += f.units[sinks.GSI1] / hourSeconds
		r.Reads += f.reads / hourSeconds
	}
	return r
}

// meanOf is the mean of the rates of hours.
func meanOf(hours []Rates) (mean Rates) {
	for _, h := range hours {
		mean.Table += h.Table / float64(len(hours))
		mean.GSI1 += h.GSI1 / float64(len(hours))
		mean.Reads += h.Reads / float64(len(hours))
	}
	return mean
}

// span is some hours of a day that are alike.
type span struct {
	hours   int
	hour    book // of all sites
	busiest book // of the busiest site alone
	early   []Early
}

// day is the day in six spans of four hours, those that are alike together, the busiest first.
func (w *Workload) day() []span {
	levels := dayLevels(w.Peak)
	if w.Peak == 1 {
		levels = []level{{24, 1.0 / 24}}
	}
	var day []span
	for _, l := range levels {
		all, busiest, early := w.hour(w.EventsPerDay * l.hourly)
		day = append(day, span{l.hours, all, busiest, early})
	}
	return day
}

// level is a span's hours, and what each of them has of the day's events.
type level struct {
	hours  int
	hourly float64
}

// dayLevels are those of a day, given the busiest over the mean: the first of six spans of four hours is the busiest, and the
// others lie beside it two by two.
func dayLevels(peak float64) []level {
	s := dayShares(peak)
	return []level{{4, s[0] / 4}, {8, s[1] / 4}, {8, s[2] / 4}, {4, s[3] / 4}}
}

// hour is an hour with a number of events: of all sites, of the busiest, and which of its flushes end early.
func (w *Workload) hour(events float64) (all, busiest book, early []Early) {
	all = make(book)
	rates, sites := []float64{events / float64(w.Sites)}, []float64{float64(w.Sites)}
	if w.Largest > 0 {
		rates, sites = []float64{events * w.Largest}, []float64{1}
		if others := float64(w.Sites - 1); others > 0 && w.Largest < 1 {
			rates, sites = append(rates, events*(1-w.Largest)/others), append(sites, others)
		}
	}
	books, common, early := w.under(rates, sites)
	for i := range books {
		all.add(books[i], sites[i])
	}
	w.checkpoints(all, events, common)
	return all, books[0], early
}

// under rehearses an hour of the busiest site and one of each other, as flushes end in their partitions. common are the ends in most
// partitions, early those of the partitions that have the busiest site.
func (w *Workload) under(rates, sites []float64) (books []book, common ends, early []Early) {
	var drawn []rehearsal
	as := func(i int) *Workload {
		if i == 0 {
			return w.busiest()
		}
		return w
	}
	for i, rate := range rates {
		drawn = append(drawn, as(i).rehearseUnder(rate, never))
	}
	for i := range rates {
		var grown growths // of a partition that has the site
		for other := range rates {
			n := sites[other] * float64(as(other).spread()) / float64(w.Partitions) // of the partitions that a site's events lie in
			if i == other {
				n = max(1, n)
			}
			grown.add(&drawn[other].growths, n)
		}
		e := w.ends(&grown)
		if len(e.early) > 0 || e.calm {
			drawn[i] = as(i).rehearseUnder(rates[i], e)
		}
		if i == 0 {
			early = e.early
		}
		books, common = append(books, drawn[i].book), e
	}
	return books, common, early
}

// dayShares are what the first four of six spans have of the day's events, given the busiest over the mean. Their
// logarithms are a cosine, so that a high peak leaves something for the night.
func dayShares(peak float64) (shares [4]float64) {
	least, most := 0.0, 100.0
	for range 60 { // Bisection: the share of the busiest grows with k.
		k := (least + most) / 2
		if shares = cosineShares(k); 6*shares[0] < peak {
			least = k
		} else {
			most = k
		}
	}
	return shares
}

func cosineShares(k float64) (shares [4]float64) {
	sum := 0.0
	for i := range 6 {
		x := math.Exp(k * (math.Cos(float64(i)*math.Pi/3) - 1))
		sum += x
		if i < len(shares) {
			shares[i] = x
		}
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
