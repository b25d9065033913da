package show

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// What each answer looks like as rows. Columns carry the names of the answer's JSON.

// Layouts of instants for people.
const (
	toDay    = "2006-01-02"
	toMinute = "2006-01-02 15:04"
	toSecond = "2006-01-02 15:04:05"
	toMilli  = "2006-01-02 15:04:05.000"

	toItsMilli = "2006-01-02 15:04:05.999" // without zeros at the end
)

func (a sitesView) notes() []string { return remarks("", true, a.ExpiredOmitted, a.Cursor) }

func (a sitesView) sheets() []sheet { return []sheet{siteSheet("Sites", a.Sites)} }

func (a siteView) notes() []string {
	notes := remarks(a.SiteID, a.SiteKnown, 0, "")
	if a.Site != nil {
		notes = append(notes, notKept(a.Site)...)
	}
	return notes
}

// notKept says what is not kept of the site.
func notKept(s *query.Site) (notes []string) {
	for _, kept := range []struct {
		on   bool
		flag string
		what string
	}{{s.Realtime, "realtime", "no realtime minutes"}, {s.Recent, "recent", "no lists of recent sessions"}, {s.VisitorIndex, "visitor-index",
		"no sessions by visitor"}} {
		if !kept.on {
			notes = append(notes, fmt.Sprintf("The site keeps %s: footfall site update --%s on switches that on.", kept.what, kept.flag))
		}
	}
	return notes
}

func (a siteView) sheets() []sheet {
	var sites []query.Site
	if a.Site != nil {
		sites = []query.Site{*a.Site}
	}
	sheets := []sheet{siteSheet("Site "+a.SiteID, sites)}
	if a.Site == nil {
		return sheets
	}
	if len(a.Site.ShardsFrom)+len(a.Site.ZonesFrom) > 2 {
		sheets = append(sheets, siteChanges(a.Site))
	}
	if len(a.Site.UserAgents)+len(a.Site.Referrers)+len(a.Site.ExcludedPaths)+len(a.Site.ExcludedTypes) > 0 {
		sheets = append(sheets, siteLists(a.Site))
	}
	if len(a.Site.Rows) > 0 {
		sheets = append(sheets, siteRows(a.Site))
	}
	if len(a.Site.Properties) > 0 {
		sheets = append(sheets, siteProperties(a.Site))
	}
	return sheets
}

// siteProperties is a line for each property that the site has chosen.
func siteProperties(s *query.Site) sheet {
	chosen := sheet{title: "Properties as dimensions",
		columns: []column{{"property", "Dimension", false}, {"since", "Since (UTC)", false}}}
	for _, p := range s.Properties {
		chosen.rows = append(chosen.rows, []cell{textCell(query.PropertyPrefix + p.Key), sinceCell(p.Since)})
	}
	return chosen
}

// siteRows is a line for each dimension that has another number of rows than configured.
func siteRows(s *query.Site) sheet {
	rows := sheet{title: "Values with their own figures per hour and partition",
		columns: []column{{"dimension", "Dimension", false}, {"rows", "Rows", true}}}
	for _, name := range slices.Sorted(maps.Keys(s.Rows)) {
		rows.rows = append(rows.rows, []cell{textCell(name), intCell(s.Rows[name])})
	}
	return rows
}

// siteChanges is a line for each number of shards and each zone.
func siteChanges(s *query.Site) sheet {
	changes := sheet{title: "Changes of shards and zone", columns: []column{{"from", "From (UTC)", false}, {"rule", "Rule", false},
		{"value", "Value", false}}}
	for _, x := range s.ShardsFrom {
		changes.rows = append(changes.rows, []cell{timeCell(x.From, toMinute), textCell("shards"), intCell(x.Shards)})
	}
	for _, x := range s.ZonesFrom {
		changes.rows = append(changes.rows, []cell{timeCell(x.From, toMinute), textCell("zone"), textCell(x.Zone)})
	}
	return changes
}

// siteLists is a line for each entry of the site's own lists.
func siteLists(s *query.Site) sheet {
	lists := sheet{title: "The site's own lists of bots, spam and exclusions",
		columns: []column{{"list", "List", false}, {"entry", "Entry", false}}}
	for _, x := range s.UserAgents {
		lists.rows = append(lists.rows, []cell{textCell("user agents"), textCell(x)})
	}
	for _, x := range s.Referrers {
		lists.rows = append(lists.rows, []cell{textCell("referrers"), textCell(x)})
	}
	for _, x := range s.ExcludedPaths {
		lists.rows = append(lists.rows, []cell{textCell("excluded paths"), textCell(x)})
	}
	for _, x := range s.ExcludedTypes {
		lists.rows = append(lists.rows, []cell{textCell("excluded types"), textCell(x)})
	}
	return lists
}

