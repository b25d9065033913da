package query

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// EventsParams ask for raw events of a site by event time, either those of a session or all in a range.
type EventsParams struct {
	Site string
	// Session is the id of a session or a visit; "": all events, also those without a session. A visit's events are those of its
	// visitor within its span, without bots, so visits of one visitor that overlap have the same events there.
	Session string
	Type    string // only events of this type; "": all
	// From and To, exclusive, to the millisecond. Without a session From is required, and To zero is now. With one, both may be zero:
	// the whole session.
	From, To   time.Time
	Consistent bool // strongly consistent reads, at twice the cost
	Paging
}

// EventsAnswer lists raw events in the order of their event time. Events of the same millisecond are in an order that does not
// change. Raw events can be switched off, and they expire before counts do, so their absence says nothing about the counts. After a
// crash, events of a flush that was redone under settings without raw events may still be listed.
type EventsAnswer struct {
	Site string `json:"siteId"`
	Known
	From           *time.Time `json:"from"` // null: open, for a session that was not found
	To             *time.Time `json:"to"`   // exclusive; null: open, as From
	Events         []Event    `json:"events"`
	ExpiredOmitted int        `json:"expiredCount"`
	Cursor         string     `json:"cursor"` // of the next page; "": this is the last
	// Stored says where the site has data if no events of the range were found; nil: some were, a session was named, or the site has none.
	Stored *Stored `json:"stored,omitempty"`

	// Kept is the site's own retention, if the range begins before it and no events from before it were found; nil: not so.
	Kept *RawRetention `json:"-"`
}

// Event is a raw event. Absent fields are left out.
type Event struct {
	ULID       string          `json:"ulid"` // made of the event time and the event's identity
	Timestamp  time.Time       `json:"timestamp"`
	Type       string          `json:"type"`
	ID         string          `json:"id,omitempty"`
	VisitorID  string          `json:"visitorId,omitempty"`
	SessionID  string          `json:"sessionId,omitempty"`
	UserID     string          `json:"userId,omitempty"`
	URL        string          `json:"url,omitempty"`
	Referrer   string          `json:"referrer,omitempty"`
	Title      string          `json:"title,omitempty"`
	UserAgent  string          `json:"userAgent,omitempty"`
	Name       string          `json:"name,omitempty"`
	Value      string          `json:"value,omitempty"` // a decimal
	Country    string          `json:"country,omitempty"`
	Region     string          `json:"region,omitempty"`
	City       string          `json:"city,omitempty"`
	Device     string          `json:"device,omitempty"`
	Browser    string          `json:"browser,omitempty"`
	OS         string          `json:"os,omitempty"`
	Properties json.RawMessage `json:"properties,omitempty"` // an object; its numbers are spelled as they were sent
	RecordTime time.Time       `json:"recordTime"`           // the Kafka record's timestamp
	Source     string          `json:"source"`               // topic/partition/offset
	Bot        string          `json:"bot,omitempty"`        // by what a bot was detected: agent, referrer or rate; "": no bot
	Foreign    bool            `json:"foreign,omitempty"`    // its url is on none of the site's domains
	Excluded   bool            `json:"excluded,omitempty"`   // its page is one that the site excludes
}

var givenFields = figures.GivenFields[Event]()

func readEvent(it sinks.Item) Event {
	text := func(name string) string { return it[name].Str() }
	e := Event{
		ULID: strings.TrimPrefix(text(sinks.AttrSK), sinks.EventPrefix), Timestamp: calendar.Instant(it["timestamp"].Int()),
		Type: text("type"), ID: text("id"),
		VisitorID: text(sinks.AttrVisitorID), SessionID: text(sinks.AttrSessionID), UserID: text(sinks.AttrUserID),
		URL: text("url"), Referrer: text("referrer"), Title: text("title"), UserAgent: text("userAgent"),
		Name: text("name"), Value: text("value"),
		RecordTime: calendar.Instant(it["recordTime"].Int()), Source: text("source"), Bot: text(sinks.AttrBot),
		Foreign:  it[sinks.AttrForeign].Int() == 1,
		Excluded: it[sinks.AttrExcluded].Int() == 1,
	}
	fields := reflect.ValueOf(&e).Elem()
	for i, d := range figures.Given {
		fields.Field(givenFields[i]).SetString(text(figures.Dimensions[d].Name))
	}
	if s := text("properties"); json.Valid([]byte(s)) {
		e.Properties = json.RawMessage(s)
	}
	return e
}

// Events lists raw events. The events of a session are in one shard and take one query. The events of a range are merged
// from all shards of the site.
func (r *Reader) Events(ctx context.Context, p EventsParams) (EventsAnswer, error) {
	return ask(ctx, r, p, answerEvents, "events of site %q", p.Site)
}

