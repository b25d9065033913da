package page

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/paths"
)

// PathsParams are the query parameters of the page of paths.
var PathsParams = slices.Concat([]string{"from", "to", "period", "tz", links.LastDayParam}, links.PathParams, links.FilterParams)

// PathsView is what the page of paths shows.
type PathsView struct {
	At        links.Address // its values are those of PathsParams
	Answer    query.PathsAnswer
	Filtering *Filtering // how raw events were read
	Goals     []query.Goal
	Segments  []string // names of the site's
	Zone      *time.Location
	Read      time.Time
}

// PathStep is a step of the page, or the table of pairs.
type PathStep struct {
	Title      string
	Rows, Rest []PathRow
}

// PathRow is a page of a step, with the address that has the path go through it. Or it is a pair.
type PathRow struct {
	Page, Exit       string
	Address, ExitsBy string // ExitsBy has the pages before the exit page
	Sessions, Share  string
	Bar              float64 // percent
	Chosen           bool
}

// PathLink has a name with the addresses of the paths from and to it.
type PathLink struct{ Name, After, Before string }

// pathsData is a PathsView as its template has it.
type pathsData struct {
	Look                     links.Look
	Title, Site, Back, Range string
	CSV                      string
	Picker                   Picker
	Bar                      Bar
	Pairs, Before            bool
	Choices                  []links.Choice
	Steps                    []PathStep
	Goals                    []PathLink
	Kept                     []links.Choice // what the form of a page keeps
	Path, ReadAt             string
	Says                     string
}

// Paths writes the page of paths.
func Paths(w io.Writer, v PathsView) error {
	a, at := v.Answer, v.At
	from, to := a.From.In(v.Zone), a.To.In(v.Zone)
	d := pathsData{Look: at.Look, Title: v.title(), Site: locale.Text(at.Site), Back: at.OfSite().Back(),
		Range: locale.Range(from, locale.SoFar(to, v.Read)), Pairs: a.Direction == "",
		Before: a.Direction == paths.Before, ReadAt: v.Read.In(v.Zone).Format("15:04:05"),
		Path: at.Base + links.PathsPath(at.Site), Picker: pickerOf(at, from, to, v.Read),
		Bar: sessionBar(at, v.Filtering, v.Segments, links.PathsPath(at.Site)), Kept: at.StartingAt("", "").Kept()}
	d.Choices = v.choices()
	for _, g := range v.Goals {
		if g.Active && !g.Deleted {
			d.Goals = append(d.Goals, PathLink{locale.Text(cmp.Or(g.Name, g.ID)), at.StartingAt("fromGoal", g.ID).With(),
				at.StartingAt("toGoal", g.ID).With()})
		}
	}
	if v.Filtering.Why == "" {
		d.Says, d.Steps, d.CSV = v.says(), v.steps(), v.csv()
	}
	return render(w, at.Look, "paths.html", d)
}

// start is what paths begin at, in words.
func (v PathsView) start() string {
	if v.Answer.Goal != "" {
		name := v.Answer.Goal
		for _, g := range v.Goals {
			if g.ID == name && !g.Deleted && g.Name != "" {
				return "goal " + locale.Text(g.Name)
			}
		}
		return "goal " + locale.Text(name)
	}
	return locale.Text(v.Answer.Page)
}

func (v PathsView) title() string {
	switch v.Answer.Direction {
	case paths.After:
		return "Pages after " + v.start()
	case paths.Before:
		return "Pages before " + v.start()
	}
	return "Entry and exit pages"
}

// choices lead to the other direction, and to pairs.
func (v PathsView) choices() []links.Choice {
	a := v.Answer
	if a.Direction == "" {
		return nil
	}
	of, value := "Page", a.Page
	if a.Goal != "" {
		of, value = "Goal", a.Goal
	}
	return []links.Choice{{Title: "before", Address: v.At.StartingAt("to"+of, value).With(), Chosen: a.Direction == paths.Before},
		{Title: "after", Address: v.At.StartingAt("from"+of, value).With(), Chosen: a.Direction == paths.After},
		{Title: "entry and exit pages", Address: v.At.StartingAt("", "").With()}}
}

func (v PathsView) says() string {
	n := v.Answer.Sessions
	said := locale.Count(n) + " sessions"
	if n == 1 {
		said = "1 session"
	}
	switch {
	case v.Answer.Direction == "":
		return said + " viewed a page."
	case v.Answer.Goal != "":
		return said + " reached the goal."
	}
	return said + " viewed the page."
}

// steps are the rows, step by step.
func (v PathsView) steps() (all []PathStep) {
	for _, r := range v.Answer.Rows {
		if len(all) == 0 || r.Step > len(all) {
			all = append(all, PathStep{Title: "Step " + strconv.Itoa(r.Step)})
		}
		s := &all[len(all)-1]
		row := PathRow{Page: locale.Text(r.Page), Exit: locale.Text(r.ExitPage), Sessions: locale.Count(r.Sessions),
			Share: lists.ShareOf(r.Share)}
		if r.Share != nil {
			row.Bar = 100 * *r.Share
		}
		switch r.Kind {
		case paths.Page:
			through := append(slices.Clone(v.At.Through[:min(len(v.At.Through), r.Step-1)]), r.Page)
			row.Chosen = len(v.At.Through) >= r.Step && v.At.Through[r.Step-1] == r.Page
			if len(through) == r.Step {
				at := v.At
				at.Through = through
				row.Address = at.With()
			}
			s.Rows = append(s.Rows, row)
		case paths.Pair:
			row.Address, row.ExitsBy = v.At.StartingAt("fromPage", r.Page).With(), v.At.StartingAt("toPage", r.ExitPage).With()
			s.Rows = append(s.Rows, row)
		default:
			row.Page = map[paths.Kind]string{paths.Others: lists.OthersRow, paths.DropOff: "(left)"}[r.Kind]
			if r.Kind == paths.DropOff && v.Answer.Direction == paths.Before {
				row.Page = "(began here)"
			}
			s.Rest = append(s.Rest, row)
		}
	}
	return all
}

// csv is the address of the API's answer to the same question.
func (v PathsView) csv() string {
	values := v.At.Ranged()
	for _, name := range slices.Concat(links.PathParams, []string{links.MaxEventsParam}) {
		if v.At.Values[name] != "" {
			values.Set(name, v.At.Values[name])
		}
	}
	if len(v.At.Through) > 0 {
		values[links.ThroughParam] = v.At.Through
	}
	if v.Answer.Direction != "" {
		values.Set("steps", strconv.Itoa(min(len(v.At.Through)+1, paths.MaxSteps)))
	}
	values.Set("format", "csv")
	return links.To(v.At.Base+"/api/v1"+links.PathsPath(v.At.Site), values)
}

// PathCard has links to paths.
type PathCard struct {
	Pairs string // address of the entry and exit pages
	Pages []PathLink
}

// pathLinks are the paths that a site's page names: those from and to its pages with most views.
func pathLinks(v SiteView) (all []PathLink) {
	for _, a := range v.Tops {
		if a.Dimension != "page" || len(all) > 0 {
			continue
		}
		for _, r := range a.Rows[:min(len(a.Rows), namedPaths)] {
			all = append(all, PathLink{locale.Text(r.Value), links.Paths(v.At, "fromPage", r.Value), links.Paths(v.At, "toPage", r.Value)})
		}
	}
	return all
}

// namedPaths is how many pages the card of paths names.
const namedPaths = 5
