package page

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/query"
)

// FunnelParams are the query parameters of the page of a funnel.
var FunnelParams = slices.Concat([]string{"from", "to", "period", "tz", links.LastDayParam}, links.FilterParams)

// MostFunnelEvents is how many packed raw events the page of a funnel reads if it is asked to. Without being asked, it reads FilterEvents.
const MostFunnelEvents = query.DefaultMaxFunnelEvents

// ListedFunnels is how many funnels a site's page names.
const ListedFunnels = 20

// FunnelLink is a funnel that a site's page names.
type FunnelLink struct{ Name, Address, Steps string }

func funnelLinks(a query.FunnelsAnswer, at links.Address) (all []FunnelLink) {
	for _, f := range a.Funnels {
		all = append(all, FunnelLink{funnelName(f), at.AtFunnel(f.FunnelID),
			locale.Say("%s {step|steps}", len(f.Steps))})
	}
	return all
}

func funnelName(f query.Funnel) string {
	if f.Name != "" {
		return locale.Text(f.Name)
	}
	return locale.Text(f.FunnelID)
}

// FunnelView is what the page of a funnel shows.
type FunnelView struct {
	At     links.Address // its values are those of FunnelParams
	Answer query.FunnelReportAnswer
	Zone   *time.Location
	Read   time.Time
	// Filtering says how the filters were answered, and Segments names the site's. Without filters Filtering is nil, and what follows says it.
	Filtering *Filtering
	Segments  []string
	Cost      *query.FilterCost // that was estimated; nil: nothing was
	// Why raw events could not be read; "": they were, and Answer has steps. TooMany says that they can be if the page is asked to.
	Why     string
	TooMany bool
	Limited bool // who asks hears nothing of how many raw events there are and what they cost, and cannot choose how many are read
}

// FunnelRow is a step of a funnel.
type FunnelRow struct {
	Step                        int
	What, Match                 string // in words, and as --step takes it
	Visitors, OfFirst, OfBefore string
	Left, LeftShare, Median     string  // of those who reached the step before; "": it is the first step
	Bar                         float64 // percent of the visitors of the first step
	Worst                       bool    // most people left before it
}

