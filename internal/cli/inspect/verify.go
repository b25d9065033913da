package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/query"
)

// verifyFlags are the flags of footfall verify, as they are written.
type verifyFlags struct {
	ask.Asker
	wait                   time.Duration
	sample, resume, memory string
	record, sealed         bool
	generation             int
}

// NewVerifyCommand is footfall verify.
func NewVerifyCommand(a *command.App) *cobra.Command {
	var v verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Recount the topic and compare the table with it",
		Long: `Recount the topic, with code that shares none of the pipeline's counting, and compare the table with the recount: every counter,
session, sketch register, realtime minute, recent session, raw event, site, checkpoint total and every other item of the table. A
raw event must equal, in all attributes, what one of its records produces under one of the recorded settings. A site's metadata is
compared with its last revision. verify joins no group and, without --record, writes nothing to the table; the pipeline and site update
may run at the same time.

It reads the end offsets when it starts, waits until the checkpoints have passed them (--wait), and compares each item as of the
flushes that it contains. Items that changed during the read are read again. What the log no longer holds, and what has expired, is
counted as not compared.

It first prints on stderr what it will read and what it waits for and, on a terminal, shows how far it is. The recount covers a part of
the sites at a time (--memory) and reads the log once for each part; the process takes about three times that memory.
--sample-sites 1% verifies one site in a hundred, the same in every run.
With --resume FILE it records each completed part; the same command continues after an interruption, and removes the file at the end.
Checkpoints, histories and table settings are compared in every run.

With --record the table keeps the result for 400 days: range, site, start, differences and how much was compared. footfall query
verified, the API and the page show it beside the figures that it covers. It needs a role that may write to the table.

With --site and --record the result also has digests of the closed months whose items all equal the recount. --sealed reads no log:
it compares a site's closed months with the last recorded digests, and with their days as far as these are kept. So it says on which
day a month was verified against the log, and what has changed since. Late records and erasures change a month, too.

With --data it verifies the directory of footfall dev, running or not. --raw-events=off leaves raw events out. --generation verifies
another generation of items than the live one, such as one that "footfall rebuild" has counted and not made live yet. Raw events that
the former generation wrote are then not compared.

Exit codes: 0 everything that could be compared is equal; 1 there are differences (up to 1,000 are printed), or verify failed with
an error; 3 nothing could be compared, or the --site is unknown; 4 items kept changing, or checkpoints have not passed the end
offsets; 5 no differences, but more than a tenth of the items could not be compared, because the log no longer has their records or
another topic wrote them.

With --from and --to it compares the hours, days and months that overlap this range of event time.

` + ask.RangeHelp + `

` + ask.DatesHelp + ` Without --site they are those of UTC.`,
		Example: `  footfall verify --config footfall.yaml
  footfall verify --data data
  footfall verify --site shop.example --from -7d --output json
  footfall verify --sample-sites 1%
  footfall verify --from -7d --record
  footfall verify --site shop.example --sealed --from 2026-08 --to 2026-09
  footfall verify --resume verify.progress`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.run(a, cmd) },
	}
	v.addFlags(cmd)
	return command.OnCopies(cmd, true)
}

func (v *verifyFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&v.Site, "site", "", "only this site (default: all)")
	f.StringVar(&v.FromText, "from", "", "only event times at or after this (default: all)")
	f.StringVar(&v.ToText, "to", "", "only event times before this (default: all)")
	v.AddZone(cmd)
	f.DurationVar(&v.wait, "wait", time.Minute, "how long to wait for the pipeline to pass the end of the log")
	f.StringVar(&v.sample, "sample-sites", "", "share of all sites to verify, as in 1% (default: all)")
	f.StringVar(&v.resume, "resume", "", "progress file; continue from it if it exists (default: none)")
	f.StringVar(&v.memory, "memory", "96MB", "memory of a part of the recount, 8MB or more; the process takes about three times as much")
	f.BoolVar(&v.record, "record", false, "keep the result in the table, where footfall query verified finds it")
	f.BoolVar(&v.sealed, "sealed", false, "compare closed months of the --site with what --record has kept, without the topic")
	connect.AddGeneration(f, &v.generation)
	command.AddOutput(cmd, &v.Output, show.Table, show.JSON)
	command.AddConfigFlags(f, "rawEvents")
}

// run recounts and compares what the flags choose, and prints the report. Its exit code says whether the table is right.
func (v *verifyFlags) run(a *command.App, cmd *cobra.Command) error {
	now := time.Now()
	o, err := v.read(now)
	if err != nil {
		return err
	}
	if v.sealed {
		return v.checkSealed(a, cmd, now)
	}
	o.Cost = func(c verify.Cost) { fmt.Fprintln(a.Err, "verify:", c) }
	progress, waiting, finish := verifyProgress(a)
	o.Progress, o.Waiting = progress, waiting
	report, err := verifyTopic(a, cmd, v, o, now)
	finish()
	if err != nil {
		return err
	}
	err = a.Print(v.Output, report, report.WriteText)
	if code := report.ExitCode(); err == nil && code != 0 {
		return &command.ExitError{Code: code}
	}
	return err
}

// sayWaiting is how often a line says what verify waits for, where it is no terminal.
const sayWaiting = 10 * time.Second

