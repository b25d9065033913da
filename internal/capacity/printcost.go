package capacity

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

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
	fmt.Fprint(out, "Not included: ")
	for i, what := range Unmetered {
		if i > 0 {
			fmt.Fprint(out, "; ")
		}
		fmt.Fprint(out, what)
	}
	_, err := fmt.Fprintf(out, ".\nDollars: on demand, %s.\n", PricesFrom)
	return err
}