func siteSheet(title string, sites []query.Site) sheet {
	deleted := "" // Shown to people where any is.
	if slices.ContainsFunc(sites, func(s query.Site) bool { return s.DeletedAt != nil }) {
		deleted = "Deleted (UTC)"
	}
	budget := "" // As well, as the next one.
	if slices.ContainsFunc(sites, func(s query.Site) bool { return s.EventsPerSecond > 0 }) {
		budget = "Budget/s"
	}
	isNew := "" // As well.
	if slices.ContainsFunc(sites, func(s query.Site) bool { return s.NewVisitors }) {
		isNew = "New visitors"
	}
	s := sheet{title: title, none: "None.", columns: []column{{"siteId", "Site", false}, {"created", "", false},
		{"name", "Name", false}, {"domains", "Domains", false}, {"owner", "Owner", false}, {"createdAt", "Created (UTC)", false},
		{"timeZone", "Zone", false}, {"shards", "Shards", true}, {"rawDays", "Raw days", true}, {"sessionDays", "Session days", true},
		{"hourDays", "Hour days", true}, {"dayDays", "Day days", true}, {"revision", "", true},
		{"deletedAt", deleted, false}, {"realtime", "", false}, {"recent", "", false}, {"visitorIndex", "", false},
		{"queryParameters", "", false},
		{"eventsPerSecond", budget, true}, {"newVisitors", isNew, false}, {"newVisitorsSince", "", false}, {"visitorDays", "", true}}}
	for _, x := range sites {
		s.rows = append(s.rows, []cell{textCell(x.SiteID), boolCell(x.Created), textCell(x.Name),
			textCell(strings.Join(x.Domains, " ")), textCell(x.Owner), timeCell(x.CreatedAt, toMinute), textCell(x.Zone), intCell(x.Shards),
			daysCell(x.Retention.RawDays), daysCell(x.Retention.SessionDays), daysCell(x.Retention.HourDays), daysCell(x.Retention.DayDays),
			intCell(x.Revision), timeCell(x.DeletedAt, toMinute), boolCell(x.Realtime), boolCell(x.Recent), boolCell(x.VisitorIndex),
			parametersCell(x.QueryParameters), intCell(x.EventsPerSecond), boolCell(x.NewVisitors),
			timeCell(x.NewVisitorsSince, toMinute), daysCell(x.Retention.VisitorDays)})
	}
	return s
}

func (a uniquesView) notes() (notes []string) {
	if a.IncludesBots {
		notes = append(notes, "Events include bots; visitors do not, because visitors of bots are not kept.")
	}
	if note := aboutEstimates(a.VisitorsError); note != "" {
		notes = append(notes, note)
	}
	notes = append(append(notes, covered(a.Coverage)...), whereStored(a.Stored)...)
	return append(notes, remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, "")...)
}

func (a uniquesView) sheets() []sheet {
	columns := []column{{"from", "", false}, {"to", "", false}, {"uniqueVisitors", "Visitors", true}, {"exact", "Exact", false},
		{"events", "Events", true}, botColumns[0], {"hours", "Hours", true}}
	return []sheet{{title: fmt.Sprintf("Site %s, %s", a.Site, spanText(&a.From, &a.To)),
		columns: shown(columns, a.IncludesBots || a.BotEvents > 0, botColumns[0]),
		rows: [][]cell{{timeCell(&a.From, toMinute), timeCell(&a.To, toMinute), estimateCell(&a.UniqueVisitors, a.VisitorsError),
			boolCell(a.Exact), intCell(a.Events), intCell(a.BotEvents), intCell(a.Hours)}}}}
}

func (a realtimeView) notes() []string {
	notes := append(aboutBots(a.IncludesBots), remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, "")...)
	if a.SwitchedOff {
		notes = append(notes, "Realtime is switched off for this site, so there are no minutes of it: footfall site update --realtime on "+
			"switches it on.")
	}
	return notes
}

