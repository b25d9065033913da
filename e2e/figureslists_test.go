//go:build unix

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// shownLists are the lists of a site's page: tab, dimension, figure, and the heading of its column.
var shownLists = [][4]string{
	{"sources", "referrer", "uniqueVisitors", "Visitors"}, {"channels", "channel", "uniqueVisitors", "Visitors"},
	{"campaigns", "utm_campaign", "uniqueVisitors", "Visitors"}, {"pages", "page", "pageViews", "Views"},
	{"entries", "page", "entries", "Entries"}, {"exits", "page", "exits", "Exits"}, {"countries", "country", "uniqueVisitors", "Visitors"},
	{"regions", "region", "uniqueVisitors", "Visitors"}, {"cities", "city", "uniqueVisitors", "Visitors"},
	{"devices", "device", "uniqueVisitors", "Visitors"}, {"browsers", "browser", "uniqueVisitors", "Visitors"},
	{"systems", "os", "uniqueVisitors", "Visitors"}, {"events", "event", "events", "Events"},
}

// checkLists compares the lists of the site's page. Views and events of rows, others and (none) are those of the tiles.
func (of siteAnswers) checkLists(totals map[string]any) {
	page := of.html(of.page)
	for _, l := range shownLists {
		tab, dimension, figure, heading := l[0], l[1], l[2], l[3]
		shown := rowsOf(element(element(page, "div", "data-panel", tab), "table", "", ""))
		values := slices.DeleteFunc(slices.Clone(shown), func(r shownRow) bool { return r.name == "Direct / none" || r.name == "(none)" })
		top := of.ask([]string{"query", "top", of.site, dimension, "--sort", figure, "--limit", "8"},
			of.path+"/top/"+dimension+"?limit=8&sort="+figure)
		n := 0
		for _, row := range list(top, "rows") {
			if row[figure].(float64) == 0 {
				continue
			}
			if n >= len(values) {
				of.t.Fatalf("%s: the list of %s has %d rows, and lacks %v", of.site, tab, len(values), row["value"])
			}
			what := fmt.Sprintf("%s: row %d of %s", of.site, n+1, tab)
			of.equal(what, values[n].name, strings.Join(strings.Fields(row["value"].(string)), " "))
			want := spelledFigure(figure, row)
			if valued, _ := number(row["values"]); tab == "events" && valued > 0 {
				want += " Σ " + spelledFigure("valueSum", row)
			}
			of.equal(what, values[n].cells[heading], want)
			of.equal(what, values[n].cells["Share"], spelledShare(row["share"]))
			n++
		}
		missing, _ := number(top["eventsNotBrokenDown"])
		if (tab == "pages" || tab == "events") && missing == 0 {
			sum := 0.0
			for _, row := range shown {
				events, _, _ := strings.Cut(row.cells[heading], " Σ ")
				sum += whole(of.t, events)
			}
			of.equal(of.site+": the sum of the list of "+tab, grouped(sum), grouped(totals[figure].(float64)))
		}
	}
}

func spelledShare(share any) string {
	if share == nil {
		return ""
	}
	return spelledFigure("share", map[string]any{"share": share})
}

// columnsOfTop are the figures of a dimension's page by the headings of their columns.
var columnsOfTop = map[string]string{"Visitors": "uniqueVisitors", "Page views": "pageViews", "Events": "events", "Sessions": "sessions",
	"Bounce rate": "bounceRate", "Avg. duration": "avgDurationMs", "Entries": "entries", "Exits": "exits", "Conversions": "conversions",
	"Conversion rate": "conversionRate", "Exit rate": "exitRate", "Values": "values", "Value sum": "valueSum"}

