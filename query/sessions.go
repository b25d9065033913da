package query

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/internal/sessionlists"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// SessionsParams ask for sessions of a site: those of a user, those of a visitor, or, with neither, all recent ones. The list of recent
// sessions is kept for two days.
type SessionsParams struct {
	Site          string
	User, Visitor string    // ids, at most one of the two
	From, To      time.Time // range of OpenedAt; To is exclusive; zero: open. For recent sessions it is widened to whole minutes
	// Where are filters that a session passes by its earliest event. Those that select events are refused.
	Where      []Condition
	Consistent bool // strongly consistent reads, except of the lists of users, which are an index
	Paging
}

// SessionsAnswer lists sessions in the order of OpenedAt. Recent sessions are paged minute by minute: sessions of the same minute are
// in order within a page, but not across pages.
type SessionsAnswer struct {
	Site string `json:"siteId"`
	Known
	From           *time.Time `json:"from"` // null: open
	To             *time.Time `json:"to"`   // exclusive; null: open
	Sessions       []Session  `json:"sessions"`
	ExpiredOmitted int        `json:"expiredCount"`
	Cursor         string     `json:"cursor"` // of the next page; "": this is the last
	// SwitchedOff says that the site keeps no such list any more. It lacks sessions that were opened since it was switched off.
	SwitchedOff bool `json:"switchedOff"`
	// Stored says where the site has data if the list of recent sessions has none of the range; nil: it has some, or the site has none.
	Stored *Stored `json:"stored,omitempty"`

	Recent bool `json:"-"` // this is the list of recent sessions, which is kept for two days
}

// Session is a session as one partition of the topic saw it. Producers that key their records by site or visitor keep each session in
// one partition. A session that two partitions saw counts as two sessions and is listed twice.
type Session struct {
	SessionID  string    `json:"sessionId"`
	VisitorID  string    `json:"visitorId"` // "": not known
	UserID     string    `json:"userId"`    // "": not known
	OpenedAt   time.Time `json:"openedAt"`  // event time of its first record; it never changes
	StartedAt  time.Time `json:"startedAt"` // earliest event time
	EndedAt    time.Time `json:"endedAt"`   // latest event time
	DurationMs int64     `json:"durationMs"`
	PageViews  int64     `json:"pageViews"`
	Events     int64     `json:"events"`
	Bounce     bool      `json:"bounce"`
	Engaged    bool      `json:"engaged"`
	EntryPage  string    `json:"entryPage"`
	ExitPage   string    `json:"exitPage"`
	Origin
	Goals     []uint64 `json:"goals"`     // numbers of the goals that it has reached, as Goal.Number; null: not known
	Partition string   `json:"partition"` // topic number and partition, 1_17
}

// Origin is what the earliest event of a session says about where the session came from and on what. A text is "" if the event says
// nothing, or if the table keeps no breakdowns.
type Origin struct {
	Hostname    string `json:"hostname"`
	Referrer    string `json:"referrer"` // its host
	Channel     string `json:"channel"`
	UTMSource   string `json:"utmSource"`
	UTMMedium   string `json:"utmMedium"`
	UTMCampaign string `json:"utmCampaign"`
	UTMContent  string `json:"utmContent"`
	UTMTerm     string `json:"utmTerm"`
	Country     string `json:"country"`
	Region      string `json:"region"`
	City        string `json:"city"`
	Device      string `json:"device"`
	Browser     string `json:"browser"`
	OS          string `json:"os"`
	EventName   string `json:"eventName"`
}

func originOf(v *state.Values) Origin {
	if v == nil {
		return Origin{}
	}
	var o Origin
	fields := reflect.ValueOf(&o).Elem()
	for d, field := range originFields {
		if field >= 0 {
			fields.Field(field).SetString(v[d])
		}
	}
	return o
}

var originFields = figures.OriginFields[Origin]()

// readSession reads a session's item. ok is false for one whose state was lost: nothing is known of it.
func readSession(it sinks.Item) (row Session, ok bool, err error) {
	s, err := state.SessionOf(it)
	if err != nil {
		return Session{}, false, sinks.Damaged(it.Key(), sinks.AttrCur, err)
	}
	sk, whose := it[sinks.AttrSK].Str(), state.IdentityOf(it)
	return Session{
		SessionID: whose.Session, VisitorID: whose.Visitor, UserID: whose.User,
		OpenedAt: calendar.Instant(s.OpenedAt), StartedAt: calendar.Instant(s.StartedAt), EndedAt: calendar.Instant(s.EndedAt),
		DurationMs: s.DurationMs(),
		PageViews:  s.PageViews, Events: s.Events, Bounce: s.Bounce(), Engaged: s.Engaged(),
		EntryPage: s.Entry.Page, ExitPage: s.Exit.Page,
		Origin: originOf(s.First), Goals: s.Reached.Numbers(), Partition: sk[strings.LastIndexByte(sk, '#')+1:],
	}, s.Events > 0, nil
}

