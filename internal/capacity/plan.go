package capacity

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

// Observed says what a plan was observed from.
type Observed struct {
	Processes    int     `json:"processes"`
	Seconds      float64 `json:"seconds"` // on average, over which their meters were read
	Peak         float64 `json:"peak"`    // taken for the busiest four hours over the mean
	EventsPerDay float64 `json:"eventsPerDay"`
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

// priceItems says what each item costs on demand.
func (p *Plan) priceItems(prices Prices, eventsPerDay float64) {
	price := func(it *Item) {
		it.Dollars = it.Bytes/gb*prices.StorageGB + monthDays*(it.Units*prices.WriteMillion+it.ReadUnits*prices.ReadMillion)/1e6
		it.PerMillion = perMillion(it.Dollars, eventsPerDay*monthDays)
	}
	for i := range p.Items {
		price(&p.Items[i])
	}
	price(&p.Total)
}
