package serve

import (
	"context"

	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// RealtimeInput asks what is happening at a site.
type RealtimeInput struct {
	SiteParams
	At    string `query:"at" doc:"End of the five minutes, an instant as in from; by default now. Dates are those of the site's own zone"`
	Pages int    `query:"pages" minimum:"1" maximum:"50" default:"10" doc:"Max. active pages"`
	BotParams
	ConsistentParams
}

func addRealtime(a api) {
	get(a, operation{"get-realtime", "/sites/{site}/realtime", "Current visitors and active pages",
		"The last five minutes of event time, and each of the last thirty as far as they are kept. As `footfall query realtime`. Those who ask " +
			"without parameters but pages within six seconds share one read of the table."},
		func(ctx context.Context, r *query.Reader, in *RealtimeInput) (query.RealtimeAnswer, error) {
			p := query.RealtimeParams{Site: in.Site, Pages: in.Pages, IncludeBots: in.IncludeBots, Consistent: in.Consistent}
			if p == (query.RealtimeParams{Site: in.Site, Pages: in.Pages}) && (in.At == "" || in.At == "now") {
				return a.currentFigures(ctx, in.Site, in.Pages)
			}
			if in.At != "" && in.At != "now" {
				at, err := ZoneParams{RangeParams: RangeParams{To: in.At}}.read(ctx, r, a.open(in.Site))
				if err != nil {
					return query.RealtimeAnswer{}, problem.Renamed(err, "to", "at")
				}
				p.At = at.To
			}
			return r.Realtime(ctx, p)
		})
}
