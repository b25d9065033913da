package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/cli/serving"
	"github.com/footfall/footfall/internal/collect"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/sinks"
)

const devHelp = `Run a Kafka broker, a SQLite table, synthetic traffic and the pipeline in one process, and show how the sites' numbers grow. All
data is kept in one directory; the next start continues from there, also after a crash. Any Kafka client on this machine can publish
to the broker, whose address stays the same.

The traffic resembles real sites: visits last some minutes, with devices, referrers and campaigns, most in the afternoon (UTC) and on
weekdays. --rate is its average over a week. Each start has visitors of its own; --seed decides what they do. --history 35d first fills the
past 35 days, with --history-events events a day; a later start fills the time between the last record and now. Traffic then continues at
the rate of the past, unless --rate says otherwise.

The first ten sites of the traffic begin with goals, a funnel, new visitors, an annotation, a segment and alerts. A site that the table
has is left as it is.

Ctrl-C stops the traffic, counts what was sent and ends. A second Ctrl-C ends at once; nothing is lost. Other commands find the
broker and the table with --data.

Settings about events, retention, limits, the consumer group, the failed-events topic and the log apply here and in other commands on
the directory: FOOTFALL_RETENTION_HOUR=never keeps old hours, FOOTFALL_ALLOWED_LATENESS=off with FOOTFALL_RETENTION_SESSION=never
accepts old events. The broker, the topic, the table and the intervals are dev's own: figures appear after 2 seconds, or after 10
under overload.

A page of each site and the read API of footfall serve are at the address that it prints, on this machine only.`

// NewDevCommand is footfall dev.
func NewDevCommand(a *command.App) *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine, with synthetic traffic",
		Long:  devHelp,
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
					return command.Usagef("--%s: footfall dev brings its own; use footfall run", name)
				}
			}
			var err error
			if f.config, err = command.DevConfig(cmd); err != nil {
				return err
			}
			return dev(cmd.Context(), a, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "data", "data", "directory of all data")
	flags.IntVar(&f.sites, "sites", 10, "number of sites in the traffic")
	flags.Float64Var(&f.rate, "rate", 100, "events per second, on average over a week; 0 = no traffic, to publish your own; with --history, "+
		"by default that of the past")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the traffic")
	flags.StringVar(&f.historyText, "history", "", "fill this much of the past first: days as in 35d, or a duration (default: none)")
	flags.Float64Var(&f.daily, "history-events", 5000, "events per day of the past, 1 to 10000000")
	flags.DurationVar(&f.span, "for", 0, "how long to run, after the past was filled; 0 = until Ctrl-C")
	flags.StringVar(&f.http, "listen", serving.ServeAddress, "loopback address of the page, HOST:PORT; port 0 = any free one, also if the "+
		"default is taken; off = no page")
	flags.BoolVar(&f.plain, "plain", false, "print lines instead of a screen that redraws itself")
	command.AddConfigFlags(flags, "log.level", "log.format")
	return cmd
}

func (f *devFlags) validate(changed func(string) bool) (err error) {
	if f.historyText != "" {
		if f.history, err = produce.ParseRetention(f.historyText); err != nil || f.history == produce.Forever || f.history > 730*24*time.Hour {
			return command.Usagef("--history %q: write days as in 35d, up to 730d, or a duration as in 36h", f.historyText)
		}
	}
	switch {
	case changed("history-events") && f.history == 0:
		return command.Usagef("--history-events is of the past: add --history, as in --history 35d")
	case !(f.daily >= 1 && f.daily <= 1e7): // So that NaN is refused.
		return command.Usagef("--history-events %v: write 1 to 10000000 events a day", f.daily)
	case f.dir == "":
		return command.Usagef("--data is empty: name a directory")
	case f.sites < 1 || f.sites > produce.MaxSites:
		return command.Usagef("--sites %d: write 1 to %d", f.sites, produce.MaxSites)
	case !(f.rate >= 0 && f.rate <= 1e6): // So that NaN is refused.
		return command.Usagef("--rate %v: write 0 to 1000000 events a second", f.rate)
	case f.span < 0:
		return command.Usagef("--for %v: write a duration as in 30s, or 0", f.span)
	}
	if f.history > 0 && !changed("rate") {
		f.rate = f.daily / (24 * time.Hour).Seconds()
	}
	if f.http == listenOff {
		return nil
	}
	if err := serve.CheckAddress(f.http, "run footfall serve --require-token beside it"); err != nil {
		return command.Usagef("--listen %w", err)
	}
	return nil
}

