package tables

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
)

// NewCostCommand is footfall cost.
func NewCostCommand(a *command.App) *cobra.Command {
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
out evenly among its items. Not included: storage, reads by queries, commands other than run, requests whose answers were lost,
recovery, streams, Kafka and the processes.

Without --metrics-url, the process at the configured http address on this machine is asked.`,
		Example: `  footfall cost --by site --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080
  footfall cost --by site --limit 5 --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case by != "site":
				return command.Usagef("--by %q: choose site", by)
			case limit < 1:
				return command.Usagef("--limit %d: choose 1 or more", limit)
			}
			if err := prices.Validate(); err != nil {
				return command.Usagef("%w", err)
			}
			urls, err := connect.Processes(a, cmd, from)
			if err != nil {
				return err
			}
			of, err := connect.AskSpent(cmd.Context(), urls)
			if err != nil {
				return err
			}
			report := capacity.ReportCost(of, prices, limit)
			return a.Print(output, report, func(out io.Writer) error { return capacity.PrintCost(out, report) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&by, "by", "site", "what to list: site")
	f.StringArrayVar(&from, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	f.IntVar(&limit, "limit", 20, "max. sites to list, 1 or more")
	f.Float64Var(&prices.WriteMillion, "price-writes", prices.WriteMillion, "dollars per million write units")
	f.Float64Var(&prices.ReadMillion, "price-reads", prices.ReadMillion, "dollars per million read units")
	command.Complete(cmd, "by", "site")
	return cmd
}
