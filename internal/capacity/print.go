package capacity

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// notes say what the plan's figures do not say.
func (w *Workload) notes() []string {
	kept := "Stored is what is there once all retentions have filled"
	return []string{kept + "; expired items count for two days more, what is kept for ever for a year. Views of a dashboard are beside it."}
}

// Print shows a plan to people.
func Print(out io.Writer, p Plan) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "Item\twrites a day\tunits each\twrite units a day\tread units a day\titems stored\tGB stored\t"+
		"dollars a month\ta million events\t")
	for _, it := range append(slices.Clone(p.Items), p.Total) {
		each := "-" // Of checkpoints and sealed items, writes are not metered.
		if it.UnitsAWrite > 0 {
			each = fmt.Sprintf("%.2f", it.UnitsAWrite)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%s\t\n", it.Item, count(it.Writes), each, count(it.Units), count(it.ReadUnits),
			count(it.Stored), it.Bytes/gb, it.Dollars, millionth(it.PerMillion))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if p.Observed != nil {
		fmt.Fprintf(out, "\nAt the peak: %s write units a second of the table and its indexes; %s read units.\n", rate(p.Peak.Table),
			rate(p.Peak.Reads))
	} else {
		fmt.Fprintf(out, "\nAt the peak: %s write units a second of the table, %s of GSI1; %s read units.\n",
			rate(p.Peak.Table), rate(p.Peak.GSI1), rate(p.Peak.Reads))
	}
	switch {
	case p.Workload != nil:
		fmt.Fprintf(out, "Write units an event: %.3f.\n", p.Total.Units/p.Workload.EventsPerDay)
	case p.Observed.EventsPerDay > 0:
		fmt.Fprintf(out, "Write units an event: %.3f, of %s events a day.\n", p.Total.Units/p.Observed.EventsPerDay,
			count(p.Observed.EventsPerDay))
	}
	p.Packed.print(out)
	p.Duplicates.print(out)
	d := p.Dollars
	from := "by the prices given"
	if d.Prices == DefaultPrices() {
		from = PricesFrom
	}
	fmt.Fprintf(out, "\nDollars a month (%s):\n", from)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range []struct {
		what    string
		dollars float64
	}{{"storage, which is in each of these", d.Storage}, {"on demand", d.OnDemand}, {"provisioned for the peak", d.Provisioned},
		{"provisioned, auto scaled", d.Scaled}, {"on demand, table class infrequent-access", d.Rare},
		{"point-in-time recovery, beside these", d.Recovery}} {
		fmt.Fprintf(w, "%s\t%.2f\t\n", row.what, row.dollars)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	c := d.Capacity
	if p.Observed != nil {
		fmt.Fprintf(out, "Capacity for the peak at 70 %%: %.0f write units of the table and its indexes; %.0f read units.\n", c.Table, c.Reads)
		return p.printLimits(out)
	}
	fmt.Fprintf(out, "Capacity for the peak at 70 %%: %.0f write units of the table, %.0f of GSI1; %.0f read units.\n", c.Table,
		c.GSI1, c.Reads)
	p.Readers.print(out)
	p.Members.print(out)
	return p.printLimits(out)
}

func (p *Plan) printLimits(out io.Writer) error {
	switch {
	case len(p.Limits.Keys) == 0:
	case p.Observed != nil:
		fmt.Fprintf(out, "\nHottest partition keys, of %d write units a second each (footfall table hot-keys lists more):\n", keyUnits)
	default:
		fmt.Fprintf(out, "\nHottest partition keys of the busiest site (%s stands for it), of %d write units a second each; raw events in %d "+
			"shards, %d needed:\n", site, keyUnits, p.Limits.Shards, p.Limits.ShardsNeeded)
	}
	if len(p.Limits.Keys) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, k := range p.Limits.Keys {
			fmt.Fprintf(w, "  %s\t%s a second\t%.1f %%", clean(k.PK), rate(k.Units), 100*k.Share)
			if k.Most > 0 {
				fmt.Fprintf(w, "\t%s in one write", rate(k.Most))
			}
			fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, note := range append(p.Limits.remarks(), p.Notes...) {
		if _, err := fmt.Fprintln(out, note); err != nil {
			return err
		}
	}
	if p.Cost == nil {
		return nil
	}
	fmt.Fprintln(out, "\nBy site and kind, by the meters of the last five whole minutes (footfall cost lists more):")
	return PrintCost(out, *p.Cost)
}