// dev opens the directory and runs the parts on it.
func dev(ctx context.Context, a *command.App, f devFlags) (err error) {
	if err := engine.RefuseMapping(f.config, "footfall dev"); err != nil {
		return err
	}
	broker, err := embedded.Open(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	if err := broker.CreateTopic(command.DevTopic, command.DevPartitions); err != nil {
		return err
	}
	if err := broker.CreateTopic(f.config.Kafka.FailedTopic, 1); err != nil {
		return err
	}
	d, err := command.WriteDevFile(f.dir, broker.Addr())
	if err != nil {
		return err
	}
	table, err := connect.Open(ctx, d.Table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	screen := !f.plain && command.IsTerminal(a.In) && command.IsTerminal(a.Out)
	log, closeLog, err := devLogger(a.Err, f, screen)
	if err != nil {
		return err
	}
	defer closeLog()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return process.UnlessAsked(ctx, log, err)
	}
	s := &devSession{a: a, flags: f, table: table, log: log, topic: d.Topic,
		kafka: []kgo.Opt{kgo.SeedBrokers(d.Brokers), kgo.ClientID("footfall"), kgo.WithLogger(process.KafkaLog{To: log})}}
	notes := devNotes(f.dir, d)
	if s.page, err = f.listen(); err != nil {
		return err
	}
	if s.page != nil {
		address := serving.AddressOf(s.page)
		notes = append(notes, "page     "+address, "collect  "+collect.ScriptTag(strings.TrimSuffix(address, "/"), "my.site")+" in your pages")
	}
	if err := s.run(ctx, screen, notes); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Stopped. Everything is in %s: start again to continue, or recount it with `%s verify --data %s`.\n", f.dir,
		os.Args[0], f.dir)
	return nil
}

// listenOff is the value of --listen without a page.
const listenOff = "off"

// listen opens the address of the page; nil: there is to be none. Several directories may be in use at once, so another port takes the
// place of the default one.
func (f devFlags) listen() (net.Listener, error) {
	if f.http == listenOff {
		return nil, nil
	}
	l, err := serving.ListenHere(f.http)
	if err != nil && f.http == serving.ServeAddress {
		return serving.ListenHere("127.0.0.1:0")
	}
	return l, err
}

// devNotes say how to reach the parts, with commands that can be pasted: this program is called as it was started.
func devNotes(dir string, d command.DevFile) []string {
	self := os.Args[0]
	return []string{
		fmt.Sprintf("Kafka at %s, topic %s; table %s", d.Brokers, d.Topic, d.Table),
		fmt.Sprintf("publish  %s produce --data %s --events 1000      or any Kafka client, JSON events", self, dir),
		fmt.Sprintf("query    %s query sites --data %s", self, dir),
		fmt.Sprintf("verify   %s verify --data %s", self, dir),
	}
}

// devLogger logs to a new file of the directory while the screen is taken, and otherwise to w. What the
// embedded broker has to say goes there too.
func devLogger(w io.Writer, flags devFlags, screen bool) (*slog.Logger, func() error, error) {
	closeLog := func() error { return nil }
	if screen {
		f, err := os.OpenFile(filepath.Join(flags.dir, command.DevLog), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, nil, err
		}
		w, closeLog = f, f.Close
	}
	log := process.NewLog(w, flags.config.Log)
	slog.SetDefault(log)
	return log, closeLog, nil
}
