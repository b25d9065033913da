package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/footfall/footfall/query"
)

//go:embed templates/*.html
var sources embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"text": text, "t": say, "cells": cellsOf, "units": units,
	"style": assetPath("style"), "icon": assetPath("icon"), "script": assetPath("script")}).
	ParseFS(sources, "templates/*.html"))

// render writes a document in the language of its look, or nothing but an error.
func render(w io.Writer, look Look, name string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	_, err := io.WriteString(w, spelledHTML(b.String(), look.Language, look.words(name)))
	return err
}

// SiteView is what a site's page shows.
type SiteView struct {
	At          Address
	Site        *query.Site            // nil: the site has events and no settings
	Stats       query.StatsAnswer      // with a bucket for each hour, day and so on
	Tops        []query.TopAnswer      // of Lists
	TopsBefore  []query.TopAnswer      // of ListsBefore; nil: the range is not compared
	Goals       query.GoalStatsAnswer  // of the range
	GoalsBefore *query.GoalStatsAnswer // of the earlier range; nil: it is not compared
	// Goals under filters, of both ranges; nil: there are no filters, or raw events were not read.
	FilteredGoals, FilteredGoalsBefore *query.FilteredGoalTotals

	Realtime    query.RealtimeAnswer
	Streamed    bool                  // who asks may have realtime figures as they change
	Funnels     *query.FunnelsAnswer  // nil: they are not shown
	Sessions    *query.SessionsAnswer // recent ones; nil: they are not shown
	Filtering   *Filtering            // how the filters were answered; nil: there are none
	Absent      []string              // why lists of Tops are not there, "": they are; nil: all are
	Verified    query.VerifiedAnswer  // the last recount
	Annotations query.AnnotationsAnswer
	Wrong       *WrongField // of a form, whose value was left out; nil: none
	Bounded     bool        // who asks may see one range only, which has no earlier one
	Read        time.Time   // when all of it was read
	Units       float64     // read units that it consumed
}

// siteData is a SiteView as its template has it.
type siteData struct {
	SiteView
	Look                Look
	Title, Range, Zone  string
	Head                string // title, range and filters
	Before              string // the earlier range; "": none
	Earlier, Later      string // addresses of the ranges of equal length before and after
	Tiles               []Tile
	Graph               Graph
	Ranges, Sizes, Kept []Choice
	Comparisons         []Choice
	Cards               []Card
	GoalRows            []GoalRow
	Now                 Now
	Newcomers           Newcomers
	SessionRows         []SessionRow
	AllSessions         string
	Alerts, Notes       []string
	StatsCSV, GoalsCSV  string
	From, Last, OwnZone string // first and last day of the range, and the zone of its days
	SiteZone            string // address of the page in the site's zone; "": it is
	Zoom                string // address of the page without a range
	ReadAt              string
	HasEvents, HasGoals bool
	FunnelLinks         []FunnelLink
	MoreFunnels         bool // than those
	Bar                 Bar
	Against             string // the range that the address compares with; "": it names none
	AgainstKept         []Choice
	SessionsKept        bool
	Shown               string // the range that is shown, for the form of another one
}

// Site writes the page of a site.
func Site(w io.Writer, v SiteView) error {
	a := v.Stats
	if v.Filtering != nil {
		v.At.lacks = lacking(v.Filtering.Scope)
	}
	d := siteData{SiteView: v, Look: v.At.Look, Title: title(v), Range: rangeText(a.From, a.To), Zone: zoneNote(a, v.Site),
		Tiles: tiles(a, v.At),
		Graph: graph(a, v.At), Ranges: v.At.ranges(), Sizes: v.At.sizes(string(a.By), query.Sizes),
		Kept:        v.At.kept("from", "to", "period", "by", "tz"),
		Comparisons: v.At.comparisons(), Cards: cards(v), GoalRows: v.goals(),
		Now:       nowOf(v.Realtime, v.At, a.From.Location()),
		Newcomers: newcomers(a, v.Site, v.At.Look), AllSessions: v.At.Sessions(), Alerts: alerts(v), Notes: notes(v),
		StatsCSV: v.statsCSV(), GoalsCSV: v.goalsCSV(),
		From: v.Wrong.or("from", a.From.Format(time.DateOnly)), Last: v.Wrong.or(LastDayParam, a.To.Add(-1).Format(time.DateOnly)),
		OwnZone: v.Wrong.or("tz", a.Zone), Shown: v.At.shown(),
		Zoom:   v.At.With("from", "", "to", "", "period", "", "by", ""),
		ReadAt: v.Read.In(a.From.Location()).Format("15:04:05"), HasEvents: a.Totals != nil && a.Totals.Events > 0}
	if v.Streamed {
		d.Now.Stream = v.At.Realtime() + "/stream"
	}
	d.Earlier, d.Later = steps(a, v.At, v.Read)
	d.Bar = bar(v.At, v.Filtering, v.Site, v.At.Base+SitePath(v.At.Site), func(a Address) string { return a.With() })
	d.Against, d.AgainstKept = v.Wrong.or("compare", text(v.At.comparedWith())), v.At.kept("compare")
	if p := a.Previous; p != nil {
		d.Before = rangeText(p.From, p.To)
	}
	if v.At.Values["tz"] != "" && (v.Site == nil || v.Site.Zone != a.Zone) {
		d.SiteZone = v.At.With("tz", "")
	}
	if v.Sessions != nil {
		for _, s := range v.Sessions.Sessions {
			d.SessionRows = append(d.SessionRows, sessionRow(s, v.At, a.From.Location()))
		}
		d.SessionsKept = !v.Sessions.SwitchedOff
	}
	d.HasGoals = len(d.GoalRows) > 0
	d.Head = strings.Join(append([]string{d.Title, d.Range}, v.At.saysAll()...), " · ")
	if v.Funnels != nil {
		d.FunnelLinks, d.MoreFunnels = funnelLinks(*v.Funnels, v.At), v.Funnels.Cursor != ""
	}
	return render(w, v.At.Look, "site.html", d)
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
			return spell(from, "Mon "+day)
		}
		return spell(from, day) + " – " + spell(last, day)
	}
	return spell(from, day+", 15:04") + " – " + spell(to, day+", 15:04")
}

// soFar is the end of a range, or when it was read where it ends with an hour that is not over.
func soFar(to, read time.Time) time.Time {
	if to.Equal(midnight(to)) || !to.After(read) || to.Sub(read) > time.Hour {
		return to
	}
	return read.In(to.Location())
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// FaultView is why there is no page.
type FaultView struct {
	Title, Detail string
	Wrong         []string // what is wrong with parameters
	Site          string   // that was asked for; "": none
	Look          Look
}

// Fault writes a page that says why there is none.
func Fault(w io.Writer, v FaultView) error {
	v.Title = say(v.Title)
	return render(w, v.Look, "fault.html", v)
}

// Back is the page of the site about the range that is the default; "": there is no site.
func (v FaultView) Back() string {
	if v.Site == "" {
		return ""
	}
	return Address{Look: v.Look, Site: v.Site}.With()
}
