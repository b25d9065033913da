package capacity

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/footfall/footfall/sinks"
)

// A HotReport says which partition keys several processes write most, together.
type HotReport struct {
	Processes []Process `json:"processes"`
	Site      string    `json:"site,omitempty"`   // the report is about this site alone
	Shards    []HotRate `json:"shards,omitempty"` // of the site, by number
	// The busiest shard over the mean of them, 1 where all are alike; 0: nothing was written to any, or of no site.
	Unevenness float64   `json:"unevenness"`
	Keys       []HotRate `json:"keys"`         // the hottest first; of a site, those that are not its shards
	More       int       `json:"more"`         // keys after the last one
	Others     float64   `json:"othersAtMost"` // write units a second of a key that no process tells
}

// A Process is one that was asked.
type Process struct {
	URL     string  `json:"url"`
	From    string  `json:"from"` // of its window, RFC 3339
	Seconds float64 `json:"seconds"`
	Units   float64 `json:"writeUnitsPerSecond"`
}

// A HotRate is what is written under a partition key.
type HotRate struct {
	PK     string  `json:"pk"`
	Units  float64 `json:"writeUnitsPerSecond"` // at least
	AtMost float64 `json:"atMost"`
	Share  float64 `json:"shareOfLimit"` // of Units: 1 at 1,000 a second
}

// HotOf is what was asked of a process.
type HotOf struct {
	URL string
	Hot
}

// rates adds up what processes write: by key at least, and what each may have at most where a process does not tell.
type rates struct {
	least, more map[string]float64 // by key
	missing     float64            // of a key that no process tells
}

func ratesByKey(of []HotOf) rates {
	r := rates{make(map[string]float64), make(map[string]float64), 0}
	for _, p := range of {
		r.missing += p.perSecond(p.Floor)
	}
	for _, p := range of {
		for _, k := range p.Keys {
			if _, ok := r.more[k.PK]; !ok {
				r.more[k.PK] = r.missing
			}
			r.least[k.PK] += p.perSecond(k.Units)
			r.more[k.PK] += p.perSecond(k.Error) - p.perSecond(p.Floor)
		}
	}
	return r
}

// perSecond is a rate in the window. A window of less than a second counts as one.
func (h *Hot) perSecond(units uint64) float64 {
	return float64(units) / max(1, h.To.Sub(h.From).Seconds())
}

func (r *rates) of(pk string) HotRate {
	more, ok := r.more[pk]
	if !ok {
		more = r.missing
	}
	least := r.least[pk]
	return HotRate{pk, least, least + more, least / keyUnits}
}

// ReportHot reports the hottest keys of all sites, as many as limit.
func ReportHot(of []HotOf, limit int) HotReport {
	r := ratesByKey(of)
	report := HotReport{Processes: processes(of), Keys: []HotRate{}, Others: r.missing}
	for pk := range r.least {
		report.Keys = append(report.Keys, r.of(pk))
	}
	slices.SortFunc(report.Keys, func(a, b HotRate) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.PK, b.PK)) })
	if n := len(report.Keys); n > limit {
		report.Keys, report.More = report.Keys[:limit], n-limit
	}
	return report
}

// ReportSite reports how evenly a site's shards are written, and how much its other keys are. keys name the live generation of items. Raw
// events of a later generation than the first have shards of their own, which are among the other keys.
func ReportSite(of []HotOf, keys sinks.Keys, site string, shards int) HotReport {
	r := ratesByKey(of)
	report := HotReport{Processes: processes(of), Site: site, Others: r.missing}
	sum, most := 0.0, 0.0
	for nn := range shards {
		rate := r.of(keys.Shard(site, nn))
		sum, most = sum+rate.Units, max(most, rate.Units)
		report.Shards = append(report.Shards, rate)
		if raw := sinks.RawShard(site, nn); raw != rate.PK {
			report.Keys = append(report.Keys, r.of(raw))
		}
	}
	report.Unevenness = ratio(most*float64(shards), sum)
	for _, pk := range []string{keys.Site(site), keys.UniquesList(site), keys.BreakdownList(site), keys.RecentList(site),
		keys.VisitorList(site)} {
		report.Keys = append(report.Keys, r.of(pk))
	}
	var days []HotRate // Of uniques and breakdowns each day has a key.
	for pk := range r.least {
		if strings.HasPrefix(pk, keys.UniquesList(site)+"#") || strings.HasPrefix(pk, keys.BreakdownList(site)+"#") {
			days = append(days, r.of(pk))
		}
	}
	slices.SortFunc(days, func(a, b HotRate) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.PK, b.PK)) })
	report.Keys = append(report.Keys, days...)
	return report
}

func processes(of []HotOf) []Process {
	all := []Process{}
	for _, p := range of {
		all = append(all, Process{p.URL, p.From.Format("2006-01-02T15:04:05Z"), p.To.Sub(p.From).Seconds(), p.perSecond(p.Units)})
	}
	return all
}

// PrintHot shows a report to people.
func PrintHot(out io.Writer, r HotReport) error {
	for _, p := range r.Processes {
		fmt.Fprintf(out, "%s: %s write units a second in %.0f s from %s on\n", p.URL, rate(p.Units), p.Seconds, p.From)
	}
	if r.Site != "" {
		fmt.Fprintf(out, "\nShards of site %q:\n", r.Site)
		if err := printRates(out, r.Shards); err != nil {
			return err
		}
		if r.Unevenness > 0 {
			fmt.Fprintf(out, "The busiest shard has %.2f times the mean.\n", r.Unevenness)
		}
		fmt.Fprintln(out, "\nOther keys of the site:")
	} else {
		fmt.Fprintln(out, "\nHottest partition keys:")
	}
	if err := printRates(out, r.Keys); err != nil {
		return err
	}
	if r.More > 0 {
		fmt.Fprintf(out, "There are %d more: repeat with a higher --limit.\n", r.More)
	}
	if r.Others > 0 {
		fmt.Fprintf(out, "Each process reports its %d hottest keys: any other has at most %s write units per second.\n", heatRows, rate(r.Others))
	}
	for _, k := range slices.Concat(r.Shards, r.Keys) {
		if k.AtMost >= headroom*keyUnits {
			fmt.Fprintf(out, "Key %s is near the %d write units a second that a partition key has.\n", clean(k.PK), keyUnits)
		}
	}
	return nil
}

func printRates(out io.Writer, keys []HotRate) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  partition key\twrite units a second\tat most\tof the limit")
	for _, k := range keys {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%.1f %%\n", clean(k.PK), rate(k.Units), rate(k.AtMost), 100*k.Share)
	}
	return w.Flush()
}
