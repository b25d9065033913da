package queries

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

func newQuerySite(a *command.App) *cobra.Command {
	q := new(ask.Asker)
	cmd := ask.SiteCommand(a, q)
	var from []string
	cmd.Use = "site SITE"
	cmd.Long += `

--metrics-url adds what the site costs by kind of item, on demand and by a million events, from the meters of running processes: of
their last five whole minutes, as footfall cost has it.`
	cmd.Example = "  footfall query site shop.example\n  footfall query site shop.example --metrics-url http://worker-1:8080"
	cmd.Flags().StringArrayVar(&from, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	withoutCost := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(from) == 0 {
			return withoutCost(cmd, args)
		}
		return siteWithCost(a, cmd, q, args[0], from)
	}
	return cmd
}

// SiteAndCost is a site with what it costs.
type SiteAndCost struct {
	query.SiteAnswer
	Cost siteMeters `json:"cost"`
}

// siteMeters are what the meters of processes say of a site.
type siteMeters struct {
	Processes  []capacity.CostWindow `json:"processes"`
	Site       *capacity.SiteCost    `json:"site"` // null: it has no row on any meter
	AtMostMore float64               `json:"atMostMoreDollarsPerMonth"`
	Unmetered  []string              `json:"unmetered"`
}

func siteWithCost(a *command.App, cmd *cobra.Command, q *ask.Asker, site string, from []string) error {
	layout := q.Layout(a)
	if layout.Format != show.Table && layout.Format != show.JSON {
		return command.Usagef("--output %s: --metrics-url is for table and json", q.Output)
	}
	urls, err := connect.Processes(a, cmd, from)
	if err != nil {
		return err
	}
	q.Site = site
	return q.WithReader(a, cmd, func(ctx context.Context, r *query.Reader) error {
		answer, err := r.Site(ctx, query.SiteParams{Site: site, Consistent: q.Consistent})
		if err != nil {
			return err
		}
		of, err := connect.AskSpent(ctx, urls)
		if err != nil {
			return err
		}
		report := capacity.ReportCost(of, capacity.DefaultPrices(), math.MaxInt)
		if layout.Format == show.JSON {
			err = a.PrintJSON(SiteAndCost{answer, siteMeters{report.Processes, report.Of(site), report.AtMostMore, report.Unmetered}})
		} else if err = a.Show(layout, answer); err == nil {
			out := a.PlainIfTerminal(a.Out)
			fmt.Fprintln(out)
			err = capacity.PrintSiteCost(out, report, site)
		}
		if err == nil {
			err = q.Unknown(ctx, r, answer, layout.Format)
		}
		return err
	})
}
