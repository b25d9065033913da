package page

import (
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// SiteView is what a site's page shows.
type SiteView struct {
	At          links.Address
	Site        *query.Site            // nil: the site has events and no settings
	Stats       query.StatsAnswer      // with a bucket for each hour, day and so on
	Tops        []query.TopAnswer      // of Lists
	TopsBefore  []query.TopAnswer      // of ListsBefore; nil: the range is not compared
	Goals       query.GoalStatsAnswer  // of the range
	GoalsBefore *query.GoalStatsAnswer // of the earlier range; nil: it is not compared
	// Goals under filters, of both ranges; nil: there are no filters, or raw events were not read.
	FilteredGoals, FilteredGoalsBefore *query.FilteredGoalTotals

	Realtime    query.RealtimeAnswer
	Streamed    bool                   // who asks may have realtime figures as they change
	Funnels     *query.FunnelsAnswer   // nil: they are not shown
	Retention   *query.RetentionAnswer // nil: it is not shown
	Sessions    *query.SessionsAnswer  // recent ones; nil: they are not shown
	Filtering   *Filtering             // how the filters were answered; nil: there are none
	Absent      []string               // why lists of Tops are not there, "": they are; nil: all are
	Verified    query.VerifiedAnswer   // the last recount
	Annotations query.AnnotationsAnswer
	Fired       query.AlertsAnswer
	Segments    []string    // that the page can be in
	Wrong       *WrongField // of a form, whose value was left out; nil: none
	Bounded     bool        // who asks may see one range only, which has no earlier one
	Read        time.Time   // when all of it was read
	Units       float64     // read units that it consumed
}

// title is the name of a site, or its id.
func title(v SiteView) string {
	if v.Site != nil && v.Site.Name != "" {
		return locale.Text(v.Site.Name)
	}
	return locale.Text(v.At.Site)
}

// Filtering says how the filters of a page were answered.
type Filtering struct {
	Scope   query.Scope
	Source  query.FilterSource // of the figures; "": there are none
	Cost    *query.FilterCost  // of raw events; nil: none were read, or it is not to be shown
	Missing int64              // raw events that figures lack
	Lacking uint64             // events that the figures may lack at most
	// Why raw events could not be read; "": they were. TooMany says that they can be if the page is asked to.
	Why     string
	TooMany bool
	Since   time.Time         // from when on the filters can be answered; zero: nothing has expired, or it is not known
	Alone   []query.Condition // of several filters, those that breakdowns can answer alone
	// The range of the page, in the zone of its days. To is zero if it is not over.
	From, To time.Time
	// NotCompared is why the earlier range was not read; "": it was, or was not asked for. Dear says that it can be if the page is asked to.
	NotCompared string
	Dear        bool
	Compared    bool // the cost is that of both ranges
	None        bool // nothing passes
}
