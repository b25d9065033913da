package records

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

func newExportEvents(a *command.App) *cobra.Command {
	var q ask.Asker
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

` + ask.PeriodHelp + `

` + ask.DatesHelp,
		Example: `  footfall export events shop.example --from 2026-05-01 --to 2026-06-01 --zstd --output may.ndjson.zst
  footfall export events shop.example --from -1h | jq -r .url
  footfall produce --from-file may.ndjson.zst --topic copy --create-topic --retention never`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.FromText == "" && q.PeriodText == "" {
				return command.Usagef("--from: say where the range begins, as in --from -7d, or name it, as in --period last-month")
			}
			q.Site = args[0]
			return exportEvents(a, cmd, &q, f)
		},
	}
	f.add(cmd)
	q.AddRange(cmd, "")
	cmd.Flags().Lookup("from").Usage = "start of the range; required, unless --period names it"
	cmd.Flags().Lookup("to").Usage = "end of the range, exclusive (default: now)"
	q.AddZone(cmd)
	cmd.Flags().BoolVar(&q.Consistent, "consistent", false, "use strongly consistent reads, at twice the cost")
	return cmd
}

// exportEvents opens the table and writes its raw events.
func exportEvents(a *command.App, cmd *cobra.Command, q *ask.Asker, f exportFlags) error {
	return q.WithReader(a, cmd, func(ctx context.Context, r *query.Reader) error {
		var done query.EventsExport
		err := export(a, f, func(out io.Writer) (err error) {
			counted, finish := showLines(a, out)
			defer finish()
			lines := bufio.NewWriterSize(counted, 64<<10)
			done, err = r.ExportEvents(ctx, query.ExportEventsParams{Site: q.Site, From: q.From, To: q.To, Consistent: q.Consistent}, lines)
			return errors.Join(err, lines.Flush())
		})
		if err != nil {
			return err
		}
		for _, note := range show.ExportNotes(done) {
			fmt.Fprintln(a.Err, note)
		}
		return ask.UnknownSite(done, show.CSV)
	})
}

// showLines shows on a terminal how many bytes have been written to out; elsewhere it does nothing. finish takes the bar away.
func showLines(a *command.App, out io.Writer) (counted io.Writer, finish func()) {
	bar, finish := a.Progress("exporting", -1, progressbar.OptionShowBytes(true))
	if bar == nil {
		return out, finish
	}
	return io.MultiWriter(out, bar), finish
}
