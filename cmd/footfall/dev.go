package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/view"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// What footfall dev keeps in its directory.
const (
	devTopic      = "events"
	devPartitions = 4
	devTable      = "footfall.db"
	devLog        = "footfall.log"
)

// devFlags are the flags of footfall dev.
type devFlags struct {
	dir   string
	sites int
	rate  float64
	seed  uint64
	span  time.Duration
	plain bool
	http  string // where the page is served; off: nowhere

	historyText string
	history     time.Duration // 0: none
	daily       float64       // events a day of it

	config config.Config // broker, topic, table and intervals are dev's own
}

func newDevCommand(a *app) *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine, with synthetic traffic",
		Long: `Run a Kafka broker, a SQLite table, synthetic traffic and the pipeline in one process, and show how the sites' numbers grow. All
data is kept in one directory; the next start continues from there, also after a crash. Any Kafka client on this machine can publish
to the broker, whose address stays the same.

The traffic is like that of sites: visits of some minutes, with devices, referrers and campaigns, most in the afternoon (UTC) and on
weekdays. --rate is its average over a week. Each start has visitors of its own; --seed decides what they do. --history 35d first fills the
past, with --history-events a day; a later start fills what lies between the last record and now.

Ctrl-C stops the traffic, counts what was sent and ends. A second Ctrl-C ends at once; nothing is lost. Other commands find the
broker and the table with --data.

Settings about events, retention, limits, the consumer group, the failed-events topic and the log apply here and in other commands on
the directory: FOOTFALL_RETENTION_HOUR=never keeps old hours, FOOTFALL_ALLOWED_LATENESS=off with FOOTFALL_RETENTION_SESSION=never
accepts old events. The broker, the topic, the table and the intervals are dev's own: numbers and raw events are readable after 2
seconds.

A page of each site and the read API of footfall serve are at the address that it prints, on this machine only.`,
		Example: `  footfall dev
  footfall dev --history 35d
  footfall dev --data /tmp/demo --sites 50 --rate 1000
  footfall dev --plain --for 30s && footfall verify --data data
  footfall query sites --data data`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.validate(cmd.Flags().Changed); err != nil {
				return err
			}
			for _, name := range []string{"brokers", "topic", "table"} {
				if cmd.Flags().Changed(name) {
					return usagef("--%s: footfall dev brings its own; use footfall run", name)
				}
			}
			var err error
			if f.config, err = devConfig(cmd); err != nil {
				return err
			}
			return dev(cmd.Context(), a, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "data", "data", "directory of all data")
	flags.IntVar(&f.sites, "sites", 10, "number of sites in the traffic")
	flags.Float64Var(&f.rate, "rate", 100, "events per second, on average over a week; 0 = no traffic, to publish your own")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the traffic")
	flags.StringVar(&f.historyText, "history", "", "fill this much of the past first: days as in 35d, or a duration (default: none)")
	flags.Float64Var(&f.daily, "history-events", 5000, "events per day of the past, 1 to 10000000")
	flags.DurationVar(&f.span, "for", 0, "how long to run, after the past was filled; 0 = until Ctrl-C")
	flags.StringVar(&f.http, "listen", serveAddress, "loopback address of the page, HOST:PORT; port 0 = any free one, also if the "+
		"default is taken; off = no page")
	flags.BoolVar(&f.plain, "plain", false, "print lines instead of a screen that redraws itself")
	addConfigFlags(flags, "log.level", "log.format")
	return cmd
}

// devConfig is the configuration that other commands on the directory have, too, but for what dev brings.
func devConfig(cmd *cobra.Command) (config.Config, error) {
	src := fileAndEnvironment(cmd)
	const own = "footfall dev"
	src.Over = []config.Value{{Path: "kafka.topic", Text: devTopic, Origin: own}, {Path: "table", Text: "sqlite://" + devTable, Origin: own}}
	src.Over = append(src.Over, changedFields(cmd)...)
	c, err := config.Load(src)
	if err != nil {
		return c, err
	}
	kafka := config.Default().Kafka
	kafka.Topic, kafka.FailedTopic = devTopic, cmp.Or(c.Kafka.FailedTopic, devTopic+".failed")
	kafka.Group, kafka.GroupProtocol = c.Kafka.Group, c.Kafka.GroupProtocol
	c.Kafka, c.Intervals = kafka, config.Intervals{Stats: 2 * time.Second, Realtime: time.Second}
	return c, nil
}

