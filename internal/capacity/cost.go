package capacity

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Spent is what a process reports of the units that its sites have consumed: in the last window that is over, or in the
// first while it lasts.
type Spent struct {
	From  time.Time   `json:"from"`
	To    time.Time   `json:"to"`
	Sites []SiteSpent `json:"sites"`
	// What sites that are not listed have consumed together.
	Others SiteSpent `json:"others"`
}

// SiteSpent is what the items of a site have consumed: at least so much. The overcount of a site that shares its row
// with others is left out.
type SiteSpent struct {
	Site       string  `json:"site"` // "": items of the table itself, such as checkpoints
	WriteUnits float64 `json:"writeUnits"`
	ReadUnits  float64 `json:"readUnits"`
}

// siteOf is the name under which an item's units are counted; "" for items of the table itself.
func siteOf(key sinks.Key) string {
	site, _ := sinks.SiteOf(key)
	return site
}

// addRead counts units that were read of an item, or of a partition key.
func (h *Heat) addRead(key sinks.Key, units float64) {
	n := uint64(math.Round(2 * units)) // An eventually consistent read of 4 KB has half a unit.
	site := siteOf(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(h.now())
	h.window.read.AddTimes(site, n)
}

// Spent returns the units by site.
func (h *Heat) Spent() Spent {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.over()
	sites := make(map[string]*SiteSpent)
	of := func(site string) *SiteSpent {
		if sites[site] == nil {
			sites[site] = &SiteSpent{Site: site}
		}
		return sites[site]
	}
	s := Spent{From: w.from.UTC(), To: w.to.UTC(), Sites: []SiteSpent{}}
	s.Others.WriteUnits, s.Others.ReadUnits = float64(w.written.Other()), float64(w.read.Other())/2
	for _, row := range w.written.Rows() {
		of(row.Value).WriteUnits = float64(row.Count)
	}
	for _, row := range w.read.Rows() {
		of(row.Value).ReadUnits = float64(row.Count) / 2
	}
	for _, one := range sites {
		s.Sites = append(s.Sites, *one)
	}
	slices.SortFunc(s.Sites, func(a, b SiteSpent) int { return cmp.Compare(a.Site, b.Site) })
	return s
}

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
}

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
	Dollars float64 `json:"dollarsPerMonth"`
	Share   float64 `json:"shareOfCost"` // 0 to 1
}

func (c *SiteCost) add(s SiteSpent, seconds float64) {
	c.Writes += s.WriteUnits / seconds
	c.Reads += s.ReadUnits / seconds
}

// ReportCost adds up what processes report, and prices it. limit is the number of sites to list.
func ReportCost(of []SpentOf, prices Prices, limit int) CostReport {
	r := CostReport{Processes: []CostWindow{}, Prices: prices, Sites: []SiteCost{}}
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
	}
	const month = 86_400 * monthDays
	price := func(c *SiteCost) {
		c.Dollars = month * (c.Writes*prices.WriteMillion + c.Reads*prices.ReadMillion) / 1e6
		if r.Total.Dollars > 0 {
			c.Share = c.Dollars / r.Total.Dollars
		}
	}
	price(&r.Total)
	price(&r.Total) // Its own share.
	price(&r.Others)
	for site, c := range sites {
		price(c)
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

// PrintCost shows a report to people.
func PrintCost(out io.Writer, r CostReport) error {
	for _, p := range r.Processes {
		fmt.Fprintf(out, "%s: %.0f s from %s\n", p.URL, p.Seconds, p.From.Format(time.RFC3339))
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "write units/s\tread units/s\tdollars/month\tshare\t  site\t")
	line := func(name string, c SiteCost) {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.1f %%\t  %s\t\n", rate(c.Writes), rate(c.Reads), c.Dollars, 100*c.Share, name)
	}
	for _, c := range r.Sites {
		line(clean(c.Site), c)
	}
	line("(checkpoints and settings)", r.Table)
	if r.Others != (SiteCost{}) {
		line("(sites beyond the busiest of each process)", r.Others)
	}
	line("total", r.Total)
	if err := w.Flush(); err != nil {
		return err
	}
	if r.More > 0 {
		fmt.Fprintf(out, "There are %d more sites: repeat with a higher --limit.\n", r.More)
	}
	_, err := fmt.Fprintf(out, "Dollars: on demand, storage left out, %s.\n", PricesFrom)
	return err
}

func (w watched) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := w.Table.Query(ctx, q)
	w.heat.addRead(sinks.Key{PK: q.PK}, page.Units)
	return page, err
}

// BatchGet shares the units of a batch out evenly among the items that were read: the answer has their sum alone.
func (w watched) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := w.Table.BatchGet(ctx, g)
	if n := len(g.Keys) - len(r.Left); n > 0 && r.Units > 0 {
		left := make(map[sinks.Key]bool, len(r.Left))
		for _, k := range r.Left {
			left[k] = true
		}
		for _, k := range g.Keys {
			if !left[k] {
				w.heat.addRead(k, r.Units/float64(n))
			}
		}
	}
	return r, err
}
