package page

import (
	"io"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// siteData is a SiteView as its template has it.
type siteData struct {
	SiteView
	Look               links.Look
	Title, Range, Zone string
	Head               string // title, range and filters
	Picker             Picker
	Comparison         Comparison
	Tiles              []chart.Tile
	Graph              Graph
	Cards              []Card
	GoalTable          GoalTable
	Now                lists.Now
	Newcomers          Newcomers
	SessionRows        []SessionRow
	AllSessions        string
	Alerts, Notes      []string
	SiteZone           string // address of the page in the site's zone; "": it is
	ReadAt             string
	HasEvents          bool
	FunnelList         FunnelList
	Paths              *PathCard // nil: the filters select events
	Bar                Bar
	SessionsKept       bool
}

// Picker is what chooses another range: links, and a form.
type Picker struct {
	Earlier, Later   string // addresses of the ranges of equal length before and after
	Ranges           []links.Choice
	Kept             []links.Choice // parameters that the form keeps
	From, Last, Zone string         // first and last day of the range, and the zone of its days
	Shown            string         // the range that is shown, for the form of another one
	Paged            bool           // the arrow keys turn the pages of a list
	Wrong            *WrongField    // nil: none, or what is wrong is said on a page of its own
}

// Comparison is the earlier range, and what chooses another one.
type Comparison struct {
	Before  string // the earlier range; "": none
	Choices []links.Choice
	With    string         // the range that the address compares with; "": it names none
	Kept    []links.Choice // parameters that the form keeps
}

// Graph is a graph with what is around it.
type Graph struct {
	chart.Graph
	Sizes []links.Choice // of its buckets
	Zoom  string         // address of the page without a range
	CSV   string         // address of all figures
}

// GoalTable is the table of the site's goals.
type GoalTable struct {
	Rows []GoalRow
	CSV  string // its address
}

// FunnelList has links to the site's funnels.
type FunnelList struct {
	Links []FunnelLink
	More  bool // than those
}

// Site writes the page of a site.
func Site(w io.Writer, v SiteView) error {
	a := v.Stats
	if v.Filtering != nil {
		v.At.Lacks = filtered.Lacking(v.Filtering.Scope, a)
		v.Filtering.None = a.Totals != nil && a.Totals.Events == 0
	}
	d := siteData{SiteView: v, Look: v.At.Look, Title: title(v), Range: locale.Range(a.From, a.To), Zone: zoneNote(a, v.Site),
		Tiles: chart.Tiles(a, v.At),
		Graph: Graph{Graph: chart.Draw(a, v.At), Sizes: v.At.Sizes(string(a.By), query.Sizes),
			Zoom: v.At.With("from", "", "to", "", "period", "", "by", ""), CSV: v.statsCSV()},
		Picker: v.picker(), Comparison: v.comparison(), Cards: cards(v), GoalTable: GoalTable{v.goals(), v.goalsCSV()},
		Now:       lists.NowOf(v.Realtime, v.At, a.From.Location()),
		Newcomers: newcomers(a, v.Site, v.At.Look), AllSessions: v.At.Sessions(), Alerts: alerts(v), Notes: notes(v),
		ReadAt: v.Read.In(a.From.Location()).Format("15:04:05"), HasEvents: a.Totals != nil && a.Totals.Events > 0}
	d.Newcomers.Retention = retentionOf(v)
	if v.Streamed {
		d.Now.Stream = links.Stream(v.At)
	}
	d.Bar = bar(v.At, v.Filtering, v.Site, v.Segments, v.At.Base+links.SitePath(v.At.Site), func(a links.Address) string { return a.With() })
	if v.At.Values["tz"] != "" && (v.Site == nil || v.Site.Zone != a.Zone) {
		d.SiteZone = v.At.With("tz", "")
	}
	if v.Sessions != nil {
		for _, s := range v.Sessions.Sessions {
			d.SessionRows = append(d.SessionRows, sessionRow(s, v.At, a.From.Location()))
		}
		d.SessionsKept = !v.Sessions.SwitchedOff
	}
	if query.ScopeOf(v.At.Where) == query.ScopeSessions {
		d.Paths = &PathCard{links.Paths(v.At, "", ""), pathLinks(v)}
	}
	d.Head = strings.Join(append([]string{d.Title, d.Range}, saysAll(v.At)...), " · ")
	if v.Funnels != nil {
		d.FunnelList = FunnelList{funnelLinks(*v.Funnels, v.At), v.Funnels.Cursor != ""}
	}
	return render(w, v.At.Look, "site.html", d)
}

func (v SiteView) picker() Picker {
	a := v.Stats
	earlier, later := links.Steps(a.From, a.To, v.At, v.Read)
	return Picker{Earlier: earlier, Later: later, Ranges: v.At.Ranges(), Kept: v.At.Kept("from", "to", "period", "by", "tz"),
		From: v.Wrong.or("from", a.From.Format(time.DateOnly)), Last: v.Wrong.or(links.LastDayParam, a.To.Add(-1).Format(time.DateOnly)),
		Zone: v.Wrong.or("tz", a.Zone), Shown: v.At.Shown(), Wrong: v.Wrong}
}

// pickerOf is the picker of a page about exactly this range.
func pickerOf(at links.Address, from, to, read time.Time) Picker {
	p := Picker{Ranges: at.Ranges(), Kept: at.Kept("from", "to", "period", "tz"), From: from.Format(time.DateOnly),
		Last: to.Add(-1).Format(time.DateOnly), Zone: from.Location().String()}
	p.Earlier, p.Later = links.Steps(from, to, at, read)
	return p
}

func (v SiteView) comparison() Comparison {
	c := Comparison{Choices: v.At.Comparisons(), With: v.Wrong.or("compare", locale.Text(v.At.ComparedWith())), Kept: v.At.Kept("compare")}
	if p := v.Stats.Previous; p != nil {
		c.Before = locale.Range(p.From, p.To)
	}
	return c
}

// statsCSV is the address of the figures as CSV: computed from what the page's are.
func (v SiteView) statsCSV() string {
	values := []string{"by", string(v.Stats.By)}
	if f := v.Filtering; f != nil && f.Source == query.FromEvents {
		values = append(values, "exact", "true")
	}
	return v.At.API("stats", values...)
}

// goalsCSV is the address of the conversions as CSV. Those under filters are of the whole range.
func (v SiteView) goalsCSV() string {
	if v.Filtering != nil {
		return v.At.API("goals")
	}
	return v.At.API("goals", "by", string(v.Stats.By))
}

// FaultView is why there is no page.
type FaultView struct {
	Title, Detail string
	Wrong         []string // what is wrong with parameters
	Site          string   // that was asked for; "": none
	Look          links.Look
}

// Fault writes a page that says why there is none.
func Fault(w io.Writer, v FaultView) error {
	v.Title = locale.Say(v.Title)
	return render(w, v.Look, "fault.html", v)
}

// Back is the page of the site about the range that is the default; "": there is no site.
func (v FaultView) Back() string {
	if v.Site == "" {
		return ""
	}
	return links.Address{Look: v.Look, Site: v.Site}.With()
}