func (f *devFlags) validate(changed func(string) bool) (err error) {
	if f.historyText != "" {
		if f.history, err = produce.ParseRetention(f.historyText); err != nil || f.history == produce.Forever || f.history > 730*24*time.Hour {
			return usagef("--history %q: write days as in 35d, up to 730d, or a duration as in 36h", f.historyText)
		}
	}
	switch {
	case changed("history-events") && f.history == 0:
		return usagef("--history-events is of the past: add --history, as in --history 35d")
	case !(f.daily >= 1 && f.daily <= 1e7): // So that NaN is refused.
		return usagef("--history-events %v: write 1 to 10000000 events a day", f.daily)
	case f.dir == "":
		return usagef("--data is empty: name a directory")
	case f.sites < 1 || f.sites > produce.MaxSites:
		return usagef("--sites %d: write 1 to %d", f.sites, produce.MaxSites)
	case !(f.rate >= 0 && f.rate <= 1e6): // So that NaN is refused.
		return usagef("--rate %v: write 0 to 1000000 events a second", f.rate)
	case f.span < 0:
		return usagef("--for %v: write a duration as in 30s, or 0", f.span)
	}
	if f.http == listenOff {
		return nil
	}
	if err := serve.CheckAddress(f.http); err != nil {
		return usagef("--listen %w", err)
	}
	return nil
}

// dev opens the directory and runs the parts on it.
func dev(ctx context.Context, a *app, f devFlags) (err error) {
	broker, err := embedded.Open(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	if err := broker.CreateTopic(devTopic, devPartitions); err != nil {
		return err
	}
	if err := broker.CreateTopic(f.config.Kafka.FailedTopic, 1); err != nil {
		return err
	}
	d, err := writeDevFile(f.dir, broker.Addr())
	if err != nil {
		return err
	}
	table, err := openTable(ctx, d.Table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	screen := !f.plain && isTerminal(a.in) && isTerminal(a.out)
	log, closeLog, err := devLogger(a.err, f, screen)
	if err != nil {
		return err
	}
	defer closeLog()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return unlessAsked(ctx, log, err)
	}
	s := &devSession{a: a, flags: f, table: table, log: log, topic: d.Topic,
		kafka: []kgo.Opt{kgo.SeedBrokers(d.Brokers), kgo.ClientID("footfall"), kgo.WithLogger(kafkaLog{log})}}
	notes := devNotes(f.dir, d)
	if s.page, err = f.listen(); err != nil {
		return err
	}
	if s.page != nil {
		notes = append(notes, "page     "+addressOf(s.page))
	}
	if err := s.run(ctx, screen, notes); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Stopped. Everything is in %s: start again to continue, or recount it with `%s verify --data %s`.\n", f.dir,
		os.Args[0], f.dir)
	return nil
}

// devSession is what the parts of one run share.
type devSession struct {
	a     *app
	flags devFlags
	kafka []kgo.Opt
	topic string
	table *openedTable
	log   *slog.Logger
	page  net.Listener // nil: no page is served
}

// listenOff is the value of --listen without a page.
const listenOff = "off"

// listen opens the address of the page; nil: there is to be none. Several directories may be in use at once, so another port takes the
// place of the default one.
func (f devFlags) listen() (net.Listener, error) {
	if f.http == listenOff {
		return nil, nil
	}
	l, err := listenHere(f.http)
	if err != nil && f.http == serveAddress {
		return listenHere("127.0.0.1:0")
	}
	return l, err
}

