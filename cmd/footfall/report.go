package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// reportFormats are the formats of reports, by name.
var reportFormats = map[string]func(io.Writer, page.ReportView) error{"html": page.ReportHTML, "text": page.ReportText,
	"mime": page.ReportMIME}

func newReportCommand(a *app) *cobra.Command {
	var period, format string
	cmd := &cobra.Command{
		Use:   "report SITE",
		Short: "Print a summary of a site's last week or month, as HTML, text or a mail",
		Long: `Print a summary of the last whole week or month of a site, in its own zone, compared with the one before: totals, a graph by day, pages,
sources, channels, countries and goals.

--format html is a document that loads nothing: its styles and its graph, as SVG, are in it. --format text is plain text. --format mime is
a message with both, and a subject, to which the sender and the recipients are added before it is sent. footfall sends nothing itself.`,
		Example: `  footfall report shop.example --period month --format text
  footfall report shop.example > week.html
  (echo 'To: anna@shop.example'; footfall report shop.example --format mime) | sendmail -t`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := map[string]string{"week": "last-week", "month": "last-month"}
			if names[period] == "" {
				return usagef("--period %q: choose week or month", period)
			}
			if reportFormats[format] == nil {
				return usagef("--format %q: choose html, text or mime", format)
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				v, err := report(ctx, query.New(t.Table, sinks.Keys{}, time.Now), args[0], names[period])
				if err != nil {
					return blame(err)
				}
				return reportFormats[format](a.out, v)
			})
		},
	}
	cmd.Flags().StringVar(&period, "period", "week", "the last whole week or month: week, month")
	cmd.Flags().StringVar(&format, "format", "html", "format: html, text, mime")
	complete(cmd, "period", "week", "month")
	complete(cmd, "format", "html", "text", "mime")
	return cmd
}

// report reads what a report of a site says.
func report(ctx context.Context, r *query.Reader, site, period string) (v page.ReportView, err error) {
	v.Site = site
	dates, err := r.Dates(ctx, site)
	if err != nil {
		return v, err
	}
	of, err := dates.Period(period, time.Now())
	if err != nil {
		return v, err
	}
	p := query.StatsParams{Site: site, From: of.From, To: of.To, Unit: of.Unit, By: query.Day, Compare: true, Fill: true}
	if v.Stats, err = r.Stats(ctx, p); err != nil {
		return v, err
	}
	if v.Stats.UnknownSite() {
		return v, fmt.Errorf("site %q is not known: none of its events was counted, and it was not created", site)
	}
	if v.Tops, err = r.Tops(ctx, query.TopParams{Site: site, From: of.From, To: of.To}, page.ReportLists()); err != nil {
		return v, err
	}
	known, err := r.Site(ctx, query.SiteParams{Site: site})
	if err != nil {
		return v, err
	}
	v.Known = known.Site
	if v.Stats.Totals == nil || v.Stats.Totals.Conversions == 0 {
		return v, nil
	}
	v.Goals, err = r.GoalStats(ctx, query.StatsParams{Site: site, From: of.From, To: of.To, By: query.Day, Paging: query.Paging{Limit: 1}})
	return v, err
}
