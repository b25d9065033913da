package tables

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func newTableHotCommand(a *command.App) *cobra.Command {
	var from []string
	var output show.Format
	var limit int
	cmd := &cobra.Command{
		Use:   "hot-keys [SITE]",
		Short: "List the most-written partition keys, or how evenly a site's shards are written",
		Long: `Ask running processes, by their --http addresses, for the partition keys with the most write units in the last five whole minutes,
and add up the answers. A partition key takes 1,000 write units a second. Each process counts its 2,048 hottest keys: a key's figure
is a lower bound, "at most" is the upper bound.

With SITE, list the site's shards and how far the busiest is above the mean. If they are hot, give the site more shards with footfall
site update.

Processes answer if they run with --http-hot-keys. Without --metrics-url, the process at the configured http address on this machine is
asked. To find all processes, run footfall status: a partition's owner is HOST/PROCESS/RANDOM/RELEASE. Name each host once, with the port of
its --http.`,
		Example: `  footfall table hot-keys --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080
  footfall table hot-keys shop.example --metrics-url http://localhost:8080 --output json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return command.Usagef("--limit %d: choose 1 or more", limit)
			}
			urls, err := connect.Processes(a, cmd, from)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				of, err := connect.AskHot(cmd.Context(), urls)
				if err != nil {
					return err
				}
				return printHot(a, capacity.ReportHot(of, limit), output)
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				shards, err := shardsOf(ctx, t, args[0])
				if err != nil {
					return err
				}
				of, err := connect.AskHot(ctx, urls)
				if err != nil {
					return err
				}
				return printHot(a, capacity.ReportSite(of, t.Keys, args[0], shards), output)
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&from, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	f.IntVar(&limit, "limit", 20, "max. keys to list, 1 or more")
	return command.OnCopies(cmd, true)
}

// shardsOf is how many shards of a site are written: those of its raw events or of its sessions, which are more.
func shardsOf(ctx context.Context, t *connect.Table, site string) (int, error) {
	answer, err := query.New(t.Table, time.Now).Site(ctx, query.SiteParams{Site: site})
	if err != nil {
		return 0, ask.Blame(err)
	}
	if !answer.SiteKnown {
		return 0, fmt.Errorf("site %q is not known: none of its events was counted, and it was not created: footfall site list shows all", site)
	}
	return max(sinks.DefaultShards, answer.Site.Shards), nil
}

func printHot(a *command.App, r capacity.HotReport, output show.Format) error {
	return a.Print(output, r, func(out io.Writer) error { return capacity.PrintHot(out, r) })
}
