package show

import (
	"fmt"

	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// A view is how an answer looks to people, and as CSV.
type view interface {
	sheets() []sheet
	notes() []string
}

// viewOf returns the view of an answer of a [query.Reader], or of an explanation.
func viewOf(answer any) view {
	switch a := answer.(type) {
	case query.SitesAnswer:
		return sitesView(a)
	case query.SitesFiguresAnswer:
		return sitesFiguresView(a)
	case query.EachSiteAnswer:
		return eachSiteView(a)
	case query.SiteAnswer:
		return siteView(a)
	case query.StatsAnswer:
		return statsView(a)
	case query.FilteredStatsAnswer:
		return filteredStatsView(a)
	case query.FilteredUniquesAnswer:
		return filteredUniquesView(a)
	case query.FilteredTopAnswer:
		return filteredTopView(a)
	case query.FilteredGoalsAnswer:
		return filteredGoalsView(a)
	case query.PathsAnswer:
		return pathsView(a)
	case query.UniquesAnswer:
		return uniquesView(a)
	case query.TopAnswer:
		return topView(a)
	case query.RealtimeAnswer:
		return realtimeView(a)
	case query.SessionsAnswer:
		return sessionsView(a)
	case query.SessionAnswer:
		return sessionView(a)
	case query.EventsAnswer:
		return eventsView(a)
	case query.GoalsAnswer:
		return goalsView(a)
	case query.GoalAnswer:
		return goalView(a)
	case query.GoalStatsAnswer:
		return goalStatsView(a)
	case query.ConversionsAnswer:
		return conversionsView(a)
	case query.FunnelsAnswer:
		return funnelsView(a)
	case query.FunnelAnswer:
		return funnelView(a)
	case query.FunnelReportAnswer:
		return funnelReportView(a)
	case query.VerifiedAnswer:
		return verifiedView(a)
	case query.RetentionAnswer:
		return retentionView(a)
	case schema.Explanation:
		return explanationView(a)
	}
	return viewOfEntered(answer)
}

// viewOfEntered returns the view of an answer about what people have entered.
func viewOfEntered(answer any) view {
	switch a := answer.(type) {
	case query.AnnotationsAnswer:
		return annotationsView(a)
	case query.AnnotationAnswer:
		return annotationView(a)
	case query.AlertsAnswer:
		return alertsView(a)
	case segments.SegmentsAnswer:
		return segmentsView(a)
	case segments.SegmentAnswer:
		return segmentView(a)
	}
	panic(fmt.Sprintf("no view of a %T", answer))
}

// The views, whose methods say what is in them. Columns carry the names of the answer's JSON.
type (
	sitesView        query.SitesAnswer
	sitesFiguresView query.SitesFiguresAnswer
	eachSiteView     query.EachSiteAnswer
	siteView         query.SiteAnswer
	statsView        query.StatsAnswer
	uniquesView      query.UniquesAnswer
	topView          query.TopAnswer
	realtimeView     query.RealtimeAnswer
	sessionsView     query.SessionsAnswer
	sessionView      query.SessionAnswer
	eventsView       query.EventsAnswer
	goalsView        query.GoalsAnswer
	goalView         query.GoalAnswer
	goalStatsView    query.GoalStatsAnswer
	conversionsView  query.ConversionsAnswer
	funnelsView      query.FunnelsAnswer
	funnelView       query.FunnelAnswer
	funnelReportView query.FunnelReportAnswer
	pathsView        query.PathsAnswer
	annotationsView  query.AnnotationsAnswer
	annotationView   query.AnnotationAnswer
	alertsView       query.AlertsAnswer
	segmentsView     segments.SegmentsAnswer
	segmentView      segments.SegmentAnswer
	verifiedView     query.VerifiedAnswer
	retentionView    query.RetentionAnswer
	explanationView  schema.Explanation
)
