package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// SessionParams ask for one session.
type SessionParams struct {
	Site, Session string
	Consistent    bool // strongly consistent reads, at twice the cost
}

// SessionAnswer is a session. Its counts are the sums of all parts, and its duration is from the first event to the last.
type SessionAnswer struct {
	Site string `json:"siteId"`
	Known
	SessionID  string     `json:"sessionId"`
	Found      bool       `json:"found"`
	StartedAt  *time.Time `json:"startedAt"` // null: not found
	EndedAt    *time.Time `json:"endedAt"`   // of the last event; null: not found
	DurationMs int64      `json:"durationMs"`
	PageViews  int64      `json:"pageViews"`
	Events     int64      `json:"events"`
	// Parts are the session as each partition saw it. There is one part if records are keyed as recommended.
	Parts          []Session `json:"parts"`
	ExpiredOmitted int       `json:"expiredCount"`
}

// UnknownSession reports whether the site is in the table and the session is not.
func (a SessionAnswer) UnknownSession() bool { return a.SiteKnown && !a.Found }

// Session reads one session. A session that is not in the table, or has expired, gives an answer with Found false.
func (r *Reader) Session(ctx context.Context, p SessionParams) (SessionAnswer, error) {
	return ask(ctx, r, p, answerSession, "session %q of site %q", p.Session, p.Site)
}

func answerSession(ctx context.Context, t *sitetable.Store, p SessionParams) (SessionAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return SessionAnswer{}, err
	}
	if err := sitetable.CheckID("session", p.Session); err != nil {
		return SessionAnswer{}, err
	}
	shards, err := t.SessionShards(ctx)
	if err != nil {
		return SessionAnswer{}, err
	}
	a := SessionAnswer{Site: p.Site, SessionID: p.Session, Parts: []Session{}}
	pk, prefix := t.Keys.Sessions(p.Site, p.Session, shards)
	for it, err := range t.Items(ctx, sinks.Query{PK: pk, Prefix: prefix, Consistent: p.Consistent}) {
		if err != nil {
			return SessionAnswer{}, err
		}
		if t.Expired(it) {
			a.ExpiredOmitted++
			continue
		}
		part, ok, err := readSession(it)
		if err != nil {
			return SessionAnswer{}, err
		}
		if ok {
			a.add(part)
		}
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Parts)+a.ExpiredOmitted > 0)
	return a, err
}

func (a *SessionAnswer) add(s Session) {
	a.Found = true
	a.Parts = append(a.Parts, s)
	a.PageViews += s.PageViews
	a.Events += s.Events
	if a.StartedAt == nil || s.StartedAt.Before(*a.StartedAt) {
		a.StartedAt = &s.StartedAt
	}
	if a.EndedAt == nil || s.EndedAt.After(*a.EndedAt) {
		a.EndedAt = &s.EndedAt
	}
	a.DurationMs = a.EndedAt.Sub(*a.StartedAt).Milliseconds()
}
