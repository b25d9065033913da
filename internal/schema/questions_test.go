package schema

import (
	"context"
	"io"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
	"github.com/footfall/footfall/sinks"
)

// A pattern is a question that the read side answers.
type pattern struct {
	name    string // in the studies that the schema was drawn from: AP1 to AP7, Pattern 1 to 5; "": in none
	asks    string
	command string // of footfall, behind its name
	ask     func(ctx context.Context, r *query.Reader, strong bool) error

	// An example to compute read units for: how many items of a type are read, by the type's name. Of a type that is not
	// named one item is read.
	example string
	rows    map[string]int

	items  bool // raw events are items of their own; else they lie in packs
	atOnce bool // its queries are sent at once, and come in any order
}

// The ids and the range that questions are asked with. The ids spell the placeholders, so that templates read as such.
const (
	askSite    = "{site}"
	askSession = "{session}"
	askUser    = "{user}"
	askVisitor = "{visitor}"
	askOwner   = "{owner}"
	askFunnel  = "funnel" // No id of a funnel has braces.
	askGoal    = "{goal}"
)

// askVisit is a visit of askTP.
var askVisit = sinks.VisitID{Visitor: sinks.VisitorHash(askVisitor), TP: askTP, Position: 4711}.String()

var askTP = sinks.TP{Topic: 1}

var (
	askNow  = time.Date(2026, 5, 12, 14, 35, 0, 0, time.UTC)
	askFrom = askNow.Add(-24 * time.Hour)
	newest  = query.Paging{Desc: true}

	// A day and a month that are sealed.
	sealedDay   = time.Date(2026, 4, 12, 0, 0, 0, 0, time.UTC)
	sealedMonth = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
)

// only returns the error of an answer.
func only[A any](_ A, err error) error { return err }

