package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/produce"
)

// NewProduceCommand is footfall produce.
func NewProduceCommand(a *command.App) *cobra.Command {
	var p produceFlags
	cmd := &cobra.Command{
		Use:   "produce",
		Short: "Publish synthetic traffic, or the lines of a file, to the topic",
		Long: `Publish events to the topic with an idempotent producer: a lost answer does not send a record twice.

Without --from-file, publish synthetic traffic, the same for the same --seed: sites of skewed sizes, returning visitors, sessions, page
views, clicks, purchases. It continues until Ctrl-C, or for --events records.

With --from-file, publish the lines of files: of a file, of all files of a folder, of those that a glob names, of the objects of a bucket
whose keys begin with PREFIX in s3://BUCKET/PREFIX, or of standard input with -. They may be compressed with gzip, zstd or bzip2. Several
files are read in the order of the times of their first lines. --format auto finds the format by the first lines of the first file:

` + files.FormatsHelp + `

Without --visitor-hash-key and visitorHashKey, the salts are random and exist only during this run: a visitor counts twice if the log of a
day is sent in two runs. Figures of an access log are those of footfall analyze, except for visitors of several days, whom analyze
counts once: it has --visitor-salt fixed.

Lines that cannot become events are refused, and listed at the end with file, line number and reason. So are events of 1970 in events and
ndjson: their timestamps are seconds, but must be milliseconds. A byte order mark, blank lines and lines that begin with # are skipped.

Send lines in the order of time: visits, and the rate that detects bots, depend on the order of the log. A few minutes make no difference.
If times step back by an hour or more, a warning names the line. --sort sorts: it holds 500,000 lines, or as many as --sort=LINES says,
256 MiB at most, and sends the earliest of them next. So no more lines than that are sorted as a whole.

--record-time sets the Kafka timestamp: event, the event's own time (default for files); now (default for synthetic traffic); or an
instant for all lines, at which synthetic traffic begins. Kafka deletes records that are older than the topic's retention, and refuses
records more than an hour ahead of its clock. By default, the pipeline rejects events more than 48 hours before or 10 minutes after the
timestamp of their record.

--dry-run says what would become of each line, without Kafka: which lines are refused, which records the pipeline of this configuration
would reject and why, and which repeat a siteId and id of one of the 500,000 lines before. Sites that the table does not accept, bots by
their rate, and the limits of the topic are not foreseen. Exit code 1 if a line would be refused or rejected.

Exit code 1 if a record could not be sent, or if there was none to send. Some refused lines are not an error.`,
		Example: `  footfall produce --rate 200 --sites 20 --seed 7
  footfall produce --events 100000 --rate 0 --bad 0.01 --duplicates 0.02 --late 0.05
  footfall produce --from-file events.ndjson.gz --dry-run
  footfall produce --from-file events.ndjson.gz
  footfall produce --from-file edits.json.gz --format ndjson --map siteId=channel --map timestamp=time \
    --map visitorId=user --map 'url=/wiki/{page}' --set type=edit --properties rest \
    --create-topic --retention never
  footfall produce --from-file '/var/log/nginx/access.log*' --set siteId=www.example.com
  footfall produce --from-file visits.csv --map timestamp=time --time-layout '%d.%m.%Y %H:%M' --time-zone Europe/Berlin \
    --map visitorId=user --map url=page --map country=land --default country=DE --set siteId=www.example.com --set type=page_view`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(a, cmd) },
	}
	p.addFlags(cmd)
	return cmd
}

// run sends what the flags choose, and prints the summary of what was begun.
func (p *produceFlags) run(a *command.App, cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := p.check(changed); err != nil {
		return err
	}
	c, err := a.Config(cmd)
	if err == nil {
		err = engine.RefuseMapping(c, "footfall produce")
	}
	if err != nil {
		return err
	}
	job := produce.Job{
		Topic: c.Kafka.Topic, Compression: p.compression, Rate: p.rate, Events: p.events, Keep: shortest(c.Retention),
		Lateness: time.Duration(c.AllowedLateness),
		Warn:     func(text string) { fmt.Fprintln(a.Err, "warning:", text) },
	}
	if err := p.fill(changed, &job); err != nil {
		return err
	}
	if !p.dryRun {
		if job.Kafka, err = connect.Clients(cmd, c); err != nil {
			return err
		}
	}
	total := p.events
	if len(p.from) == 0 {
		if err := p.traffic.Validate(); err != nil {
			return command.Usagef("%w", err)
		}
		job.Traffic = produce.NewTraffic(p.traffic)
	} else if job.File, total, err = p.file.Open(cmd, p.from, files.Options{Key: c.VisitorHashKey, Buckets: p.traffic.Buckets,
		NeedTime: job.RecordTime == produce.EventTime, Untimed: "; --record-time now sends it anyway",
		Stdin: func(ctx context.Context) produce.Input { return files.OpenInput(ctx, a.In) }}); err != nil {
		return err
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
	done := files.ShowProgress(a, &job, "producing", total)
	summary, err := job.Run(cmd.Context())
	done()
	if err != nil && summary.Sent+summary.Failed+summary.Refused == 0 {
		return err // Nothing was begun: there is nothing to sum up.
	}
	return errors.Join(err, a.Print(p.output, summary, summary.WriteText))
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
