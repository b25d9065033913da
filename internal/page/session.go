package page

import (
	"io"
	"net/url"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// SessionParams are the query parameters of the page of a session.
var SessionParams = []string{"tz", "cursor", links.BackParam}

// SessionView is what the page of a session shows.
type SessionView struct {
	At      links.Address // its values are those of SessionParams
	Session query.SessionAnswer
	Events  query.EventsAnswer
	Goals   []query.Goal
	Zone    *time.Location
	Units   float64
}

// Fact is something that is known of a session.
type Fact struct{ Name, Value, Address string }

// Step is an event of a session.
type Step struct {
	At, After  string // the time, and how long after the first event of the session
	Kind       string // its type, or "Page view"
	What       string // the page or the name
	Title      string
	Value      string
	Properties string
}

// sessionData is a SessionView as its template has it.
type sessionData struct {
	Look                                links.Look
	Title, Site, Back, List, Next, Zone string
	Facts                               []Fact
	Steps                               []Step
	Notes                               []string
}

// Session writes the page of a session.
func Session(w io.Writer, v SessionView) error {
	v.At.OfSessions = true
	d := sessionData{Look: v.At.Look, Title: locale.Text(v.Session.SessionID), Site: locale.Text(v.At.Site), Back: v.At.Home(),
		List:  v.At.Origin().Sessions(),
		Facts: facts(v), Zone: v.Zone.String()}
	for _, e := range v.Events.Events {
		d.Steps = append(d.Steps, stepOf(e, v))
	}
	if v.Events.Cursor != "" {
		values := v.At.WithBack(v.At.Zoned())
		values.Set("cursor", v.Events.Cursor)
		d.Next = links.To(v.At.Base+links.SessionPath(v.At.Site, v.Session.SessionID), values)
	}
	if n := v.Session.Events - int64(len(v.Events.Events)); n > 0 && v.Events.Cursor == "" && v.At.Values["cursor"] == "" {
		d.Notes = append(d.Notes,
			locale.Count(n)+" of "+locale.Count(v.Session.Events)+" events are not shown: raw events have expired, were erased, or are "+
				"not kept for this site.")
	}
	if len(v.Session.Parts) > 1 {
		d.Notes = append(d.Notes,
			locale.Count(int64(len(v.Session.Parts)))+" partitions saw this session. What is said of its origin is what the "+
				"first saw.")
	}
	return render(w, v.At.Look, "session.html", d)
}

// facts are what is known of a session, without what is not.
func facts(v SessionView) (all []Fact) {
	add := func(name, value string) {
		if value != "" && value != locale.Unknown {
			all = append(all, Fact{Name: name, Value: value})
		}
	}
	a := v.Session
	if a.StartedAt != nil {
		add("Started", locale.Spell(a.StartedAt.In(v.Zone), "Mon 2 Jan 2006, 15:04:05"))
	}
	add("Duration", locale.Span(a.DurationMs))
	add("Page views", locale.Count(a.PageViews))
	add("Events", locale.Count(a.Events))
	if len(a.Parts) == 0 {
		return all
	}
	s := a.Parts[0]
	if s.VisitorID != "" {
		all = append(all, Fact{"Visitor", locale.Text(s.VisitorID), v.others("visitor", s.VisitorID)})
	}
	if s.UserID != "" {
		all = append(all, Fact{"User", locale.Text(s.UserID), v.others("user", s.UserID)})
	}
	add("Entry page", locale.Text(s.EntryPage))
	add("Exit page", locale.Text(s.ExitPage))
	add("Source", joined(locale.Host(s.Referrer), s.Channel))
	add("Campaign", joined(s.UTMCampaign, s.UTMSource, s.UTMMedium, s.UTMContent, s.UTMTerm))
	add("Place", locality(s.City, s.Region, s.Country))
	add("Device", joined(s.Device, s.Browser, s.OS))
	add("Goals", joined(v.reached(s.Goals)...))
	return all
}

// others is the address of the list of sessions of the same visitor or user.
func (v SessionView) others(parameter, id string) string {
	values := v.At.WithBack(v.At.Zoned())
	values.Set(parameter, id)
	return links.To(v.At.Base+links.SessionsPath(v.At.Site), values)
}

// reached are the names of goals by their numbers.
func (v SessionView) reached(numbers []uint64) (names []string) {
	of := make(map[uint64]string, len(v.Goals))
	for _, g := range v.Goals {
		if of[g.Number] = g.Name; g.Name == "" {
			of[g.Number] = g.ID
		}
	}
	for _, n := range numbers {
		name, ok := of[n]
		if !ok {
			name = "a goal that was deleted"
		}
		names = append(names, name)
	}
	return names
}

func stepOf(e query.Event, v SessionView) Step {
	s := Step{At: e.Timestamp.In(v.Zone).Format("15:04:05"), Kind: locale.Text(e.Type), What: locale.Text(e.Name), Title: locale.Text(e.Title),
		Value: locale.Text(e.Value)}
	if v.Session.StartedAt != nil {
		s.After = "+" + locale.Span(e.Timestamp.Sub(*v.Session.StartedAt).Milliseconds())
	}
	if e.Type == "page_view" {
		s.Kind = "Page view"
	}
	if s.What == "" || e.Type == "page_view" {
		s.What = locale.Text(pageOf(e.URL))
	}
	if p := string(e.Properties); p != "" && p != "{}" {
		s.Properties = locale.Text(p)
	}
	return s
}

// pageOf is an address without scheme and host, or all of it if it has none.
func pageOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	if u.Path == "" {
		u.Path = "/"
	}
	if u.RawQuery != "" {
		return u.Path + "?" + u.RawQuery
	}
	return u.Path
}