// checkTop compares the first page of the whole list of a dimension, and adds up all its pages.
func (of siteAnswers) checkTop(dimension string, totals map[string]any) {
	top := of.ask([]string{"query", "top", of.site, dimension, "--limit", "100"}, of.path+"/top/"+dimension+"?limit=100")
	sums := make(map[string]float64)
	of.addValues(dimension, top, sums, totals)
	if cursor := top["cursor"].(string); cursor != "" {
		rest := of.ask([]string{"query", "top", of.site, dimension, "--limit", "10000", "--cursor", cursor},
			of.path+"/top/"+dimension+"?limit=10000&cursor="+url.QueryEscape(cursor))
		of.addValues(dimension, rest, sums, totals)
		of.equal(of.site+": what follows the last page of "+dimension, fmt.Sprint(rest["cursor"]), "")
	}
	shown := rowsOf(element(of.html(of.page+"/top/"+url.PathEscape(dimension)), "table", "class", "all"))
	// What has no value is among the rows, where its share says.
	if at := slices.IndexFunc(shown, func(r shownRow) bool { return r.name == "Direct / none" || r.name == "(none)" }); at >= 0 {
		none := top["none"].(map[string]any)
		if cell, ok := shown[at].cells["Sessions"]; ok {
			of.equal(of.site+": sessions without a value of "+dimension, cell, grouped(none["sessions"].(float64)))
		}
		of.equal(of.site+": events without a value of "+dimension, shown[at].cells["Events"], grouped(none["events"].(float64)))
		shown = slices.Delete(shown, at, at+1)
	}
	others := list(map[string]any{"other": []any{top["other"]}}, "other")
	for i, row := range append(list(top, "rows"), others...) {
		if value, ok := row["value"].(string); ok {
			of.equal(fmt.Sprintf("%s: row %d of all of %s", of.site, i+1, dimension), shown[i].name, shownValue(dimension, value))
		} else if i >= len(shown) || shown[i].name != "(others)" { // There are none.
			continue
		}
		compared := 0
		for heading, spelled := range shown[i].cells {
			name := columnsOfTop[heading]
			what := fmt.Sprintf("%s: %s of %s in all of %s", of.site, heading, shown[i].name, dimension)
			switch {
			case heading == "Share":
				of.equal(what, spelled, spelledShare(row["share"]))
			case name != "" && name != "conversionRate" && name != "exitRate":
				of.equal(what, spelled, spelledFigure(name, row))
			default:
				continue
			}
			compared++
		}
		if compared < 4 {
			of.t.Errorf("%s: %d figures of a row of all of %s: %v", of.site, compared, dimension, shown[i].cells)
		}
	}
}

// shownValue is a value as a page has it: punycode as people write it.
func shownValue(dimension, value string) string {
	if dimension == "referrer" || dimension == "hostname" {
		if host, err := idna.Display.ToUnicode(value); err == nil {
			value = host
		}
	}
	return strings.Join(strings.Fields(value), " ")
}

// addValues adds a page of values to sums. Rows so far, others and events without a value are all events that are in breakdowns.
func (of siteAnswers) addValues(dimension string, top map[string]any, sums map[string]float64, totals map[string]any) {
	figures := []string{"events", "pageViews", "sessions", "bounces", "durationMs"}
	if strings.HasPrefix(dimension, "property:") {
		figures = figures[:2] // Sessions belong to no value of a property.
	}
	missing, _ := number(top["eventsNotBrokenDown"])
	for _, name := range figures {
		for _, row := range list(top, "rows") {
			sums[name] += row[name].(float64)
		}
		sum := sums[name] + top["other"].(map[string]any)[name].(float64)
		if none, ok := top["none"].(map[string]any); ok {
			sum += none[name].(float64)
		}
		want := totals[name].(float64)
		switch {
		case name == "events":
			want -= missing
		case missing > 0: // How many of them were page views is not known.
			continue
		}
		of.equal(fmt.Sprintf("%s: %s of rows, others and (none) of %s", of.site, name, dimension), fmt.Sprint(sum), fmt.Sprint(want))
	}
}

