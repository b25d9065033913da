package serve

import "github.com/footfall/footfall/query"

// rowsOf returns the rows of a list, or the answer itself if it is none.
func rowsOf(answer any) []any {
	switch a := answer.(type) {
	case query.SitesAnswer:
		return rows(a.Sites)
	case query.StatsAnswer:
		return rows(a.Buckets)
	case query.TopAnswer:
		return rows(a.Rows)
	case query.GoalStatsAnswer:
		return rows(a.Buckets)
	case query.GoalsAnswer:
		return rows(a.Goals)
	case query.ConversionsAnswer:
		return rows(a.Conversions)
	case query.FunnelsAnswer:
		return rows(a.Funnels)
	case query.FunnelReportAnswer:
		return rows(a.Steps)
	case query.SessionsAnswer:
		return rows(a.Sessions)
	case query.EventsAnswer:
		return rows(a.Events)
	}
	return []any{answer}
}

func rows[R any](list []R) []any {
	all := make([]any, len(list))
	for i, row := range list {
		all[i] = row
	}
	return all
}

// cursorOf returns the cursor of the page after an answer; "": it is the last, or no list.
func cursorOf(answer any) string {
	switch a := answer.(type) {
	case query.SitesAnswer:
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
	}
	return ""
}
