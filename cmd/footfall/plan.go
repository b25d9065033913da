package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/capacity"
	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/query"
)

func newPlanCommand(a *app) *cobra.Command {
	w, prices := capacity.DefaultWorkload(), capacity.DefaultPrices()
	var o observation
	var output string
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Tell what a table takes and costs at a load",
		Long: `Print by type of item what a load takes: writes, write and read units, items and bytes stored, and in all what a month costs
on demand and by provisioned capacity; how hot the hottest partition keys are, how many shards the busiest site needs and
which table quota to ask for. Nothing is read or written.

With --observed it tells the same of what runs: of the meters of the processes at --metrics-url, from their start on, or over --over,
and of the table's own count of its bytes. A day is taken to go on like that, with its busiest hours at --peak times the mean.
The meters live in the processes: nothing of them is kept in the table.

Intervals, raw events, breakdowns and retentions are those of the configuration. The load is drawn, an hour of a site, and
cut into steps as run does, with the sizes and units that its meters tell: equal loads have equal plans. Retries, late events,
bots and the questions of readers are not in it.

Keys have 1,000 write units a second each, a table 40,000 unless AWS is asked for more. Provisioned capacity is told for a
utilisation of 70 %: of the busiest four hours all day, and following the day as auto scaling does.

Prices are by default those of ` + capacity.PricesFrom + `.`,
		Example: `  footfall plan --events-per-day 1000000
  footfall plan --events-per-day 50000000 --sites 2000 --partitions 64 --largest 0.2 --intervals-stats 300s
  footfall plan --events-per-day 10000000 --partitions 16 --raw-events=off --output json
  footfall plan --observed --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080 --over 10m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != string(query.Table) && output != string(query.JSON) {
				return usagef("--output %q: choose table or json", output)
			}
			c, err := a.config(cmd)
			if err != nil {
				return err
			}
			configured(&w, c)
			if err := errors.Join(w.Validate(), prices.Validate()); err != nil {
				return usagef("%w", err)
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			if o.observed {
				return a.observe(cmd, o, w.Peak, prices, output)
			}
			return a.printPlan(capacity.Make(w, prices), output)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", string(query.Table), "table or json")
	complete(cmd, "output", string(query.Table), string(query.JSON))
	f.Float64Var(&w.EventsPerDay, "events-per-day", w.EventsPerDay, "events a day, of all sites")
	f.IntVar(&w.Sites, "sites", w.Sites, "sites")
	f.IntVar(&w.Partitions, "partitions", w.Partitions, "partitions of the topic")
	f.IntVar(&w.Spread, "spread", 0, "partitions that a site's events lie in: 1 with the Kafka key siteId, B with siteId#b (default: as few as use all)")
	f.Float64Var(&w.Largest, "largest", 0, "share of all events that the busiest site has (default: sites are alike)")
	f.Float64Var(&w.Peak, "peak", w.Peak, "events of the busiest four hours of a day over the mean, 1 to 5.9")
	f.Float64Var(&w.EventsPerSession, "events-per-session", w.EventsPerSession, "events of a session")
	f.DurationVar(&w.Think, "think", w.Think, "mean time between two events of a session")
	f.Float64Var(&w.SessionsPerVisitor, "sessions-per-visitor", w.SessionsPerVisitor, "sessions of an hour for each visitor that it has")
	f.Float64Var(&w.Users, "users", w.Users, "share of the sessions with a userId")
	f.Float64Var(&w.Sessionless, "sessionless", 0, "share of the sessions that are visits: their events have no sessionId")
	f.BoolVar(&w.Even, "even", false, "a site's sessions begin at equal distances, rather than at random")
	f.IntVar(&w.Pages, "pages", w.Pages, "different pages of a site")
	f.IntVar(&w.Cities, "cities", w.Cities, "different cities of a site's visitors")
	f.IntVar(&w.EventBytes, "event-bytes", w.EventBytes, "bytes of a raw event's item")
	f.IntVar(&w.IDBytes, "id-bytes", w.IDBytes, "bytes of a visitorId")
	f.IntVar(&w.SessionID, "session-id-bytes", w.SessionID, "bytes of a sessionId")
	f.IntVar(&w.Shards, "shards", w.Shards, "shards of the busiest site's raw events")
	f.Float64Var(&prices.WriteMillion, "price-writes", prices.WriteMillion, "dollars for a million write request units, on demand")
	f.Float64Var(&prices.ReadMillion, "price-reads", prices.ReadMillion, "dollars for a million read request units, on demand")
	f.Float64Var(&prices.WriteHour, "price-write-capacity", prices.WriteHour, "dollars for a write capacity unit an hour")
	f.Float64Var(&prices.ReadHour, "price-read-capacity", prices.ReadHour, "dollars for a read capacity unit an hour")
	f.Float64Var(&prices.StorageGB, "price-storage", prices.StorageGB, "dollars for a GB a month")
	o.addFlags(f)
	addConfigFlags(f, planned...)
	return cmd
}

// planned are the fields of the configuration that a plan heeds.
var planned = []string{"rawEvents", "breakdowns.rows", "breakdowns.bytes", "intervals.stats", "intervals.realtime",
	"retention.raw", "retention.session", "retention.hour", "retention.day"}

// configured are the workload's settings as the configuration has them.
func configured(w *capacity.Workload, c config.Config) {
	o := pipelineOptions(c)
	w.Settings, w.Stats, w.Realtime = o.Settings, o.StatsInterval, o.RealtimeInterval
}

func (a *app) printPlan(p capacity.Plan, output string) error {
	if output == string(query.JSON) {
		return a.printJSON(p)
	}
	return capacity.Print(a.plainIfTerminal(), p)
}