// verifyProgress shows what the recount waits for, and on a terminal how far it is, and the comparison after it.
func verifyProgress(a *command.App) (progress func(verify.Progress), waiting func(verify.Waiting), finish func()) {
	bar, finish := a.Progress("reading records", 1)
	if bar == nil {
		var said time.Time
		return nil, func(w verify.Waiting) {
			if now := time.Now(); now.Sub(said) >= sayWaiting {
				fmt.Fprintln(a.Err, "verify:", w)
				said = now
			}
		}, finish
	}
	waiting = func(w verify.Waiting) {
		bar.Describe(w.String())
		_ = bar.RenderBlank()
	}
	return func(p verify.Progress) {
		what := "reading records"
		if p.Sites {
			what = "comparing sites"
		}
		if p.Pass > 1 {
			what += fmt.Sprintf(", part %d", p.Pass)
		}
		bar.Describe(what)
		bar.ChangeMax64(max(p.Total, p.Done+1)) // One that is full would be taken away.
		_ = bar.Set64(p.Done)
	}, waiting, finish
}

// read returns the options that the flags amount to. The range of a site is read later, as its zone is in the table.
func (v *verifyFlags) read(now time.Time) (o verify.Options, err error) {
	if v.wait < 0 {
		return o, command.Usagef("--wait %v: write a duration as in 30s, or 0", v.wait)
	}
	if !utf8.ValidString(v.Site) {
		return o, command.Usagef("--site %q is not valid UTF-8: every id must be", v.Site)
	}
	o = verify.Options{Site: v.Site, Wait: v.wait, Resume: v.resume}
	if o.SampleSites, err = readShare(v.sample); err != nil {
		return o, err
	}
	if o.Memory, err = readBytes(v.memory); err != nil {
		return o, err
	}
	if v.sealed && (o.Site == "" || v.record || v.resume != "" || v.sample != "") {
		return o, command.Usagef("--sealed compares the closed months of one site: name it with --site, without --record, --resume and " +
			"--sample-sites")
	}
	if o.SampleSites > 0 && o.Site != "" {
		return o, command.Usagef("--sample-sites and --site: choose one")
	}
	if o.SampleSites > 0 && v.record {
		return o, command.Usagef("--sample-sites and --record: a sample says nothing of a site: leave one of them out")
	}
	if v.generation != 0 && v.record {
		return o, command.Usagef("--generation and --record: readers see the result beside the figures of the live generation: leave one of " +
			"them out")
	}
	if err := v.ReadUnsited(now); err != nil {
		return o, err
	}
	if !v.OfSite() {
		err = v.checkRange()
	}
	return o, err
}

// readShare reads a share of all sites; 0: all.
func readShare(text string) (share float64, err error) {
	if text == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	share, err = strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share > 0 && share <= 1) {
		return 0, command.Usagef("--sample-sites %q: write a share above 0%% and up to 100%%, as in 1%%", text)
	}
	return share, nil
}

// readBytes reads a number of bytes.
func readBytes(text string) (int64, error) {
	number, scale := text, int64(1)
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(text), unit.name); ok {
			number, scale = rest, unit.bytes
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
	if err != nil || n*scale < 8<<20 {
		return 0, command.Usagef("--memory %q: write a number of bytes as in 96MB, 8MB or more", text)
	}
	return n * scale, nil
}

// checkRange refuses a range that holds nothing.
func (v *verifyFlags) checkRange() error {
	if !v.From.IsZero() && !v.To.IsZero() && !v.From.Before(v.To) {
		return command.Usagef("--from %s --to %s: the range is empty: let it begin before it ends", v.FromText, v.ToText)
	}
	return nil
}

// verifyRange returns the range that is to be verified and the zone that it is told in: the one that is named, else the site's
// at the range's end.
func (v *verifyFlags) verifyRange(ctx context.Context, t *connect.Table, now time.Time) (from, to time.Time, zone *time.Location,
	err error) {
	if zone = v.Zone; zone == nil {
		zone = time.UTC
	}
	if v.OfSite() {
		dates, err := v.ReadSited(ctx, query.New(t.Table, time.Now), now)
		if err == nil {
			err = v.checkRange()
		}
		if err != nil {
			return from, to, nil, err
		}
		last := now
		if !v.To.IsZero() {
			last = v.To.Add(-time.Millisecond)
		}
		zone = dates.Zone(last)
	}
	return v.From, v.To, zone, nil
}

// verifyTopic opens the broker, where nothing runs it, and the table, and recounts.
func verifyTopic(a *command.App, cmd *cobra.Command, v *verifyFlags, o verify.Options, now time.Time) (report verify.Report, err error) {
	err = connect.WithBrokers(a, cmd, embedded.OpenAnywhere, func(b connect.OpenedBrokers) error {
		if b.Own {
			o.Wait = 0 // No pipeline runs that could pass anything.
		}
		o.Kafka, o.Topic, o.HashKey, o.SkipRaw = b.Kafka, b.Config.Kafka.Topic, engine.HashKey(b.Config), !b.Config.RawEvents.Kept()
		return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) (err error) {
			o.Table, o.Describe = t.Table, t.Describe
			if o.Keys, err = t.KeysOf(v.generation); err != nil {
				return err
			}
			if o.From, o.To, o.Zone, err = v.verifyRange(ctx, t, now); err != nil {
				return err
			}
			equal := new(verified.Sealed)
			if v.record && o.Site != "" {
				o.Agreed = equal.Take
			}
			if report, err = verify.Run(ctx, o); err != nil || !v.record || report.UnknownSite {
				return err
			}
			result := report.Result(o.Site)
			if o.Site != "" {
				result.Bound = equal.Bind(o.Keys, o.Site, report.StartedAt)
				if err := result.Bound.Keep(ctx, t.Table, o.Keys, o.Site); err != nil {
					return err
				}
			}
			return verified.Write(ctx, t.Table, o.Keys, result)
		})
	})
	return report, err
}