// Sessions lists sessions of a site. An id that is unknown gives an empty list.
func (r *Reader) Sessions(ctx context.Context, p SessionsParams) (SessionsAnswer, error) {
	return ask(ctx, r, p, answerSessions, "sessions of site %q", p.Site)
}

func answerSessions(ctx context.Context, t *sitetable.Store, p SessionsParams) (SessionsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return SessionsAnswer{}, err
	}
	if p.User != "" && p.Visitor != "" {
		return SessionsAnswer{}, &ParamError{Param: "user and visitor", Remedy: "give one of them, not both"}
	}
	passes, err := passing.SessionFilter(ctx, (sitetable.Table{Store: t, Site: p.Site, Consistent: p.Consistent}), p.Where)
	if err != nil {
		return SessionsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, sessionsAsked(p)...)
	if err != nil {
		return SessionsAnswer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return SessionsAnswer{}, err
	}
	of := sessionlists.Asked{Site: p.Site, Visitor: p.Visitor, Desc: p.Desc, Consistent: p.Consistent}
	var refs *sessionlists.Refs
	switch {
	case p.User != "":
		err = sitetable.CheckID("user", p.User)
		refs = sessionlists.Indexed(t, sinks.GSI1, s, list, t.Keys.User(p.Site, p.User))
	case p.Visitor != "":
		err = sitetable.CheckID("visitor", p.Visitor)
		if err == nil {
			refs, err = sessionlists.OfVisitor(ctx, t, of, s, list)
		}
	default:
		s = s.Widen(time.Minute)
		refs, err = sessionlists.Recent(ctx, t, of, s, list.Cursor)
	}
	if err != nil {
		return SessionsAnswer{}, err
	}
	a := SessionsAnswer{Site: p.Site, Recent: p.User == "" && p.Visitor == ""}
	a.From, a.To = s.Ends()
	if len(p.Where) > 0 {
		refs.Only(passes)
	}
	found, err := refs.Collect(ctx, list.Limit, p.Consistent)
	if err != nil {
		return SessionsAnswer{}, err
	}
	if a.Sessions, err = readSessions(found.Items, p.Desc); err != nil {
		return SessionsAnswer{}, err
	}
	a.ExpiredOmitted = found.Expired
	if found.More {
		a.Cursor = list.Next(refs.Last, s)
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Sessions)+a.ExpiredOmitted > 0)
	if err == nil && a.SiteKnown && p.User == "" {
		err = a.explain(ctx, t, p)
	}
	return a, err
}

// readSessions reads sessions' items, in the order of their openings. Those whose state was lost are left out.
func readSessions(items []sinks.Item, desc bool) ([]Session, error) {
	rows := []Session{}
	for _, it := range items {
		row, ok, err := readSession(it)
		if err != nil {
			return nil, err
		}
		if ok {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(x, y Session) int {
		if desc {
			x, y = y, x
		}
		return cmp.Or(x.OpenedAt.Compare(y.OpenedAt), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.Partition, y.Partition))
	})
	return rows, nil
}

// explain says what a list that is not a user's may lack, and why.
func (a *SessionsAnswer) explain(ctx context.Context, t *sitetable.Store, p SessionsParams) (err error) {
	if a.Recent && len(a.Sessions) == 0 && a.Cursor == "" && p.Cursor == "" {
		if a.Stored, err = t.DataOf(ctx, p.Site, p.Consistent); err != nil {
			return err
		}
	}
	own, err := t.RulesOf(ctx, p.Site)
	a.SwitchedOff = p.Visitor == "" && !own.Recent() || p.Visitor != "" && !own.VisitorIndex()
	return err
}

// sessionsAsked is what a cursor of sessions belongs to.
func sessionsAsked(p SessionsParams) []string {
	asked := []string{"sessions", p.Site, p.User, p.Visitor}
	for _, c := range p.Where {
		asked = append(asked, c.String())
	}
	return asked
}