// run runs the parts until ctx ends, the time is over or somebody closes the view. They end in order: the view, the
// traffic, and the pipeline once it has counted what was sent. The first failure ends all of them.
func (s *devSession) run(ctx context.Context, screen bool, notes []string) error {
	parts, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	showing, endShowing := context.WithCancel(ctx)
	defer endShowing()
	consuming, endConsuming := context.WithCancel(context.WithoutCancel(ctx))
	defer endConsuming()
	context.AfterFunc(failed, endShowing)
	context.AfterFunc(failed, endConsuming)

	registry := prometheus.NewRegistry()
	p, err := s.pipeline(registry)
	if err != nil {
		return err
	}
	collector := &view.Collector{Reader: query.New(s.table, sinks.Keys{}, time.Now), Now: time.Now,
		Lag: func() int64 { return lagOf(registry) }}
	o := view.Options{Collect: collector.Snapshot, Every: time.Second, Notes: notes, In: s.a.in, Out: s.a.out,
		Width: func() int { columns, _ := s.a.size(); return columns }}
	parts.Go(func() error {
		defer s.a.beginDrain() // Whoever closes the view wants to stop.
		defer endShowing()
		if screen {
			return view.Screen(showing, o)
		}
		o.Every = 2 * time.Second
		return view.Lines(showing, o)
	})
	parts.Go(func() error {
		defer endConsuming()
		if err := s.publish(showing, endShowing); err != nil {
			return err
		}
		return s.catchUp(failed)
	})
	parts.Go(func() error { return p.Run(consuming) })
	if s.page != nil {
		parts.Go(func() error { return serveUntilDone(consuming, s.page, s.table, s.log) })
	}
	if err := parts.Wait(); err != nil {
		return err
	}
	last, err := collector.Snapshot(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	columns, _ := s.a.size()
	return last.Write(s.a.out, columns)
}

func (s *devSession) pipeline(registry *prometheus.Registry) (*pipeline.Pipeline, error) {
	o := pipelineOptions(s.flags.config)
	o.Kafka, o.Table, o.Metrics, o.Log = s.kafka, s.table.Table, pipeline.NewMetrics(registry), s.log
	for _, text := range configWarnings(s.flags.config) {
		s.log.Warn(text)
	}
	return pipeline.New(o)
}

// publish sends the past, if that is asked for, and then traffic until ctx ends. It calls end when the time of --for is over, which begins
// after the past.
func (s *devSession) publish(ctx context.Context, end func()) error {
	now := time.Now()
	audience := produce.NewAudience(produce.Config{Sites: s.flags.sites, Seed: s.flags.seed}, now)
	if s.flags.history > 0 {
		from, err := s.historyFrom(ctx, now)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		if err := s.publishJob(ctx, produce.Job{Past: &produce.Past{Audience: audience, From: from, To: now, Daily: s.flags.daily}}); err != nil {
			return err
		}
	}
	if s.flags.span > 0 {
		defer time.AfterFunc(s.flags.span, end).Stop()
	}
	if s.flags.rate == 0 {
		<-ctx.Done()
		return nil
	}
	return s.publishJob(ctx, produce.Job{Traffic: audience, Rate: s.flags.rate, Rhythm: produce.Rhythm, RecordTime: produce.SendTime})
}

// publishJob sends the records of a job to the topic.
func (s *devSession) publishJob(ctx context.Context, job produce.Job) error {
	job.Kafka, job.Topic = s.kafka, s.topic
	job.Warn = func(text string) { s.log.Warn(text) }
	summary, err := job.Run(ctx)
	s.log.Info("traffic ended", "sent", summary.Sent, "failed", summary.Failed)
	if ctx.Err() != nil && summary.Sent+summary.Failed == 0 {
		return nil // It was asked to end while it was still connecting.
	}
	return err
}

// historyFrom is when the past begins that is filled: after the last record of the topic, if that is within it.
func (s *devSession) historyFrom(ctx context.Context, now time.Time) (time.Time, error) {
	from := now.Add(-s.flags.history)
	cl, err := kgo.NewClient(s.kafka...)
	if err != nil {
		return from, err
	}
	defer cl.Close()
	latest, err := kadm.NewClient(cl).ListMaxTimestampOffsets(ctx, s.topic)
	if err == nil {
		err = latest.Error()
	}
	latest.Each(func(o kadm.ListedOffset) {
		if t := time.UnixMilli(o.Timestamp); o.Timestamp > 0 && t.After(from) {
			from = t
		}
	})
	return from, err
}

// How long to wait at the end for the chains to pass the last record, and how often to look. Two flush intervals
// are enough in calm.
const (
	catchUpMost  = 20 * time.Second
	catchUpEvery = 50 * time.Millisecond
)

// catchUp waits until the pipeline has written down what was in the topic when it was called, so that what is left
// behind adds up. It gives up after a while, since the next start goes on where this one ended in any case.
func (s *devSession) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpMost)
	defer cancel()
	cl, err := kgo.NewClient(s.kafka...)
	if err != nil {
		return err
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, s.topic)
	if err != nil {
		return fmt.Errorf("end offsets of topic %q: %w", s.topic, err)
	}
	tick := time.NewTicker(catchUpEvery)
	defer tick.Stop()
	for {
		next, err := chainOffsets(ctx, s.table, s.topic, len(ends[s.topic]))
		if err != nil && ctx.Err() == nil {
			return err
		}
		var left int64
		ends.Each(func(o kadm.ListedOffset) { left += max(0, o.Offset-next[o.Partition]) })
		if err == nil && left == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.log.Warn("stopping before everything was counted: the next start continues from here", "records", left)
			return nil
		}
	}
}

