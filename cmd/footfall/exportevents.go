package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

func newExportEvents(a *app) *cobra.Command {
	var q asker
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "events SITE --from INSTANT",
		Short: "Raw events of a site",
		Long: `Write the raw events of a site in a range, in the order of event time; events of the same millisecond in the order of the log. Events
of bots are included.

Each line is an event in the format of docs/events.md, which footfall produce --from-file reads. Times are RFC 3339, values exact
numbers, properties as they were sent. An event that was sent without an id is exported without one. If it is published to its old
topic, it counts again. Texts that footfall truncated when it stored the event stay truncated.

Expired events are left out; stderr has their number. If raw events are switched off, the exit code is 1.

` + rangeHelp + `

` + datesHelp,
		Example: `  footfall export events shop.example --from 2026-05-01 --to 2026-06-01 --zstd --output may.ndjson.zst
  footfall export events shop.example --from -1h | jq -r .url
  footfall produce --from-file may.ndjson.zst --topic copy --create-topic --retention never`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.fromText == "" && q.periodText == "" {
				return usagef("--from: say where the range begins, as in --from -7d, or name it, as in --period last-month")
			}
			q.site = args[0]
			return a.exportEvents(cmd, &q, f)
		},
	}
	f.add(cmd)
	q.addRange(cmd, "")
	cmd.Flags().Lookup("from").Usage = "start of the range; required, unless --period names it"
	cmd.Flags().Lookup("to").Usage = "end of the range, exclusive (default: now)"
	q.addZone(cmd)
	cmd.Flags().BoolVar(&q.consistent, "consistent", false, "use strongly consistent reads, at twice the cost")
	return cmd
}

// exportEvents opens the table and writes its raw events.
func (a *app) exportEvents(cmd *cobra.Command, q *asker, f exportFlags) error {
	return q.withReader(a, cmd, func(ctx context.Context, r *query.Reader) error {
		var done query.EventsExport
		err := a.export(f, func(out io.Writer) (err error) {
			counted, finish := a.showLines(out)
			defer finish()
			lines := bufio.NewWriterSize(counted, 64<<10)
			done, err = r.ExportEvents(ctx, query.ExportEventsParams{Site: q.site, From: q.from, To: q.to, Consistent: q.consistent}, lines)
			return errors.Join(err, lines.Flush())
		})
		if err != nil {
			return err
		}
		for _, note := range show.ExportNotes(done) {
			fmt.Fprintln(a.err, note)
		}
		return unknownSite(done, show.CSV)
	})
}

// showLines shows on a terminal how many bytes have been written to out; elsewhere it does nothing. finish takes the bar away.
func (a *app) showLines(out io.Writer) (counted io.Writer, finish func()) {
	bar, finish := a.progress("exporting", -1, progressbar.OptionShowBytes(true))
	if bar == nil {
		return out, finish
	}
	return io.MultiWriter(out, bar), finish
}

// progress returns a bar on a terminal, nil elsewhere, and what takes it away. A bar that cannot be drawn is no reason to stop.
func (a *app) progress(what string, total int64, more ...progressbar.Option) (bar *progressbar.ProgressBar, finish func()) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	bar = progressbar.NewOptions64(total, append([]progressbar.Option{progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish()}, more...)...)
	return bar, func() { _ = bar.Finish() }
}