// funnelRows are the steps of a report.
func funnelRows(steps []query.FunnelStep) (rows []FunnelRow) {
	worst := worstStep(steps)
	for i, s := range steps {
		row := FunnelRow{Step: s.Step, What: matchText(s.Match), Match: locale.Text(s.Match.String()), Visitors: locale.Count(s.Visitors),
			OfFirst: optional(s.OfFirst, locale.Percent)}
		if s.OfFirst != nil {
			row.Bar = 100 * *s.OfFirst
		}
		if i > 0 {
			row.OfBefore, row.Left = optional(s.OfBefore, locale.Percent), locale.Count(s.DropOff)
			row.Median, row.Worst = optionalSpan(s.MedianMs), s.Step == worst
			if s.OfBefore != nil {
				row.LeftShare = locale.Percent(1 - *s.OfBefore)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// worstStep is the step before which most people left, the first of several; 0: no one left.
func worstStep(steps []query.FunnelStep) (step int) {
	most := int64(0)
	for _, s := range steps {
		if s.Step > 1 && s.DropOff > most {
			step, most = s.Step, s.DropOff
		}
	}
	return step
}

// funnelText says in a sentence or two how far visitors got.
func funnelText(steps []query.FunnelStep) string {
	if len(steps) == 0 || steps[0].Visitors == 0 {
		return "No visitor reached the first step in this range."
	}
	first, last := steps[0], steps[len(steps)-1]
	said := fmt.Sprintf("%s of %s reached the last step: %s.", locale.Count(last.Visitors), visitorsText(first.Visitors),
		optional(last.OfFirst, locale.Percent))
	if worst := worstStep(steps); worst > 0 && len(steps) > 2 {
		said += fmt.Sprintf(" Most left before step %d: %s.", worst, visitorsText(steps[worst-1].DropOff))
	}
	return said
}

// matchText says in words what a step matches.
func matchText(p query.Pattern) string {
	if p.On != "page" {
		said := "Any event"
		if p.Type != "" {
			said = "Event " + locale.Text(p.Type)
		}
		if p.Name != "" {
			said += " named " + locale.Text(p.Name)
		}
		return said
	}
	how := map[string]string{"prefix": "begins with ", "contains": "contains ", "regexp": "matches "}[p.How]
	return "Page " + how + locale.Text(p.Text)
}

func visitorsText(n int64) string {
	if n == 1 {
		return "1 visitor"
	}
	return locale.Count(n) + " visitors"
}

// funnelData is a FunnelView as its template has it.
type funnelData struct {
	Look                         links.Look
	Title, Site, Back, Range     string
	Picker                       Picker
	Bar                          Bar
	Says, Refused, ReadThem, CSV string
	Rows                         []FunnelRow
	Notes                        []string
	ReadAt                       string
}

// Funnel writes the page of a funnel.
func Funnel(w io.Writer, v FunnelView) error {
	a := v.Answer
	from, to := a.From.In(v.Zone), a.To.In(v.Zone)
	d := funnelData{Look: v.At.Look, Title: funnelName(a.Funnel), Site: locale.Text(v.At.Site), Back: v.At.OfSite().Back(),
		Range: locale.Range(from, to), Notes: funnelNotes(v), ReadAt: v.Read.In(v.Zone).Format("15:04:05"),
		Picker: pickerOf(v.At, from, to, v.Read), Bar: sessionBar(v.At, v.Filtering, v.Segments, links.FunnelPath(v.At.Site, v.At.Funnel))}
	if v.Filtering != nil && v.Filtering.Why != "" { // The bar says why.
		return render(w, v.At.Look, "funnel.html", d)
	}
	if d.Refused = v.Why; v.Why != "" {
		if v.TooMany {
			d.ReadThem = v.At.With(links.MaxEventsParam, strconv.Itoa(MostFunnelEvents))
		}
		return render(w, v.At.Look, "funnel.html", d)
	}
	d.Says, d.Rows, d.CSV = funnelText(a.Steps), funnelRows(a.Steps), v.csv()
	return render(w, v.At.Look, "funnel.html", d)
}

// csv is the address of the API's answer to the same question.
func (v FunnelView) csv() string {
	values := v.At.Ranged()
	if !v.Limited {
		values.Set(links.MaxEventsParam, strconv.Itoa(MostFunnelEvents))
	}
	values.Set("format", "csv")
	return links.To(v.At.Base+"/api/v1"+links.FunnelPath(v.At.Site, v.At.Funnel)+"/report", values)
}

// funnelNotes say what must be known about the figures of a funnel.
func funnelNotes(v FunnelView) (all []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			all = append(all, locale.Say(format, args...))
		}
	}
	a := v.Answer
	f := a.Funnel
	strict := ""
	if f.Strict {
		strict = ", without another event between two steps"
	}
	add(len(f.Steps) > 0, "A visitor counts for a step if they did it and all before it in order, within %s from the first%s, all in this "+
		"range.", windowText(time.Duration(f.WindowMs)*time.Millisecond), strict)
	if v.Why != "" || v.Filtering != nil && v.Filtering.Why != "" {
		return all
	}
	units := a.ReadUnits
	if v.Cost != nil && !v.Limited {
		units += v.Cost.ReadUnits
		add(true, "Computed from %s raw {event|events} for %s read {unit|units}; %s {was|were} estimated before.",
			locale.Count(int64(a.EventsRead)),
			locale.Count(int64(units+0.5)),
			locale.Count(int64(v.Cost.ReadUnitsEstimated)))
	}
	add(a.BotEvents > 0 && !a.IncludesBots, "%s {event of bots does|events of bots do} not count.", locale.Count(a.BotEvents))
	add(a.EventsMissing > 0 && v.Filtering == nil, "%s raw {event is|events are} missing: those of people who were erased, or that were sent "+
		"twice.",
		locale.Count(a.EventsMissing))
	return all
}

// windowText spells how long a funnel gives its visitors.
func windowText(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d >= day && d%day == 0:
		return plural.Count(int(d/day), "day", "days")
	case d%time.Hour == 0:
		return plural.Count(int(d/time.Hour), "hour", "hours")
	case d%time.Minute == 0:
		return plural.Count(int(d/time.Minute), "minute", "minutes")
	}
	return d.String()
}
