package capacity

import (
	"cmp"
	"slices"
	"time"
)

// SpentOf is what was asked of a process.
type SpentOf struct {
	URL string
	Spent
}

// A CostReport says what the sites cost that several processes serve, together.
type CostReport struct {
	Processes []CostWindow `json:"processes"`
	Prices    Prices       `json:"prices"`
	Sites     []SiteCost   `json:"sites"` // the dearest first
	More      int          `json:"more"`  // sites after the last one
	Table     SiteCost     `json:"table"` // the table's own items: checkpoints, histories, settings
	Others    SiteCost     `json:"others"`
	Total     SiteCost     `json:"total"`
	// What a site costs at most beside what is listed of it.
	AtMostMore float64  `json:"atMostMoreDollarsPerMonth"`
	Unmetered  []string `json:"unmetered"` // what costs and is in no figure
}

// Unmetered is what costs and is on no meter of a process.
var Unmetered = []string{"storage", "questions of readers, and other commands than run", "writes and reads whose answers were lost",
	"point-in-time recovery, backups and streams", "Kafka and the processes"}

// A CostWindow is a process that was asked, and the span that its figures are of.
type CostWindow struct {
	URL     string    `json:"url"`
	From    time.Time `json:"from"`
	Seconds float64   `json:"seconds"`
}

// SiteCost is what a site consumes, and what a month at this rate costs on demand, storage left out.
type SiteCost struct {
	Site    string  `json:"site"`
	Writes  float64 `json:"writeUnitsPerSecond"`
	Reads   float64 `json:"readUnitsPerSecond"`
	Events  float64 `json:"eventsPerSecond"`
	Dollars float64 `json:"dollarsPerMonth"`
	Share   float64 `json:"shareOfCost"` // 0 to 1
	// null: no event was counted
	PerMillion *float64   `json:"dollarsPerMillionEvents"`
	Kinds      []KindCost `json:"kinds"` // the dearest first
}

// KindCost is what the items of a kind consume and cost. PerMillion is of all events of the site.
type KindCost struct {
	Kind       string   `json:"kind"`
	Writes     float64  `json:"writeUnitsPerSecond"`
	Reads      float64  `json:"readUnitsPerSecond"`
	Dollars    float64  `json:"dollarsPerMonth"`
	Share      float64  `json:"shareOfCost"`
	PerMillion *float64 `json:"dollarsPerMillionEvents"`
}

func (c *SiteCost) add(s SiteSpent, seconds float64) {
	c.Writes += s.WriteUnits / seconds
	c.Reads += s.ReadUnits / seconds
	c.Events += float64(s.Events) / seconds
	for _, k := range s.Kinds {
		i := slices.IndexFunc(c.Kinds, func(has KindCost) bool { return has.Kind == k.Kind })
		if i < 0 {
			i = len(c.Kinds)
			c.Kinds = append(c.Kinds, KindCost{Kind: k.Kind})
		}
		c.Kinds[i].Writes += k.WriteUnits / seconds
		c.Kinds[i].Reads += k.ReadUnits / seconds
	}
}

// monthSeconds are those of an average month.
const monthSeconds = daySeconds * monthDays

// perSecond is what a second of these units costs a month.
func (p Prices) perSecond(writes, reads float64) float64 {
	return monthSeconds * (writes*p.WriteMillion + reads*p.ReadMillion) / 1e6
}

// Hour is what these units a second cost an hour.
func (p Prices) Hour(writes, reads float64) float64 {
	return p.perSecond(writes, reads) / monthSeconds * 3600
}

// price completes the costs, as shares of all.
func (c *SiteCost) price(p Prices, all float64) {
	c.Dollars = p.perSecond(c.Writes, c.Reads)
	c.Share, c.PerMillion = ratio(c.Dollars, all), perMillion(c.Dollars, c.Events*monthSeconds)
	if c.Kinds == nil {
		c.Kinds = []KindCost{}
	}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		k.Dollars = p.perSecond(k.Writes, k.Reads)
		k.Share, k.PerMillion = ratio(k.Dollars, c.Dollars), perMillion(k.Dollars, c.Events*monthSeconds)
	}
	slices.SortFunc(c.Kinds, func(a, b KindCost) int { return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Kind, b.Kind)) })
}

// ReportCost adds up what processes report, and prices it. limit is the number of sites to list.
func ReportCost(of []SpentOf, prices Prices, limit int) CostReport {
	r := CostReport{Processes: []CostWindow{}, Prices: prices, Sites: []SiteCost{}, Unmetered: Unmetered}
	sites := make(map[string]*SiteCost)
	for _, p := range of {
		seconds := max(1, p.To.Sub(p.From).Seconds())
		r.Processes = append(r.Processes, CostWindow{p.URL, p.From, seconds})
		for _, s := range p.Sites {
			if sites[s.Site] == nil {
				sites[s.Site] = &SiteCost{Site: s.Site}
			}
			sites[s.Site].add(s, seconds)
			r.Total.add(s, seconds)
		}
		r.Others.add(p.Others, seconds)
		r.Total.add(p.Others, seconds)
		r.AtMostMore += prices.perSecond(p.Floor/seconds, 0)
	}
	r.Total.price(prices, prices.perSecond(r.Total.Writes, r.Total.Reads))
	r.Others.price(prices, r.Total.Dollars)
	r.Table.Kinds = []KindCost{}
	for site, c := range sites {
		c.price(prices, r.Total.Dollars)
		if site == "" {
			r.Table = *c
			continue
		}
		r.Sites = append(r.Sites, *c)
	}
	slices.SortFunc(r.Sites, func(a, b SiteCost) int { return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Site, b.Site)) })
	if n := len(r.Sites); n > limit {
		r.Sites, r.More = r.Sites[:limit], n-limit
	}
	return r
}

// Of returns what a site costs, of a report that lists all sites; nil: no process has a row of it.
func (r *CostReport) Of(site string) *SiteCost {
	i := slices.IndexFunc(r.Sites, func(c SiteCost) bool { return c.Site == site })
	if i < 0 {
		return nil
	}
	return &r.Sites[i]
}