func (a realtimeView) sheets() []sheet {
	now := sheet{title: fmt.Sprintf("Site %s, the last five minutes, %s", a.Site, spanText(&a.From, &a.To)),
		columns: a.withBots(column{"from", "", false}, column{"to", "", false}, column{"currentVisitors", "Current visitors", true},
			column{"pageViews", "Page views", true}, column{"events", "Events", true}),
		rows: [][]cell{{timeCell(&a.From, toMinute), timeCell(&a.To, toMinute), intCell(a.CurrentVisitors), intCell(a.PageViews),
			intCell(a.Events),
			intCell(a.BotEvents), intCell(a.BotPageViews)}}}
	pages := sheet{title: "Active pages", none: "None.",
		columns: []column{{"page", "Page", false}, {"pageViews", "Page views", true}, {"maxUndercount", "Max. undercount", true}}}
	for _, p := range a.ActivePages {
		pages.rows = append(pages.rows, []cell{textCell(p.Page), intCell(p.PageViews), intCell(p.Uncertain)})
	}
	series := sheet{title: "Minutes" + a.minutesText(), none: "None.", columns: a.withBots(column{"start", "Start (UTC)", false},
		column{"pageViews", "Page views", true}, column{"events", "Events", true}, column{"visitors", "Visitors", true})}
	for _, m := range a.Series {
		series.rows = append(series.rows, []cell{timeCell(&m.Start, toMinute), intCell(m.PageViews), intCell(m.Events), intCell(m.Visitors),
			intCell(m.BotEvents), intCell(m.BotPageViews)})
	}
	return []sheet{now, pages, series}
}

// minutesText says which minutes are listed.
func (a realtimeView) minutesText() string {
	if len(a.Series) == 0 {
		return ""
	}
	return ", " + spanText(&a.Series[0].Start, &a.To)
}

func (a sessionsView) notes() []string {
	notes := append(whereStored(a.Stored), remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, a.Cursor)...)
	switch {
	case a.SwitchedOff && a.Recent:
		return append(notes, "The list of recent sessions is switched off for this site, so those opened since are not in it: footfall site "+
			"update --recent on switches it on. "+
			"--visitor and --user find those of a visitor or user.")
	case a.SwitchedOff:
		return append(notes, "Sessions by visitor are switched off for this site, so those opened since are not among these: footfall site "+
			"update --visitor-index on switches it on.")
	}
	if a.Recent && a.SiteKnown && len(a.Sessions) == 0 && a.Cursor == "" {
		notes = append(notes, "The list of recent sessions holds those that were opened in the last two days: --visitor and --user find those "+
			"of a visitor or user "+
			"for as long as sessions are kept, and footfall query stats counts all.")
	}
	return notes
}

func (a sessionsView) sheets() []sheet {
	return []sheet{sessionSheet(fmt.Sprintf("Sessions of site %s, %s", a.Site, spanText(a.From, a.To)), a.Sessions)}
}

func (a sessionView) notes() []string { return remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, "") }

func (a sessionView) sheets() []sheet {
	s := sessionDetails(fmt.Sprintf("Session %s of site %s", a.SessionID, a.Site), a.Parts)
	if len(a.Parts) > 1 {
		s.title += fmt.Sprintf(", seen by %d partitions", len(a.Parts))
		s.footers = [][]cell{a.sums(s.columns)}
	}
	return []sheet{s}
}

// sums are the cells of all parts together.
func (a sessionView) sums(columns []column) []cell {
	known := map[string]cell{"sessionId": textCell(a.SessionID), "startedAt": timeCell(a.StartedAt, toItsMilli),
		"endedAt": timeCell(a.EndedAt, toItsMilli), "durationMs": exactDuration(a.DurationMs), "pageViews": intCell(a.PageViews),
		"events": intCell(a.Events)}
	row := make([]cell, len(columns))
	for i, c := range columns {
		row[i] = known[c.name]
	}
	return row
}

// sessionDetails shows people all that is known of a session, a field a line, and a column for each part.
func sessionDetails(title string, parts []query.Session) sheet {
	s := sessionSheet(title, parts)
	s.details = true
	titles := map[string]string{"openedAt": "Opened (UTC)", "endedAt": "Ended (UTC)"}
	for _, d := range figures.Dimensions {
		titles[d.Field] = d.Title
	}
	for i, c := range s.columns {
		s.columns[i].title = cmp.Or(titles[c.name], c.title)
		for n, part := range parts {
			switch at := &s.rows[n][i]; c.name {
			case "openedAt":
				*at = timeCell(&part.OpenedAt, toItsMilli)
			case "startedAt":
				*at = timeCell(&part.StartedAt, toItsMilli)
			case "endedAt":
				*at = timeCell(&part.EndedAt, toItsMilli)
			case "durationMs":
				*at = exactDuration(part.DurationMs)
			case "bounce", "engaged":
			default:
				*at = at.whole()
			}
		}
	}
	return s
}

