package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/show"
)

func newCostCommand(a *app) *cobra.Command {
	var from []string
	var by string
	var output show.Format
	var limit int
	prices := capacity.DefaultPrices()
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Show which sites and kinds of items consume the most write and read units, and what they cost",
		Long: `Ask running processes, by their --http addresses, how many write and read units the items of each site have consumed in the last
five whole minutes by kind, and how many events the site had. Add up the answers, and price them as a month on demand and by a million
events. The JSON has the kinds of each site.

DynamoDB reports the units with each answer, those of the indexes included. Each process has rows for the 2,048 sites that cost most; the
others are added up in one line, and the answer says what one of them, or a row too low, can come to at most. Units of a batch are shared
out evenly among its items. Not on these meters are storage, questions of readers and other commands than run, requests whose answers
were lost, recovery and streams, Kafka and the processes.

Without --metrics-url, the process at the configured http address on this machine is asked.`,
		Example: `  footfall cost --by site --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080
  footfall cost --by site --limit 5 --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case by != "site":
				return usagef("--by %q: choose site", by)
			case limit < 1:
				return usagef("--limit %d: choose 1 or more", limit)
			}
			if err := prices.Validate(); err != nil {
				return usagef("%w", err)
			}
			urls, err := a.processes(cmd, from)
			if err != nil {
				return err
			}
			of, err := askSpent(cmd.Context(), urls)
			if err != nil {
				return err
			}
			report := capacity.ReportCost(of, prices, limit)
			return a.print(output, report, func(out io.Writer) error { return capacity.PrintCost(out, report) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&by, "by", "site", "what to list: site")
	f.StringArrayVar(&from, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	addOutput(cmd, &output, show.Table, show.JSON)
	f.IntVar(&limit, "limit", 20, "max. sites to list, 1 or more")
	f.Float64Var(&prices.WriteMillion, "price-writes", prices.WriteMillion, "dollars per million write units")
	f.Float64Var(&prices.ReadMillion, "price-reads", prices.ReadMillion, "dollars per million read units")
	complete(cmd, "by", "site")
	return cmd
}

func askSpent(ctx context.Context, urls []string) (of []capacity.SpentOf, err error) {
	for _, u := range urls {
		s := capacity.SpentOf{URL: u}
		err = errors.Join(err, getJSON(ctx, u+"/cost", &s.Spent, func() bool { return !s.To.IsZero() }))
		of = append(of, s)
	}
	return of, err
}
