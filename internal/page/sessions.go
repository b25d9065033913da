package page

import (
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// SessionsParams are the query parameters of the list of sessions.
var SessionsParams = []string{"from", "to", "period", "tz", "visitor", "user", "cursor", links.BackParam, links.WhereParam,
	links.SegmentParam}

// RecentSessions is how many sessions a site's page shows.
const RecentSessions = 5

// SessionsView is what the list of sessions shows.
type SessionsView struct {
	At     links.Address // its values are those of SessionsParams
	Answer query.SessionsAnswer
	Zone   *time.Location
	Units  float64
}

// SessionRow is a session in a list.
type SessionRow struct {
	Address, Started, Duration, Pages, Entry, Exit, Source, Place, Device string
	Goals                                                                 int
}

func sessionRow(s query.Session, at links.Address, zone *time.Location) SessionRow {
	row := SessionRow{Address: at.Session(s.SessionID), Started: locale.Spell(s.StartedAt.In(zone), "2 Jan, 15:04:05"),
		Duration: locale.Span(s.DurationMs),
		Pages:    locale.Count(s.PageViews), Entry: orUnknown(s.EntryPage), Exit: orUnknown(s.ExitPage),
		Source: orUnknown(locale.Host(s.Referrer)), Place: locality(s.City, s.Country),
		Device: joined(s.Browser, s.OS, s.Device), Goals: len(s.Goals)}
	if s.Referrer == "" && s.Channel != "" {
		row.Source = locale.Text(s.Channel)
	}
	return row
}

func orUnknown(s string) string {
	if s == "" {
		return locale.Unknown
	}
	return locale.Text(s)
}

// locality is a place, with the name of its country.
func locality(parts ...string) string {
	place := joined(parts...)
	if country := parts[len(parts)-1]; locale.IsCountry(country) {
		place = strings.TrimSuffix(place, country) + locale.Country(country)
	}
	return place
}

// joined are the texts that are not empty, with commas between them.
func joined(texts ...string) string {
	var all []string
	for _, s := range texts {
		if s != "" {
			all = append(all, locale.Text(s))
		}
	}
	if len(all) == 0 {
		return locale.Unknown
	}
	return strings.Join(all, ", ")
}

// sessionsData is a SessionsView as its template has it.
type sessionsData struct {
	Look                                     links.Look
	Title, Site, Back, Of, Next, First, Zone string
	SessionRows                              []SessionRow
	Notes                                    []string
}

// Sessions writes the list of sessions.
func Sessions(w io.Writer, v SessionsView) error {
	v.At.OfSessions = true
	a := v.Answer
	d := sessionsData{Look: v.At.Look, Title: "Sessions", Site: locale.Text(v.At.Site), Back: v.At.Home(), Zone: v.Zone.String(),
		Of: joinedOrNone("visitor", v.At.Values["visitor"]) + joinedOrNone("user", v.At.Values["user"])}
	if says := saysAll(v.At); len(says) > 0 {
		d.Of += " that pass: " + strings.Join(says, ", ")
	}
	for _, s := range a.Sessions {
		d.SessionRows = append(d.SessionRows, sessionRow(s, v.At, v.Zone))
	}
	if a.Cursor != "" {
		d.Next = v.page(a.Cursor)
	}
	if v.At.Values["cursor"] != "" {
		d.First = v.page("")
	}
	if a.SwitchedOff {
		d.Notes = append(d.Notes, "The site does not keep this list any more: sessions that were opened since it was switched off are missing.")
	}
	if a.Recent {
		d.Notes = append(d.Notes, "Recent sessions are listed for two days after they were opened.")
	}
	if a.ExpiredOmitted > 0 {
		d.Notes = append(d.Notes, locale.Count(int64(a.ExpiredOmitted))+" sessions of this page of the list have expired.")
	}
	return render(w, v.At.Look, "sessions.html", d)
}

func joinedOrNone(what, id string) string {
	if id == "" {
		return ""
	}
	return " of " + what + " " + locale.Text(id)
}

// page is the address of the list from a cursor on.
func (v SessionsView) page(cursor string) string {
	values := url.Values{}
	for name, value := range v.At.Values {
		values.Set(name, value)
	}
	if values.Del("cursor"); cursor != "" {
		values.Set("cursor", cursor)
	}
	return links.To(v.At.Base+links.SessionsPath(v.At.Site), v.At.Filtered(values))
}