// patterns are all questions of `footfall query`.
var patterns = []pattern{
	{
		name: "AP2", asks: "Events of a session", command: "query events SITE --session SESSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Events(ctx, query.EventsParams{Site: askSite, Session: askSession, Consistent: strong}))
		},
		example: "a session of 20 events, 100 in the packs that are read, 2 in each", rows: map[string]int{"session": 1, "pack": 50},
	},
	{
		name: "AP2", asks: "Events of a session, raw events as items", command: "query events SITE --session SESSION", items: true,
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Events(ctx, query.EventsParams{Site: askSite, Session: askSession, Consistent: strong}))
		},
		example: "a session of 20 events, 100 in its shard and span", rows: map[string]int{"session": 1, "event": 100},
	},
	{
		name: "AP2", asks: "Events of a visit", command: "query events SITE --session VISIT",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Events(ctx, query.EventsParams{Site: askSite, Session: askVisit, Consistent: strong}))
		},
		example: "a visit of 20 events, 100 in the packs that are read, 2 in each", rows: map[string]int{"session": 1, "topic": 1, "pack": 50},
	},
	{
		name: "AP3", asks: "A session", command: "query session SITE SESSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Session(ctx, query.SessionParams{Site: askSite, Session: askSession, Consistent: strong}))
		},
		example: "a session that one partition saw", rows: map[string]int{"session": 1},
	},
	{
		name: "AP4", asks: "Recent sessions", command: "query sessions SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Sessions(ctx, query.SessionsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong, Paging: newest}))
		},
		example: "100 sessions, named by 20 items of new sessions",
		rows:    map[string]int{"new sessions": 20, "recent sessions": 0, "session": 100},
		atOnce:  true,
	},
	{
		name: "AP5", asks: "Sessions of a user", command: "query sessions SITE --user USER",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Sessions(ctx, query.SessionsParams{Site: askSite, User: askUser, From: askFrom, To: askNow,
				Consistent: strong, Paging: newest}))
		},
		example: "20 sessions", rows: map[string]int{"session": 20},
	},
	{
		name: "Pattern 5", asks: "Sessions of a visitor", command: "query sessions SITE --visitor VISITOR",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Sessions(ctx, query.SessionsParams{Site: askSite, Visitor: askVisitor, From: askFrom, To: askNow,
				Consistent: strong, Paging: newest}))
		},
		example: "20 sessions of a day, among 800 items of new sessions",
		rows:    map[string]int{"new sessions": 800, "visitor sessions": 0, "session": 20},
		atOnce:  true,
	},
	{
		asks: "Visitors who come back, by the week in which they were new", command: "query retention SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Retention(ctx, retention.Params{Site: askSite, Consistent: strong}))
		},
		example: "13 weeks, one partition", rows: map[string]int{"topic": 1, "day stats": 93},
	},
	{
		name: "AP6, AP7, Pattern 3", asks: "Figures by hour", command: "query stats SITE --by hour",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Stats(ctx, query.StatsParams{Site: askSite, From: askFrom, To: askNow, By: query.Hour, Consistent: strong}))
		},
		example: "24 hours, one partition", rows: map[string]int{"topic": 1, "day stats": 2, "hour stats": 24, "uniques": 24, "journal entry": 0},
	},
	{
		name: "AP6, AP7, Pattern 3", asks: "Figures by day", command: "query stats SITE --by day",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Stats(ctx, query.StatsParams{Site: askSite, From: askFrom, To: askNow, By: query.Day, Consistent: strong}))
		},
		example: "30 days that are not sealed, one partition",
		rows:    map[string]int{"topic": 1, "hour stats": 720, "journal entry": 0, "uniques": 720, "day stats": 30, "month stats": 1},
	},
	{
		asks: "Distinct visitors of a range", command: "query uniques SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Uniques(ctx, query.UniquesParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "30 days, one partition",
		rows:    map[string]int{"topic": 1, "day stats": 2, "hour stats": 720, "journal entry": 0, "uniques": 720},
	},
	{
		asks: "Distinct visitors of sealed days", command: "query uniques SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Uniques(ctx, query.UniquesParams{Site: askSite, From: sealedDay, To: sealedDay.AddDate(0, 0, 1), Consistent: strong}))
		},
		example: "30 days", rows: map[string]int{"topic": 1, "day stats": 30, "month stats": 1, "sealed uniques of a day": 30},
	},
	{
		asks: "Distinct visitors of a sealed month", command: "query uniques SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Uniques(ctx, query.UniquesParams{Site: askSite, From: sealedMonth, To: sealedMonth.AddDate(0, 1, 0), Consistent: strong}))
		},
		example: "a month", rows: map[string]int{"topic": 1, "day stats": 30, "month stats": 1, "sealed uniques of a month": 1},
	},
	{
		asks: "Top values of a dimension over a range", command: "query top SITE DIMENSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Top(ctx, query.TopParams{Site: askSite, Dimension: "page", From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "24 hours, one partition",
		rows:    map[string]int{"topic": 1, "day stats": 2, "hour stats": 24, "journal entry": 0, "breakdown": 24},
	},
	{
		asks: "Top values of a dimension over sealed days", command: "query top SITE DIMENSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Top(ctx, query.TopParams{Site: askSite, Dimension: "page", From: sealedDay, To: sealedDay.AddDate(0, 0, 1),
				Consistent: strong}))
		},
		example: "30 days", rows: map[string]int{"topic": 1, "day stats": 30, "month stats": 1, "sealed breakdown of a day": 30},
	},
	{
		asks: "Top values of a dimension over a sealed month", command: "query top SITE DIMENSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Top(ctx, query.TopParams{Site: askSite, Dimension: "page", From: sealedMonth, To: sealedMonth.AddDate(0, 1, 0),
				Consistent: strong}))
		},
		example: "a month", rows: map[string]int{"topic": 1, "day stats": 30, "month stats": 1, "sealed breakdown of a month": 1},
	},
	{
		asks: "Top values of a dimension over all sites", command: "query top --all-sites DIMENSION",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Top(ctx, query.TopParams{Dimension: "page", From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "100 sites of 24 hours, one partition", rows: map[string]int{"site list entry": 100, "site": 100, "hour stats": 2400,
			"journal entry": 0, "breakdown": 2400},
	},
	{
		asks: "Figures of all sites by day", command: "query stats --all-sites",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.StatsOfSites(ctx, query.SitesStatsParams{From: askFrom, To: askNow, By: query.Day, Consistent: strong}))
		},
		example: "100 sites of 30 days that are not sealed, one partition", rows: map[string]int{"site list entry": 100, "site": 100,
			"hour stats": 72_000, "journal entry": 0, "uniques": 72_000, "day stats": 3000, "month stats": 100},
	},
	{
		name: "Pattern 4", asks: "Current visitors and pages", command: "query realtime SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Realtime(ctx, query.RealtimeParams{Site: askSite, Consistent: strong}))
		},
		example: "12 minutes that are kept, one partition", rows: map[string]int{"realtime minute": 12},
	},
	{
		name: "Pattern 2", asks: "Raw events of a range", command: "query events SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Events(ctx, query.EventsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "1,600 events in packs of 2; days and months are read only if no event is found",
		rows:    map[string]int{"pack": 800, "day stats": 0, "month stats": 0},
	},
	{
		name: "Pattern 2", asks: "Raw events of a range, as items", command: "query events SITE", items: true,
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Events(ctx, query.EventsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "1,600 events; days and months are read only if no event is found",
		rows:    map[string]int{"event": 1600, "day stats": 0, "month stats": 0},
	},
	{
		name: "Pattern 1", asks: "What is known about a site", command: "query site SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Site(ctx, query.SiteParams{Site: askSite, Consistent: strong}))
		},
		example: "one site", rows: map[string]int{"site": 1, "site list entry": 1},
	},
	{
		asks: "All sites with their figures", command: "query sites",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.SitesFigures(ctx, query.SitesFiguresParams{From: sealedDay, To: sealedDay.AddDate(0, 0, 1),
				SitesParams: query.SitesParams{Consistent: strong}}))
		},
		example: "100 sites of 14 sealed days, one partition", rows: map[string]int{"site list entry": 100, "site": 100,
			"hour stats": 100, "day stats": 1400, "month stats": 100, "sealed uniques of a day": 1400},
	},
	{
		asks: "All sites", command: "site list",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Sites(ctx, query.SitesParams{Consistent: strong}))
		},
		example: "100 sites", rows: map[string]int{"site list entry": 100, "site": 100},
	},
	{
		asks: "Sites of an owner", command: "site list --owner OWNER",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Sites(ctx, query.SitesParams{Owner: askOwner, Consistent: strong}))
		},
		example: "10 sites", rows: map[string]int{"site": 10, "site list entry": 10},
	},
	{
		asks: "Funnels of a site", command: "funnel list SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Funnels(ctx, query.FunnelsParams{Site: askSite, Consistent: strong}))
		},
		example: "10 funnels", rows: map[string]int{"funnel": 10},
	},
	{
		asks: "The last recount of a site's figures", command: "query verified SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.LastVerified(ctx, query.VerifiedParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "20 recounts of the site and 20 of all sites, one partition", rows: map[string]int{"verification": 20, "topic": 1,
			"checkpoint": 1},
	},
	{
		asks: "What alerts of a site found", command: "query alerts SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Alerts(ctx, query.AlertsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "5 alerts, which found 20 things", rows: map[string]int{"alert": 5, "finding": 20},
	},
	{
		asks: "A funnel", command: "funnel show SITE FUNNEL",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Funnel(ctx, query.FunnelParams{Site: askSite, Funnel: askFunnel, Consistent: strong}))
		},
		example: "one funnel", rows: map[string]int{"funnel": 1},
	},
	{
		asks: "How far visitors came", command: "funnel report SITE FUNNEL",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.FunnelReport(ctx, query.FunnelReportParams{Site: askSite, Funnel: askFunnel, From: askFrom, To: askNow,
				Consistent: strong}))
		},
		// An hour whose events are all gone leads to the revision of its site's rules, which may say why.
		example: "24 hours of 100,000 events in packs of 2, one partition", rows: map[string]int{"funnel": 1, "topic": 1, "checkpoint": 3,
			"hour stats": 24, "pack": 50_000, "rules revision": 0},
	},
	{
		asks: "Pages before or after a page, or entry and exit pages", command: "query paths SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Paths(ctx, query.PathsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}))
		},
		example: "24 hours of 100,000 events in packs of 2, one partition", rows: map[string]int{"topic": 1, "checkpoint": 3,
			"hour stats": 28, "pack": 50_000, "rules revision": 0},
	},
	{
		asks: "All raw events of a range", command: "export events SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.ExportEvents(ctx, query.ExportEventsParams{Site: askSite, From: askFrom, To: askNow, Consistent: strong}, io.Discard))
		},
		example: "24 hours of 100,000 events in packs of 2, one partition", rows: map[string]int{"site list entry": 1, "site": 1, "topic": 1,
			"checkpoint": 3, "hour stats": 24, "pack": 50_000},
	},
	{
		asks: "Goals of a site", command: "goal list SITE",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Goals(ctx, query.GoalsParams{Site: askSite, Consistent: strong}))
		},
		example: "10 goals", rows: map[string]int{"goal": 10},
	},
	{
		asks: "One goal", command: "goal show SITE GOAL",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.Goal(ctx, query.GoalParams{Site: askSite, Goal: askGoal, Consistent: strong}))
		},
		example: "a goal", rows: map[string]int{"goal": 1},
	},
	{
		asks: "Conversions of a goal", command: "query conversions SITE GOAL",
		ask: func(ctx context.Context, r *query.Reader, _ bool) error {
			return only(r.Conversions(ctx, query.ConversionsParams{Site: askSite, Goal: askGoal, From: askFrom, To: askNow, Paging: newest}))
		},
		example: "100 conversions", rows: map[string]int{"goal": 1, "conversion": 100},
	},
	{
		asks: "Conversions of all goals by day", command: "query goals SITE --by day",
		ask: func(ctx context.Context, r *query.Reader, strong bool) error {
			return only(r.GoalStats(ctx, query.StatsParams{Site: askSite, From: askFrom, To: askNow, By: query.Day, Consistent: strong}))
		},
		example: "30 days that are not sealed, one partition, 10 goals",
		rows:    map[string]int{"topic": 1, "hour stats": 720, "journal entry": 0, "uniques": 720, "day stats": 30, "month stats": 1, "goal": 10},
	},
	{
		asks: "Any item", command: "query explain PK SK",
		ask: func(ctx context.Context, r *query.Reader, _ bool) error {
			return only(r.Item(ctx, sinks.Key{PK: "{pk}", SK: "{sk}"}))
		},
		example: "one item of 4 KB at most",
	},
}
