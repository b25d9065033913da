package serve

import (
	"context"

	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// SessionsInput asks for sessions.
type SessionsInput struct {
	SiteParams
	User    string `query:"user" doc:"Only sessions of this userId"`
	Visitor string `query:"visitor" doc:"Only sessions of this visitorId: reads the lists of all sessions in the range, so name from"`
	WhereParams
	ZoneParams
	RecentParams
	ConsistentParams
}

func (in *SessionsInput) reading(a api) reading { return a.open(in.Site) }

func addSessions(a api) {
	get(a, operation{"list-sessions", "/sites/{site}/sessions", "Sessions: recent ones, a user's, a visitor's",
		"By the event time of their first record, the newest first. As `footfall query sessions`."},
		within(a, func(ctx context.Context, r *query.Reader, in *SessionsInput, s span) (query.SessionsAnswer, error) {
			if in.User != "" && in.Visitor != "" {
				return query.SessionsAnswer{}, problem.AtFault("user", in.User, "leave it out, or visitor: sessions are found by one of them")
			}
			filters, err := in.under(ctx, a, in.Site)
			if err != nil {
				return query.SessionsAnswer{}, err
			}
			where, err := query.ParseConditions(filters.Where)
			if err != nil {
				return query.SessionsAnswer{}, err
			}
			return r.Sessions(ctx, query.SessionsParams{Site: in.Site, User: in.User, Visitor: in.Visitor, Where: where, From: s.From, To: s.To,
				Consistent: in.Consistent, Paging: in.paging()})
		}))
}

// SessionInput asks for a session.
type SessionInput struct {
	SiteParams
	Session string `path:"session" doc:"Id of the session or visit"`
	ConsistentParams
}

func (in *SessionInput) ids() []*string { return []*string{&in.Site, &in.Session} }

func addSession(a api) {
	get(a, operation{"get-session", "/sites/{site}/sessions/{session}", "One session", "As `footfall query session`."},
		func(ctx context.Context, r *query.Reader, in *SessionInput) (query.SessionAnswer, error) {
			return r.Session(ctx, query.SessionParams{Site: in.Site, Session: in.Session, Consistent: in.Consistent})
		})
}

// SessionEventsInput asks for the events of a session.
type SessionEventsInput struct {
	SessionInput
	Type string `query:"type" doc:"Only events of this type, as in page_view"`
	PageParams
}

func addSessionEvents(a api) {
	get(a, operation{"list-session-events", "/sites/{site}/sessions/{session}/events", "Events of a session",
		"From first to last. As `footfall query events --session`."},
		func(ctx context.Context, r *query.Reader, in *SessionEventsInput) (query.EventsAnswer, error) {
			return r.Events(ctx, query.EventsParams{Site: in.Site, Session: in.Session, Type: in.Type, Consistent: in.Consistent,
				Paging: in.paging()})
		})
}
