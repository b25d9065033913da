package serve

import "github.com/footfall/footfall/query"

// cursorOf returns the cursor of the page after an answer; "": it is the last, or no list.
func cursorOf(answer any) string {
	switch a := answer.(type) {
	case query.SitesAnswer:
		return a.Cursor
	case query.SitesFiguresAnswer:
		return a.Cursor
	case query.EachSiteAnswer:
		return a.Cursor
	case query.StatsAnswer:
		return a.Cursor
	case query.TopAnswer:
		return a.Cursor
	case query.GoalStatsAnswer:
		return a.Cursor
	case query.GoalsAnswer:
		return a.Cursor
	case query.ConversionsAnswer:
		return a.Cursor
	case query.FunnelsAnswer:
		return a.Cursor
	case query.SessionsAnswer:
		return a.Cursor
	case query.EventsAnswer:
		return a.Cursor
	case query.AnnotationsAnswer:
		return a.Cursor
	case query.AlertsAnswer:
		return a.Cursor
	}
	return ""
}
