package queries

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// reportFormats are the formats of reports, by name.
var reportFormats = map[string]func(io.Writer, page.ReportView) error{"html": page.ReportHTML, "text": page.ReportText,
	"mime": page.ReportMIME}

// NewReportCommand is footfall report.
func NewReportCommand(a *command.App) *cobra.Command {
	var period, format, segment string
	var where []string
	cmd := &cobra.Command{
		Use:   "report SITE",
		Short: "Print a summary of a site's last week or month, as HTML, text or an e-mail",
		Long: `Print a summary of the last whole week or month of a site, or of another period that is over, in its own zone, compared with the
one before: totals, a graph, pages, sources, channels, countries and goals. Periods are those of footfall
query stats, except that week and month are the last whole ones.

--segment and --where restrict it as in footfall query, always from raw events: these must be kept for both periods, otherwise it is of one.

--format html is a document that loads nothing: its styles and its graph, as SVG, are in it. --format text is plain text. --format mime is
a message with both, and a subject, to which the sender and the recipients are added before it is sent. footfall sends nothing itself.`,
		Example: `  footfall report shop.example --period month --format text
  footfall report shop.example > week.html
  footfall report shop.example --period 2026-10 > october.html
  footfall report shop.example --segment german-phones --format text
  (echo 'To: anna@shop.example'; footfall report shop.example --format mime) | sendmail -t`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if last := map[string]string{"week": "last-week", "month": "last-month"}[period]; last != "" {
				period = last
			}
			if _, err := query.ParsePeriodIn(period, time.Now(), time.UTC); err != nil {
				return command.Usagef("--%w", err)
			}
			if reportFormats[format] == nil {
				return command.Usagef("--format %q: choose html, text or mime", format)
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				texts, err := segments.Under(ctx, t.Table, args[0], segment, where)
				if err != nil {
					return ask.Blame(err)
				}
				v, err := report(query.OfOneGeneration(ctx), query.New(t.Table, time.Now), args[0], period, texts)
				if err != nil {
					return ask.Blame(err)
				}
				return reportFormats[format](a.Out, v)
			})
		},
	}
	cmd.Flags().StringVar(&period, "period", "week", "period that is over: week and month, the last whole ones; yesterday, 28d, "+
		"last-week, last-month, last-year, a date, a month (2026-10) or a year")
	cmd.Flags().StringVar(&format, "format", "html", "format: html, text, mime")
	cmd.Flags().StringVar(&segment, "segment", "", ask.SegmentHelp)
	cmd.Flags().StringArrayVar(&where, "where", nil, "filter, as in footfall query: country=DE (repeat)")
	command.Complete(cmd, "period", "week", "month", "yesterday", "7d", "28d", "last-year")
	command.Complete(cmd, "format", "html", "text", "mime")
	return cmd
}

// report reads what a report of a site says, under filters if there are any.
func report(ctx context.Context, r *query.Reader, site, period string, filters []string) (v page.ReportView, err error) {
	v.Site = site
	dates, err := r.Dates(ctx, site)
	if err != nil {
		return v, err
	}
	now := time.Now()
	of, err := dates.Period(period, now)
	if err != nil {
		return v, err
	}
	if of.To.After(now) {
		return v, &query.ParamError{Param: "period", Value: period, Remedy: "it is not over in the site's zone: choose one that is, as " +
			"yesterday, last-week or last-month"}
	}
	if len(filters) > 0 {
		v.Where, err = query.ParseConditions(filters)
		if err == nil {
			err = filteredReport(ctx, r, &v, of)
		}
		return v, err
	}
	p := query.StatsParams{Site: site, From: of.From, To: of.To, Unit: of.Unit, By: page.ReportBuckets(of), Compare: true, Fill: true}
	if v.Stats, err = r.Stats(ctx, p); err != nil {
		return v, err
	}
	if v.Stats.UnknownSite() {
		return v, errUnknown(site)
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

// filteredReport reads what a report says under its filters, always from raw events.
func filteredReport(ctx context.Context, r *query.Reader, v *page.ReportView, of query.Range) error {
	a, err := r.FilteredLists(ctx, query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: v.Site, From: of.From,
		To: of.To, Unit: of.Unit, By: page.ReportBuckets(of), Compare: true, Fill: true, FilterParams: query.FilterParams{Where: v.Where}},
		Lists: page.ReportLists(), Goals: true})
	if err != nil {
		return err
	}
	if a.Stats.UnknownSite() {
		return errUnknown(v.Site)
	}
	v.Stats = filtered.Stats(a.Stats)
	for _, l := range a.Lists {
		if l.Refused != nil {
			return l.Refused
		}
		v.Tops = append(v.Tops, filtered.Top(l.FilteredTopAnswer))
	}
	if a.Goals != nil && a.Goals.Conversions > 0 {
		v.Goals = filtered.Goals(*a.Goals, a.Stats.From)
	}
	known, err := r.Site(ctx, query.SiteParams{Site: v.Site})
	v.Known = known.Site
	return err
}

func errUnknown(site string) error {
	return fmt.Errorf("site %q is not known: none of its events was counted, and it was not created", site)
}
