package capacity

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
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

// perMillion is a price by a million events; nil where there are none.
func perMillion(dollars, events float64) *float64 {
	if events <= 0 {
		return nil
	}
	dollars /= events / 1e6
	return &dollars
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

// PrintCost shows a report to people.
func PrintCost(out io.Writer, r CostReport) error {
	for _, p := range r.Processes {
		fmt.Fprintf(out, "%s: %.0f s from %s\n", p.URL, p.Seconds, p.From.Format(time.RFC3339))
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "write units/s\tread units/s\tevents/s\tdollars/month\tper million events\tshare\t  site\t")
	line := func(name string, c SiteCost) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\t%.1f %%\t  %s\t\n", rate(c.Writes), rate(c.Reads), rate(c.Events), c.Dollars,
			millionth(c.PerMillion), 100*c.Share, name)
	}
	for _, c := range r.Sites {
		line(clean(c.Site), c)
	}
	line("(checkpoints and settings)", r.Table)
	if r.Others.Writes+r.Others.Reads > 0 {
		line("(sites beyond the dearest of each process)", r.Others)
	}
	line("total", r.Total)
	if err := w.Flush(); err != nil {
		return err
	}
	if r.More > 0 {
		fmt.Fprintf(out, "There are %d more sites: repeat with a higher --limit.\n", r.More)
	}
	if r.AtMostMore > 0 {
		fmt.Fprintf(out, "A site costs at most %.2f dollars a month more than its line says; a site without a line costs that at most.\n",
			r.AtMostMore)
	}
	fmt.Fprintln(out, "\nBy kind of item, of all sites:")
	if err := printKinds(out, r.Total); err != nil {
		return err
	}
	return printUnmetered(out)
}

// PrintSiteCost shows what one site costs, of a report that lists all sites.
func PrintSiteCost(out io.Writer, r CostReport, site string) error {
	c := r.Of(site)
	if c == nil {
		fmt.Fprintf(out, "The meters of %d processes have no row of this site: it costs at most %.2f dollars a month.\n", len(r.Processes),
			r.AtMostMore)
		return printUnmetered(out)
	}
	fmt.Fprintf(out, "Cost by the meters of %d processes: %.2f dollars a month, %s a million events, %.1f %% of all.\n", len(r.Processes),
		c.Dollars, millionth(c.PerMillion), 100*c.Share)
	if r.AtMostMore > 0 {
		fmt.Fprintf(out, "It costs at most %.2f dollars a month more than that.\n", r.AtMostMore)
	}
	if err := printKinds(out, *c); err != nil {
		return err
	}
	return printUnmetered(out)
}

// printKinds shows what kinds of items cost.
func printKinds(out io.Writer, c SiteCost) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "write units/s\tread units/s\tdollars/month\tper million events\tshare\t  kind\t")
	for _, k := range c.Kinds {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%.1f %%\t  %s\t\n", rate(k.Writes), rate(k.Reads), k.Dollars, millionth(k.PerMillion), 100*k.Share,
			k.Kind)
	}
	return w.Flush()
}

func printUnmetered(out io.Writer) error {
	fmt.Fprint(out, "Not on these meters: ")
	for i, what := range Unmetered {
		if i > 0 {
			fmt.Fprint(out, "; ")
		}
		fmt.Fprint(out, what)
	}
	_, err := fmt.Fprintf(out, ".\nDollars: on demand, %s.\n", PricesFrom)
	return err
}

// millionth spells dollars by a million events; a dash where there are none.
func millionth(dollars *float64) string {
	if dollars == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *dollars)
}
