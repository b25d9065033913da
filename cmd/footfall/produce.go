package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/produce"
)

func newProduceCommand(a *app) *cobra.Command {
	var p produceFlags
	cmd := &cobra.Command{
		Use:   "produce",
		Short: "Publish synthetic traffic, or the lines of a file, to the topic",
		Long: `Publish events to the topic with an idempotent producer: a lost answer does not send a record twice.

Without --from-file, publish synthetic traffic, the same for the same --seed: sites of skewed sizes, returning visitors, sessions, page
views, clicks, purchases. It continues until Ctrl-C, or for --events records.

With --from-file, publish the lines of a file, or of standard input with -, optionally compressed with gzip or zstd:

  events    events in the format of docs/events.md, one JSON object per line, sent unchanged.
  ndjson    any JSON objects, with a mapping. --map FIELD=KEY takes a key of the line (a.b is the b in a). --map
            'FIELD=TEMPLATE' inserts keys into a text, as in url=/wiki/{page}; in a url they are percent-encoded.
            --set FIELD=TEXT sets the same value in every line. --properties rest makes properties of all keys that
            no --map names. A line without a mapped key is refused, unless the mapping has a question mark:
            country=geo.country?. A null value makes no field.
  combined  access logs of Apache and nginx. --set siteId=... names the site. The type is page_view, download or
            asset, by extension and status. The visitorId is a hash of site, address and user agent; addresses are
            not stored. With --visitor-salt daily, the default, a visitor has another id on each UTC day: uniques
            of a day are visitors, uniques of a longer range are visitor-days. With fixed, a visitor has one id for
            all days and can be followed. Sessions continue across midnight in both cases. The salts are computed
            from --visitor-hash-key, or visitorHashKey in the configuration, 16 bytes or more; the owner of the key
            can find addresses by trying all. Without a key, the salts are random and exist only during this run:
            then a visitor counts twice if the log of a day is sent in two runs. Sessions end after 30 minutes, by
            the times of the lines. There are no event ids: a log that is sent twice counts twice. Add asset to
            nonInteractiveEvents; otherwise a page with pictures never bounces.

Lines that cannot become events are refused, and listed at the end with line number and reason. So are events of 1970 in events and
ndjson: their timestamps are seconds, but must be milliseconds.

Send a file in the order of time: visits, and the rate that detects bots, depend on the order of the log. Seconds or minutes do no harm.
If a file steps back by an hour or more, a warning names the line. --sort sorts: it holds 500,000 lines, or as many as --sort=LINES says,
256 MiB at most, and sends the earliest of them next. So a file of no more lines is sorted as a whole.

--record-time sets the Kafka timestamp: event, the event's own time (default for files); now (default for synthetic traffic); or an
instant for all lines, at which synthetic traffic begins. Kafka deletes records that are older than the topic's retention, and refuses
records more than an hour ahead of its clock. By default, the pipeline rejects events more than 48 hours before or 10 minutes after the
timestamp of their record.

--dry-run says what would become of each line, without Kafka: which lines are refused, which records the pipeline of this configuration
would reject and why, and which repeat a siteId and id. Sites that the table does not accept, bots by their rate, and the limits of the
topic are not foreseen. Exit code 1 if a line would be refused or rejected.

Exit code 1 if a record could not be sent. Refused lines alone are not an error.`,
		Example: `  footfall produce --rate 200 --sites 20 --seed 7
  footfall produce --events 100000 --rate 0 --bad 0.01 --duplicates 0.02 --late 0.05
  footfall produce --from-file events.ndjson.gz --dry-run
  footfall produce --from-file events.ndjson.gz
  footfall produce --from-file edits.json.gz --format ndjson --map siteId=channel --map timestamp=time \
    --map visitorId=user --map 'url=/wiki/{page}' --set type=edit --properties rest \
    --create-topic --retention never
  zcat access.log.*.gz | footfall produce --from-file - --sort --format combined --set siteId=www.example.com`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(a, cmd) },
	}
	p.addFlags(cmd)
	return cmd
}

// run sends what the flags choose, and prints the summary of what was begun.
func (p *produceFlags) run(a *app, cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := p.check(changed); err != nil {
		return err
	}
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	job := produce.Job{
		Topic: c.Kafka.Topic, Compression: p.compression, Rate: p.rate, Events: p.events, Keep: shortest(c.Retention),
		Warn: func(text string) { fmt.Fprintln(a.err, "warning:", text) },
	}
	if err := p.fill(changed, &job); err != nil {
		return err
	}
	if !p.dryRun {
		if job.Kafka, err = clients(cmd, c); err != nil {
			return err
		}
	}
	total := p.events
	if p.from == "" {
		if err := p.traffic.Validate(); err != nil {
			return usagef("%w", err)
		}
		job.Traffic = produce.NewTraffic(p.traffic)
	} else {
		in, size, err := a.openInput(p.from)
		if err != nil {
			return err
		}
		defer in.Close()
		format, err := p.lineFormat(c.VisitorHashKey, job.RecordTime == produce.EventTime)
		if err != nil {
			return usagef("%w", err)
		}
		if job.File, err = produce.NewFile(produce.Interruptible(cmd.Context(), in), format); err != nil {
			return fmt.Errorf("%s: %w", p.from, err)
		}
		if job.File.Name = p.from; p.from == "-" {
			job.File.Name = "standard input"
		}
		if p.sort > 0 {
			job.File.Sort(p.sort)
		}
		total = size
	}
	if p.dryRun {
		return p.foresee(cmd.Context(), a, c, &job)
	}
	if p.ledger != "" {
		ledger, err := os.OpenFile(p.ledger, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		defer ledger.Close()
		job.Ledger = ledger
	}
	done := a.showProgress(&job, total)
	summary, err := job.Run(cmd.Context())
	done()
	if err != nil && summary.Sent+summary.Failed+summary.Refused == 0 {
		return err // Nothing was begun: there is nothing to sum up.
	}
	return errors.Join(err, a.print(p.output, summary, summary.WriteText))
}

// openInput opens a file and tells its size, -1 where it has none.
func (a *app) openInput(name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(a.in), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, -1, nil
	}
	return f, info.Size(), nil
}

// showProgress shows the job's progress on a terminal; elsewhere it does nothing. total is in bytes of the file or
// in records; not above 0: unknown. The returned function takes the bar away.
func (a *app) showProgress(job *produce.Job, total int64) (done func()) {
	if total <= 0 {
		total = -1
	}
	bar, done := a.progress("producing", total, progressbar.OptionShowBytes(job.File != nil), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionFullWidth())
	if bar == nil {
		return done
	}
	job.Progress = func(n int64) { _ = bar.Set64(n) }
	warn := job.Warn
	job.Warn = func(text string) {
		_ = bar.Clear()
		warn(text)
	}
	return done
}

// shortest returns the shortest retention of any kind of item; 0 when none ever expires.
func shortest(r config.Retention) time.Duration {
	least := config.Never
	for _, days := range []config.Days{r.Raw, r.Session, r.Hour, r.Day} {
		if days != config.Never && (least == config.Never || days < least) {
			least = days
		}
	}
	return time.Duration(max(least, 0)) * 24 * time.Hour
}
