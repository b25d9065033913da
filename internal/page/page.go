package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/footfall/footfall/query"
)

//go:embed templates/*.html
var sources embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"text": text,
	"style": func() string { return Assets[0].Path }, "icon": func() string { return Assets[1].Path }}).ParseFS(sources, "templates/*.html"))

// render writes a document, or nothing but an error.
func render(w io.Writer, name string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// SiteView is what a site's page shows.
type SiteView struct {
	At       Address
	Site     *query.Site       // nil: the site has events and no settings
	Stats    query.StatsAnswer // with a bucket for each hour, day and so on
	Tops     []query.TopAnswer // of Lists
	Goals    query.GoalStatsAnswer
	Realtime query.RealtimeAnswer
	Read     time.Time // when all of it was read
	Units    float64   // read units that it consumed
}

// siteData is a SiteView as its template has it.
type siteData struct {
	SiteView
	Look                Look
	Title, Range, Zone  string
	Before              string // the earlier range; "": none
	Tiles               []Tile
	Graph               Graph
	Ranges, Sizes, Kept []Choice
	Comparison          Choice
	Lists               []List
	Empty               []string // titles of lists without values
	GoalRows            []GoalRow
	Notes               []string
	StatsCSV, GoalsCSV  string
	Active              []ListRow
	From, To            string
	Current             string
	ReadAt              string
	HasEvents, HasGoals bool
}

// Site writes the page of a site.
func Site(w io.Writer, v SiteView) error {
	a := v.Stats
	d := siteData{SiteView: v, Look: v.At.Look, Title: title(v), Range: rangeText(a.From, a.To), Zone: zoneNote(a, v.Site),
		Tiles: tiles(a, v.At),
		Graph: graph(a, v.At), Ranges: v.At.ranges(), Sizes: v.At.sizes(string(a.By), query.Sizes), Kept: v.At.hidden(),
		Comparison: v.At.comparison(), GoalRows: goalRows(v.Goals), Notes: notes(v),
		StatsCSV: v.At.API("stats", "by", string(a.By)), GoalsCSV: v.At.API("goals", "by", string(a.By)), Active: active(v.Realtime),
		From: a.From.Format(time.DateOnly), To: a.To.Format(time.DateOnly), Current: count(int64(v.Realtime.CurrentVisitors)),
		ReadAt: v.Read.In(a.From.Location()).Format("15:04:05"), HasEvents: a.Totals != nil && a.Totals.Events > 0}
	d.Lists, d.Empty = lists(v.Tops, v.At)
	if p := a.Previous; p != nil {
		d.Before = rangeText(p.From, p.To)
	}
	d.HasGoals = len(d.GoalRows) > 0
	return render(w, "site.html", d)
}

// title is the name of a site, or its id.
func title(v SiteView) string {
	if v.Site != nil && v.Site.Name != "" {
		return text(v.Site.Name)
	}
	return text(v.At.Site)
}

// rangeText spells a range with its last day included, as people do.
func rangeText(from, to time.Time) string {
	const day = "2 Jan 2006"
	if from.Equal(midnight(from)) && to.Equal(midnight(to)) {
		last := midnight(to.Add(-time.Hour))
		if !from.Before(last) {
			return from.Format("Mon " + day)
		}
		return from.Format(day) + " – " + last.Format(day)
	}
	return from.Format(day+", 15:04") + " – " + to.Format(day+", 15:04")
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// active are the busiest pages of the last minutes.
func active(a query.RealtimeAnswer) (rows []ListRow) {
	for i, p := range a.ActivePages {
		if i == 5 {
			break
		}
		rows = append(rows, ListRow{Value: text(p.Page), Figure: count(int64(p.PageViews)),
			Bar: 100 * float64(p.PageViews) / float64(max(1, a.ActivePages[0].PageViews))})
	}
	return rows
}

// GoalRow is a goal with its conversions.
type GoalRow struct{ Name, Conversions, Rate, Value, Since string }

func goalRows(a query.GoalStatsAnswer) (rows []GoalRow) {
	if a.Totals == nil {
		return nil
	}
	for _, g := range a.Totals.Goals {
		if g.Deleted && g.Conversions == 0 {
			continue
		}
		row := GoalRow{Name: text(g.Name), Conversions: count(g.Conversions), Rate: unknown, Value: g.ValueSum}
		if g.Name == "" {
			row.Name = text(g.ID)
		}
		if g.ConversionRate != nil {
			row.Rate = percent(*g.ConversionRate)
		}
		if g.Since != nil && g.Since.After(a.From) {
			row.Since = "since " + g.Since.In(a.From.Location()).Format("2 Jan 2006, 15:04")
		}
		rows = append(rows, row)
	}
	return rows
}

// FaultView is why there is no page.
type FaultView struct {
	Title, Detail string
	Wrong         []string // what is wrong with parameters
	Look          Look
}

// Fault writes a page that says why there is none.
func Fault(w io.Writer, v FaultView) error { return render(w, "fault.html", v) }
