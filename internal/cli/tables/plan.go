package tables

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/show"
)

// planFlags are the flags of footfall plan.
type planFlags struct {
	workload capacity.Workload
	prices   capacity.Prices
	observed observation
	output   show.Format
	keda     bool
}

// NewPlanCommand is footfall plan.
func NewPlanCommand(a *command.App) *cobra.Command {
	p := planFlags{workload: capacity.DefaultWorkload(), prices: capacity.DefaultPrices()}
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Estimate the capacity and cost of a load",
		Long: `Estimate what a load needs, by type of item: writes, write and read units, items and stored bytes. In total: the cost of a month on
demand and with provisioned capacity, the load of the hottest partition keys, the shards of the busiest site, and the table quota to
request. Nothing is read or written.

Also the members of the consumer group: one more than the peak needs at 70 % of their CPU, their memory, and how long they take for the
partitions of one that is gone, and after an hour's outage at the peak. --cpu-per-record, --cpu-per-write and --cpu-per-raw-event are the
CPU of one core, measured on two cores (go run ./internal/bench in the source); measure your own. A view of a dashboard (--views-per-day)
is the last 24 hours of a site: the figures by hour, the first pages, referrers and countries, and the current visitors. A new table needs
warm throughput for a peak above 4,000 write units per second: footfall table create --warm-write-units.

With --observed, measure running processes instead: their metrics at --metrics-url since their start, or over the time of --over, and
the table's own count of its bytes. The estimate assumes that each day is like this, with the busiest hours at --peak times the mean.

Intervals, raw events, breakdowns, retentions and the limits of a flush come from the configuration. The load is simulated for an
hour of a site and divided into flushes as run does, with the same sizes and units. A flush ends early when its partition reaches
limits.flushBytes or limits.flushItems; the plan says so. The same flags always give the same plan. Retries, late events and bots are
not included; views of a dashboard are beside the other figures.

A partition key takes 1,000 write units per second, a table 40,000 unless AWS raises the quota. Provisioned capacity is estimated for a
utilization of 70 %: once for the load of the busiest four hours all day long, and once with auto scaling.

Default prices are those of ` + capacity.PricesFrom + `.`,
		Example: `  footfall plan --events-per-day 1000000
  footfall plan --events-per-day 50000000 --sites 2000 --partitions 64 --largest 0.2 --intervals-stats 300s
  footfall plan --events-per-day 50000000 --sites 2000 --partitions 64 --largest 0.2 --spread-largest 16 --views-per-day 20000
  footfall plan --events-per-day 10000000 --partitions 16 --raw-events=off --output json
  footfall plan --events-per-day 50000000 --sites 2000 --partitions 64 --keda > scaling.yaml
  footfall plan --observed --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080 --over 10m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(a, cmd) },
	}
	p.addFlags(cmd)
	return cmd
}

func (p *planFlags) addFlags(cmd *cobra.Command) {
	f, w, prices := cmd.Flags(), &p.workload, &p.prices
	command.AddOutput(cmd, &p.output, show.Table, show.JSON)
	f.Float64Var(&w.EventsPerDay, "events-per-day", w.EventsPerDay, "events per day, all sites")
	f.IntVar(&w.Sites, "sites", w.Sites, "sites")
	f.IntVar(&w.Partitions, "partitions", w.Partitions, "partitions of the topic")
	f.IntVar(&w.Spread, "spread", 0, "partitions per site: 1 with the Kafka key siteId, B with siteId#b (default: as few as use all "+
		"partitions)")
	f.Float64Var(&w.Largest, "largest", 0, "the busiest site's share of all events, 0 to 1 (default: all sites are equal)")
	f.IntVar(&w.SpreadLargest, "spread-largest", 0, "partitions of the busiest site alone, with the Kafka key siteId#b (default: --spread)")
	f.Float64Var(&w.Peak, "peak", w.Peak, "load of the busiest four hours of a day relative to the mean, 1 to 5.9")
	f.Float64Var(&w.EventsPerSession, "events-per-session", w.EventsPerSession, "events per session")
	f.DurationVar(&w.Think, "think", w.Think, "mean time between two events of a session")
	f.Float64Var(&w.SessionsPerVisitor, "sessions-per-visitor", w.SessionsPerVisitor, "sessions per visitor and hour")
	f.Float64Var(&w.Users, "users", w.Users, "share of sessions with a userId, 0 to 1")
	f.Float64Var(&w.Sessionless, "sessionless", 0, "share of sessions without a sessionId, which become visits, 0 to 1")
	f.BoolVar(&w.NewVisitors, "new-visitors", false, "sites count new visitors, each of whom comes in one hour of a day")
	f.BoolVar(&w.Even, "even", false, "sessions of a site begin at equal intervals instead of at random times")
	f.IntVar(&w.Pages, "pages", w.Pages, "distinct pages of a site")
	f.IntVar(&w.Cities, "cities", w.Cities, "distinct cities of a site's visitors")
	f.IntVar(&w.Properties, "properties", 0, "properties that sites have chosen as dimensions, 0 to 8, of 20 values each")
	f.IntVar(&w.EventBytes, "event-bytes", w.EventBytes, "bytes of a raw event's item")
	f.IntVar(&w.IDBytes, "id-bytes", w.IDBytes, "bytes of a visitorId")
	f.IntVar(&w.SessionID, "session-id-bytes", w.SessionID, "bytes of a sessionId")
	f.IntVar(&w.Shards, "shards", w.Shards, "shards of the busiest site's raw events")
	f.Float64Var(&prices.WriteMillion, "price-writes", prices.WriteMillion, "dollars per million write request units, on demand")
	f.Float64Var(&prices.ReadMillion, "price-reads", prices.ReadMillion, "dollars per million read request units, on demand")
	f.Float64Var(&prices.WriteHour, "price-write-capacity", prices.WriteHour, "dollars per write capacity unit and hour")
	f.Float64Var(&prices.ReadHour, "price-read-capacity", prices.ReadHour, "dollars per read capacity unit and hour")
	f.Float64Var(&prices.StorageGB, "price-storage", prices.StorageGB, "dollars per GB and month")
	f.Float64Var(&prices.RecoveryGB, "price-recovery", prices.RecoveryGB, "dollars per GB and month of point-in-time recovery")
	f.Float64Var(&prices.RareWriteMillion, "price-writes-infrequent", prices.RareWriteMillion, "dollars per million write request units, "+
		"on demand, of the table class infrequent-access")
	f.Float64Var(&prices.RareReadMillion, "price-reads-infrequent", prices.RareReadMillion, "dollars per million read request units of it")
	f.Float64Var(&prices.RareStorageGB, "price-storage-infrequent", prices.RareStorageGB, "dollars per GB and month of it")
	f.BoolVar(&p.keda, "keda", false, "print values of the Helm chart that scale the members by their lag")
	p.addProcessFlags(f)
	command.AddRows(f, "default: as configured")
	p.observed.addFlags(f)
	command.AddConfigFlags(f, planned...)
}

func (p *planFlags) addProcessFlags(f *pflag.FlagSet) {
	w := &p.workload
	of := &w.Processes
	f.Float64Var(&w.ViewsPerDay, "views-per-day", 0, "views of a dashboard per day, all sites")
	f.Float64Var(&of.VCPU, "member-vcpu", of.VCPU, "vCPU of a member")
	f.DurationVar(&of.RecordCPU, "cpu-per-record", of.RecordCPU, "CPU to count a record, see above")
	f.DurationVar(&of.WriteCPU, "cpu-per-write", of.WriteCPU, "CPU of a write to the table")
	f.DurationVar(&of.RawEventCPU, "cpu-per-raw-event", of.RawEventCPU, "CPU to write a raw event as an item of its own")
}

// run prints the estimate, or with --observed what running processes have used.
func (p *planFlags) run(a *command.App, cmd *cobra.Command) error {
	c, err := a.Config(cmd)
	if err != nil {
		return err
	}
	configured(&p.workload, c)
	if p.workload.Rows, err = command.ReadRows(cmd.Flags()); err != nil {
		return command.Usagef("%w", err)
	}
	if err := errors.Join(p.workload.Validate(), p.prices.Validate()); err != nil {
		return command.Usagef("%w", err)
	}
	if err := p.observed.check(cmd); err != nil {
		return err
	}
	if p.keda && p.output != show.Table {
		return command.Usagef("--keda prints YAML: leave out --output and --json")
	}
	if p.observed.observed {
		return observe(a, cmd, p.observed, p.workload.Peak, p.prices, p.output)
	}
	plan := capacity.Make(p.workload, p.prices)
	if p.keda {
		return capacity.PrintScaling(a.Out, plan)
	}
	return printPlan(a, plan, p.output)
}

// planned are the fields of the configuration that a plan heeds.
var planned = []string{"rawEvents", "breakdowns.rows", "breakdowns.bytes", "intervals.stats", "intervals.realtime", "intervals.realtimeMax",
	"duplicates.window", "duplicates.memoryBytes", "limits.flushBytes", "limits.flushItems", "limits.memoryBytes", "limits.fetchedBytes",
	"limits.chunksAhead",
	"retention.raw", "retention.session", "retention.hour", "retention.day"}

// configured are the workload's settings as the configuration has them.
func configured(w *capacity.Workload, c config.Config) {
	o := engine.PipelineOptions(c)
	o.Settings.Maps = nil // The workload has events.
	w.Settings, w.Stats, w.Realtime, w.RealtimeMax = o.Settings, o.StatsInterval, o.RealtimeInterval, o.RealtimeMax
	w.FlushBytes, w.FlushItems = o.Limits.StepBytes, o.Limits.StepItems
	w.Processes.MemoryBytes, w.Processes.FetchedBytes, w.Processes.ChunksAhead = o.Limits.MemoryBytes, o.Limits.FetchedBytes, o.ChunksAhead
}