func sessionSheet(title string, sessions []query.Session) sheet {
	s := sheet{title: title, none: "None.", columns: []column{{"sessionId", "Session", false},
		{"visitorId", "Visitor", false}, {"userId", "User", false}, {"openedAt", "", false}, {"startedAt", "Started (UTC)", false},
		{"endedAt", "", false}, {"durationMs", "Duration", true}, {"pageViews", "Page views", true}, {"events", "Events", true},
		{"bounce", "Bounce", false}, {"engaged", "Engaged", false}, {"entryPage", "Entry page", false}, {"exitPage", "Exit page", false}},
		ids: true, minor: []string{"partition", "engaged", "bounce", "events", "userId", "visitorId"}}
	for _, d := range figures.Dimensions {
		switch {
		case d.Column:
			s.columns = append(s.columns, column{d.Field, d.Title, false})
		case d.Field != "":
			s.columns = append(s.columns, column{d.Field, "", false})
		}
	}
	s.columns = append(s.columns, column{"goals", "Goals", false}, column{"partition", "Partition", false})
	for _, x := range sessions {
		row := []cell{textCell(x.SessionID), textCell(x.VisitorID), textCell(x.UserID),
			timeCell(&x.OpenedAt, toSecond), timeCell(&x.StartedAt, toSecond), timeCell(&x.EndedAt, toSecond), durationCell(&x.DurationMs),
			intCell(x.PageViews), intCell(x.Events), boolCell(x.Bounce), boolCell(x.Engaged), textCell(x.EntryPage), textCell(x.ExitPage)}
		for _, said := range reflect.ValueOf(x.Origin).Fields() {
			row = append(row, textCell(said.String()))
		}
		s.rows = append(s.rows, append(row, textCell(numbersText(x.Goals)), textCell(x.Partition)))
	}
	return s
}

// numbersText lists the numbers of goals.
func numbersText(numbers []uint64) string {
	return strings.Trim(fmt.Sprint(numbers), "[]")
}

func (a eventsView) notes() []string {
	notes := append(whereStored(a.Stored), remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, a.Cursor)...)
	if k := a.Kept; k != nil {
		notes = append(notes, fmt.Sprintf("The site keeps raw events for %d days: those of before %s have expired.", k.Days,
			k.From.Format(time.RFC3339)))
	}
	return notes
}

func (a eventsView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Events of site %s, %s", a.Site, spanText(a.From, a.To)), none: "None.",
		columns: []column{{"ulid", "", false}, {"timestamp", "Time (UTC)", false}, {"type", "Type", false}, {"id", "", false},
			{"visitorId", "Visitor", false}, {"sessionId", "Session", false}, {"userId", "User", false}, {"url", "URL", false},
			{"referrer", "", false}, {"title", "", false}, {"userAgent", "", false}, {"name", "Name", false}, {"value", "Value", true}},
		ids: true, minor: []string{"source", "userId", "visitorId", "sessionId"}}
	for _, d := range figures.Given {
		s.columns = append(s.columns, column{figures.Dimensions[d].Name, "", false})
	}
	s.columns = append(s.columns, column{"properties", "", false}, column{"recordTime", "", false}, column{"source", "Source", false},
		column{"bot", "Bot", false}, column{"foreign", "", false}, column{"excluded", "", false})
	for _, e := range a.Events {
		row := []cell{textCell(e.ULID), timeCell(&e.Timestamp, toMilli), textCell(e.Type), textCell(e.ID),
			textCell(e.VisitorID), textCell(e.SessionID), textCell(e.UserID), textCell(e.URL), textCell(e.Referrer), textCell(e.Title),
			textCell(e.UserAgent), textCell(e.Name), textCell(e.Value)}
		for _, field := range givenOfEvents {
			row = append(row, textCell(reflect.ValueOf(e).Field(field).String()))
		}
		s.rows = append(s.rows, append(row, textCell(string(e.Properties)), timeCell(&e.RecordTime, toMilli),
			textCell(e.Source), textCell(e.Bot), boolCell(e.Foreign), boolCell(e.Excluded)))
	}
	return []sheet{s}
}

var givenOfEvents = figures.GivenFields[query.Event]()
