package ask

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

// RangeHelp is said wherever a range is asked for.
const RangeHelp = `A range is half-open, [from, to). Its ends are` + InstantHelp

// InstantHelp lists how an instant is named.
const InstantHelp = `

  2026-05-12T14:00:00Z       RFC 3339
  2026-05-12, 2026-05, 2026  the first instant of a day, month or year in the zone
  today, yesterday           the first instant of that day
  -7d, -4w                   the beginning of the last 7 or 28 days, today included: --from -7d is today and the 6 days before
  -24h, -90m                 that long before now, not rounded to a day
  now`

// PeriodHelp is said where --period can name the range, too.
const PeriodHelp = RangeHelp + `

--period names a range instead: today, yesterday, week, month and year are current ones, last-week, last-month and last-year the ones
before; 7d, 28d or another number of days are whole days up to yesterday, as in Google Analytics and Plausible; 2026-05-12, 2026-05
and 2026 are a day, a month and a year. The answer says which range it used.`

// DatesHelp is said wherever a zone can be named.
const DatesHelp = `Dates and days are in the site's own zone (footfall site update --zone, UTC by default), or in that of --tz ZONE, an IANA name
as in Europe/Berlin.`

// ZoneHelp is said of figures, which are kept by whole hours.
const ZoneHelp = DatesHelp + ` Figures are kept by whole hours of the site's zone. So --tz must differ from it by whole hours
wherever a day or range begins.`

// SiteSearch is which sites of a list are shown.
type SiteSearch struct{ Text, Prefix string }

// AddFlags adds the flags of the search.
func (s *SiteSearch) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.Text, "search", "", "only sites with this text in their id, in upper or lower case (default: all)")
	cmd.Flags().StringVar(&s.Prefix, "prefix", "", "only sites whose id begins with this (default: all)")
}

// SiteCommand shows what is known about a site.
func SiteCommand(a *command.App, q *Asker) *cobra.Command {
	return Asking(a, q, &cobra.Command{
		Use:   "show SITE",
		Short: "Show a site",
		Long: "Print a site's metadata, zone, shards and retention, planned changes, and its own lists of bots and spam. A dash means: as " +
			"configured, or unknown.",
		Example: "  footfall site show shop.example",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Site(ctx, query.SiteParams{Site: args[0], Consistent: q.Consistent})
	})
}