// lagOf is the lag of all partitions together, as the pipeline's metrics tell it; -1 when they do not yet.
func lagOf(metrics prometheus.Gatherer) int64 {
	families, err := metrics.Gather()
	if err != nil {
		return -1
	}
	lag := int64(-1)
	for _, f := range families {
		if f.GetName() != "footfall_lag_records" {
			continue
		}
		for _, m := range f.GetMetric() {
			if v := int64(m.GetGauge().GetValue()); v >= 0 {
				lag = max(lag, 0) + v
			}
		}
	}
	return lag
}

// writeDevFile tells other commands where the parts are.
func writeDevFile(dir, brokers string) (devFile, error) {
	d := devFile{Brokers: brokers, Topic: devTopic, Table: "sqlite://" + devTable, name: filepath.Join(dir, devFileName)}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return d, err
	}
	if err := os.WriteFile(d.name+".new", append(text, '\n'), 0o600); err != nil {
		return d, err
	}
	if err := os.Rename(d.name+".new", d.name); err != nil {
		return d, err
	}
	return d.in(dir)
}

// devNotes say how to reach the parts, with commands that can be pasted: this program is called as it was started.
func devNotes(dir string, d devFile) []string {
	self := os.Args[0]
	return []string{
		fmt.Sprintf("Kafka at %s, topic %s; table %s", d.Brokers, d.Topic, d.Table),
		fmt.Sprintf("publish  %s produce --data %s --events 1000      or any Kafka client, JSON events", self, dir),
		fmt.Sprintf("query    %s query sites --data %s", self, dir),
		fmt.Sprintf("verify   %s verify --data %s", self, dir),
	}
}

// devLogger logs to a file of the directory, begun anew, while the screen is taken, and else to w. What the
// embedded broker has to say goes there too.
func devLogger(w io.Writer, flags devFlags, screen bool) (*slog.Logger, func() error, error) {
	closeLog := func() error { return nil }
	if screen {
		f, err := os.OpenFile(filepath.Join(flags.dir, devLog), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, nil, err
		}
		w, closeLog = f, f.Close
	}
	log := newLog(w, flags.config.Log)
	slog.SetDefault(log)
	return log, closeLog, nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func plainIfTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return show.PlainWriter(w)
	}
	return w
}
