package collect

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/figures"
)

// sent is an event as a browser sends it.
type sent struct {
	SiteID     string         `json:"siteId"`
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Ago        int64          `json:"ago"` // milliseconds since it happened, by the browser's steady clock
	URL        string         `json:"url"`
	Referrer   string         `json:"referrer"`
	Title      string         `json:"title"`
	Name       string         `json:"name"`
	Value      jsontext.Value `json:"value"`
	Properties jsontext.Value `json:"properties"`
}

// sentByBackend is an event as a backend sends it.
type sentByBackend struct {
	sent      `json:",inline"`
	Timestamp jsontext.Value `json:"timestamp"`
	VisitorID string         `json:"visitorId"`
	SessionID string         `json:"sessionId"`
	UserID    string         `json:"userId"`
	UserAgent string         `json:"userAgent"`
	Address   string         `json:"address"` // of the visitor: hashed, and forgotten
	figures.GivenTexts
}

// published is an event as it goes to the topic: see docs/events.md.
type published struct {
	SiteID    string         `json:"siteId"`
	Type      string         `json:"type"`
	Timestamp jsontext.Value `json:"timestamp"`
	ID        string         `json:"id"`
	VisitorID string         `json:"visitorId,omitzero"`
	SessionID string         `json:"sessionId,omitzero"`
	UserID    string         `json:"userId,omitzero"`
	URL       string         `json:"url,omitzero"`
	Referrer  string         `json:"referrer,omitzero"`
	Title     string         `json:"title,omitzero"`
	UserAgent string         `json:"userAgent,omitzero"`
	Name      string         `json:"name,omitzero"`
	Value     jsontext.Value `json:"value,omitzero"`
	figures.GivenTexts
	Properties jsontext.Value `json:"properties,omitzero"`
}

// maxAgo bounds how long before its arrival an event may have happened: yesterday's salt must still exist.
const maxAgo = 24 * time.Hour

// strict refuses what two readers could understand differently, and fields that a sender may not give.
var strict = json.JoinOptions(json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))

// readAll reads a body: one event, or an array of them.
func readAll[T any](body []byte) (all []T, err error) {
	switch {
	case jsontext.Value(body).Kind() != '[':
		all = make([]T, 1)
		err = json.Unmarshal(body, &all[0], strict)
	case tooMany(body):
		return nil, fmt.Errorf("body: more than %d events: send 1 to %d in a request", maxEvents, maxEvents)
	default:
		err = json.Unmarshal(body, &all, strict)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("body: %s", wrong(err))
	case len(all) == 0:
		return nil, fmt.Errorf("body: 0 events: send 1 to %d in a request", maxEvents)
	}
	for _, e := range all[1:] {
		if siteOf(e) != siteOf(all[0]) {
			return nil, errors.New("body: events of two sites: send one request for each site")
		}
	}
	return all, nil
}

// tooMany reports whether an array has more than maxEvents elements. Reading 64 KiB of {} as events would take 38 MB.
func tooMany(body []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(body), strict)
	d.ReadToken() // [
	for n := 0; d.PeekKind() != ']'; n++ {
		if n == maxEvents {
			return true
		}
		if d.SkipValue() != nil {
			return false // Unmarshal says what is wrong.
		}
	}
	return false
}

// wrong says what is wrong with a body, and where.
func wrong(err error) string {
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
		return strings.TrimPrefix(err.Error(), "jsontext: ")
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Sprintf("%s: senders may not give this field, or there is none of this name", e.JSONPointer)
	}
	return fmt.Sprintf("%s: a %s of JSON is not what this field holds", e.JSONPointer, e.JSONKind)
}

// siteOf is the siteId of an event of either kind.
func siteOf(e any) string {
	switch e := e.(type) {
	case sent:
		return e.SiteID
	case sentByBackend:
		return e.SiteID
	}
	panic(fmt.Sprintf("collect: no event: %T", e))
}

// maxEvents is how many events a request may have.
const maxEvents = 100

// at is when an event happened. It refuses what the pipeline would overlook: without an id, an event that is sent twice counts twice.
func (e *sent) at(now time.Time) (time.Time, error) {
	switch {
	case e.Ago < 0 || e.Ago > maxAgo.Milliseconds():
		return time.Time{}, fmt.Errorf("ago %d: write milliseconds since the event happened, 0 to %d", e.Ago, maxAgo.Milliseconds())
	case e.ID == "" || len(e.ID) > maxIDBytes:
		return time.Time{}, fmt.Errorf("id: it has %d bytes: give every event one of 1 to %d, as a UUID", len(e.ID), maxIDBytes)
	}
	return now.Add(-time.Duration(e.Ago) * time.Millisecond), nil
}

// maxIDBytes is the longest id by which the pipeline finds duplicates: see docs/events.md.
const maxIDBytes = 256

// event is what both kinds have in common.
func (e *sent) event(at time.Time) published {
	return published{SiteID: e.SiteID, Type: e.Type, Timestamp: jsontext.Value(fmt.Sprint(at.UnixMilli())), ID: e.ID, URL: e.URL,
		Referrer: e.Referrer, Title: e.Title, Name: e.Name, Value: e.Value, Properties: e.Properties}
}

// event is the event of a backend, without a visitor who is known by the address.
func (e *sentByBackend) event(at time.Time) published {
	p := e.sent.event(at)
	if len(e.Timestamp) > 0 {
		p.Timestamp = e.Timestamp
	}
	p.VisitorID, p.SessionID, p.UserID, p.UserAgent = e.VisitorID, e.SessionID, e.UserID, e.UserAgent
	p.GivenTexts = e.GivenTexts
	return p
}

// json spells the event. Headers and queries may have bytes that are no UTF-8: U+FFFD replaces them.
func (e published) json() ([]byte, error) { return json.Marshal(e, jsontext.AllowInvalidUTF8(true)) }

// userAgent is the header as far as the pipeline keeps it: 100 events of a small request would each have 16 KiB.
func userAgent(r *http.Request) string {
	agent := r.UserAgent()
	return agent[:min(len(agent), maxUserAgentBytes)]
}

// maxUserAgentBytes is where the pipeline cuts: see docs/events.md.
const maxUserAgentBytes = 1024