// checkSeveral compares the figures of what has any of several values with those of each, and of what has none of them. Values are quoted.
func (of siteAnswers) checkSeveral(dimension string) {
	var values []string
	top := of.ask([]string{"query", "top", of.site, dimension, "--limit", "100"}, of.path+"/top/"+dimension+"?limit=100")
	for _, row := range list(top, "rows") {
		if value := row["value"].(string); len(values) < 3 || strings.Contains(value, ",") && len(values) < 6 {
			values = append(values, `"`+strings.ReplaceAll(value, `"`, `""`)+`"`)
		}
	}
	if values == nil { // The data say no countries.
		return
	}
	events := func(filter string) float64 {
		stats := of.ask([]string{"query", "stats", of.site, "--exact", "--by", "day", "--where", filter},
			of.path+"/stats?by=day&exact=true&where="+url.QueryEscape(filter))
		totals := stats["totals"].(map[string]any)
		tiles := tilesOf(of.html(of.page + "?figure=events&where=" + url.QueryEscape(filter)))
		for _, title := range []string{"Visitors", "Page views", "Sessions", "Events"} {
			if spelled, shown := tiles[title]; shown {
				of.equal(of.site+": "+title+" of "+filter, spelled, spelledFigure(titledFigures[title], totals))
			}
		}
		return totals["events"].(float64)
	}
	sum := 0.0
	for _, value := range values {
		sum += events(dimension + "=" + value)
	}
	slices.Reverse(values)
	several := dimension + "=" + strings.Join(values, ",")
	of.equal(of.site+": events of "+several, fmt.Sprint(events(several)), fmt.Sprint(sum))
	all := events(dimension+"!=") + events(dimension+"=")
	others := events(strings.Replace(several, "=", "!=", 1))
	of.equal(of.site+": events of none of "+several, fmt.Sprint(others), fmt.Sprint(all-sum))
}

// checkGoals compares the goals, of which one site has some.
func (of siteAnswers) checkGoals() {
	goals := of.ask([]string{"query", "goals", of.site, "--by", "day"}, of.path+"/goals?by=day")
	shown := rowsOf(element(of.html(of.page), "table", "class", "goals"))
	totals, _ := goals["totals"].(map[string]any)
	all := list(totals, "goals")
	if of.site == monthOwn != (len(all) == 2) || len(shown) != len(all) {
		of.t.Fatalf("%s: %d goals on the page, %d in the answer", of.site, len(shown), len(all))
	}
	sum := 0.0
	for i, goal := range all {
		what := fmt.Sprintf("%s: goal %s", of.site, shown[i].name)
		of.equal(what, shown[i].cells["Conversions"], spelledFigure("conversions", goal))
		of.equal(what, shown[i].cells["Rate"], spelledFigure("conversionRate", goal))
		value, _ := number(goal["valueSum"])
		of.equal(what, fmt.Sprint(whole(of.t, shown[i].cells["Value"])), fmt.Sprint(value))
		sum += whole(of.t, shown[i].cells["Conversions"])
	}
	if len(all) > 0 {
		of.equal(of.site+": conversions of all goals", grouped(sum), tilesOf(of.html(of.page))["Conversions"])
	}
}

// checkSessions compares the first page of the list of sessions.
func (of siteAnswers) checkSessions() {
	sessions := list(of.ask([]string{"query", "sessions", of.site}, of.path+"/sessions"), "sessions")
	shown := rowsOf(element(of.html(of.page+"/sessions"), "table", "class", "all"))
	if len(shown) > len(sessions) || len(shown) < min(len(sessions), 50) {
		of.t.Fatalf("%s: %d sessions on the page, %d in the answer", of.site, len(shown), len(sessions))
	}
	for i, row := range shown {
		what := fmt.Sprintf("%s: session %d", of.site, i+1)
		of.equal(what, row.cells["Pages"], spelledFigure("pageViews", sessions[i]))
		of.equal(what, row.cells["Duration"], spelledFigure("avgDurationMs", map[string]any{"avgDurationMs": sessions[i]["durationMs"]}))
	}
}