func answerEvents(ctx context.Context, t *sitetable.Store, p EventsParams) (EventsAnswer, error) {
	if err := p.check(); err != nil {
		return EventsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "events", p.Site, p.Session, p.Type)
	if err != nil {
		return EventsAnswer{}, err
	}
	a := EventsAnswer{Site: p.Site, Events: []Event{}}
	s, found, err := p.span(ctx, t, list)
	if err != nil {
		return EventsAnswer{}, err
	}
	a.From, a.To = s.Ends()
	if !found {
		a.SiteKnown, err = t.Known(ctx, p.Site, false)
		return a, err
	}
	site, err := t.RawSite(ctx, p.Site) // After the session, which is written after its raw events.
	if a.SiteKnown = site.Known; err != nil || !a.SiteKnown {
		return a, err // No event is written before its site's entry.
	}
	q := sinks.Query{From: sinks.EventPrefix + rawevents.FirstULID(s.From), To: sinks.EventPrefix + rawevents.LastULID(s.To-1),
		Desc: p.Desc, Consistent: p.Consistent}
	walk := t.Walk(q, list.Limit, list.Cursor.Position(), rawevents.ShardsOf(t.Keys, p.Site, p.Session, site.Rules.ShardsIn(s.From, s.To))...)
	walk.RawEvents(site.Kinds, rawevents.Skips(p.Session))
	walk.Distinct(rawevents.SameEvent)
	belongs, err := t.Belonging(ctx, p.Session)
	if err != nil {
		return EventsAnswer{}, err
	}
	page, err := walk.Collect(ctx, list.Limit, func(it sinks.Item) bool {
		return belongs(it) && (p.Type == "" || it["type"].Str() == p.Type)
	})
	if err != nil {
		return EventsAnswer{}, err
	}
	for _, it := range page.Items {
		a.Events = append(a.Events, readEvent(it))
	}
	a.ExpiredOmitted = page.Expired
	if page.More {
		a.Cursor = list.Next(page.Last, s)
	}
	if p.Desc && !page.More || !p.Desc && !list.Resumed {
		a.Kept = rawKept(a.Events, site.Rules, s, t.Now())
	}
	if len(a.Events) == 0 && !page.More && !list.Resumed && p.Session == "" {
		a.Stored, err = t.DataOf(ctx, p.Site, p.Consistent)
	}
	return a, err
}

// check checks what is asked but for the range and the page.
func (p EventsParams) check() error {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return err
	}
	if p.Session != "" {
		if err := sitetable.CheckID("session", p.Session); err != nil {
			return err
		}
	}
	if !utf8.ValidString(p.Type) {
		return &ParamError{Param: "type", Value: p.Type, Remedy: "not valid UTF-8, as every type is"}
	}
	return nil
}

// RawRetention is how long a site keeps raw events.
type RawRetention struct {
	Days int64
	From time.Time // the event time from which on they are kept, as of now
}

// rawKept returns the site's own retention, given the events at the beginning of a range; nil: it has none, or the range does not
// begin before it. Events that lie there all the same were written before it was decided, and then it is nil as well.
func rawKept(events []Event, ruled *sites.Rules, s calendar.Span, now time.Time) *RawRetention {
	days := ruled.DaysOf(sinks.AttrRawDays, rawevents.ForEver)
	if days == rawevents.ForEver {
		return nil
	}
	kept := now.AddDate(0, 0, -int(days)).UTC()
	if s.From >= kept.UnixMilli() || slices.ContainsFunc(events, func(e Event) bool { return e.Timestamp.Before(kept) }) {
		return nil
	}
	return &RawRetention{days, kept}
}

// span returns the range to read, that of the first page. The range of a session is from its first event to its last, and that of a
// visit, whose events do not name it, never goes beyond; found is false when the session is not there.
func (p EventsParams) span(ctx context.Context, t *sitetable.Store, list sitetable.Listing) (s calendar.Span, found bool, err error) {
	_, visit := sinks.ParseVisitID(p.Session)
	switch {
	case list.Resumed:
		return calendar.Span{From: list.Cursor.From, To: list.Cursor.To}, true, nil
	case p.Session == "" || !p.From.IsZero() && !visit:
		s, err = t.Bounded(p.From, p.To)
		return s, true, err
	}
	if s, err = calendar.NewSpan(p.From, p.To); err != nil {
		return calendar.Span{}, false, err
	}
	session, err := answerSession(ctx, t, SessionParams{Site: p.Site, Session: p.Session, Consistent: p.Consistent})
	if err != nil || !session.Found {
		return s, false, err
	}
	s.From = max(s.From, session.StartedAt.UnixMilli())
	s.To = min(s.To, session.EndedAt.UnixMilli()+1)
	return s, s.From < s.To, nil
}
