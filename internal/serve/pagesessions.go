package serve

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// sessionsPerPage is how many sessions a page of their list has, and eventsPerPage how many events the page of a session has.
const sessionsPerPage, eventsPerPage = 50, 200

// recentSessions reads the sessions that a site's page shows; nil: they are under a filter by a goal that the site does not have.
func (ps pages) recentSessions(ctx context.Context, site string, where []query.Condition) (*query.SessionsAnswer, error) {
	a, err := ps.reader.Sessions(ctx, query.SessionsParams{Site: site, Where: where,
		Paging: query.Paging{Limit: page.RecentSessions, Desc: true}})
	if _, refused := errors.AsType[*query.GoalFilterError](err); refused {
		return nil, nil // The page says so above.
	}
	return &a, err
}

// sessions shows the list of sessions.
func (ps pages) sessions(ctx context.Context, r request, w io.Writer) error {
	at, err := ps.addressOfSessions(ctx, r)
	if err != nil {
		return err
	}
	v := page.SessionsView{At: at}
	zone, err := ps.zoneOf(ctx, v.At)
	if err != nil {
		return err
	}
	in := rangeOf(r.values)
	if r.values["visitor"] != "" && in.RangeParams == (RangeParams{}) {
		in.From = links.DefaultFrom // Those of a visitor are looked for in the lists of all sessions.
	}
	span, err := in.read(ctx, ps.reader, api{server: ps.server}.open(v.At.Site))
	if err != nil {
		return err
	}
	v.Answer, err = ps.reader.Sessions(ctx, query.SessionsParams{Site: v.At.Site, User: r.values["user"], Visitor: r.values["visitor"],
		Where: at.Where,
		From:  span.From, To: span.To, Paging: query.Paging{Limit: sessionsPerPage, Desc: true, Cursor: r.values["cursor"]}})
	if err == nil {
		err = absent(v.Answer)
	}
	if err != nil {
		return err
	}
	v.Zone, v.Units = zone, r.read.Read()
	return page.Sessions(w, v)
}

// session shows a session with its events.
func (ps pages) session(ctx context.Context, r request, w io.Writer) error {
	at, err := ps.addressOfSessions(ctx, r)
	if err != nil {
		return err
	}
	v := page.SessionView{At: at}
	id := links.Unspelled(r.PathValue("session"))
	zone, err := ps.zoneOf(ctx, v.At)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	group.Go(func() (err error) {
		if v.Session, err = ps.reader.Session(gctx, query.SessionParams{Site: v.At.Site, Session: id}); err == nil {
			err = absent(v.Session)
		}
		return err
	})
	group.Go(func() (err error) {
		v.Events, err = ps.reader.Events(gctx, query.EventsParams{Site: v.At.Site, Session: id,
			Paging: query.Paging{Limit: eventsPerPage, Cursor: r.values["cursor"]}})
		return err
	})
	group.Go(func() error {
		goals, err := ps.reader.Goals(gctx, query.GoalsParams{Site: v.At.Site, Deleted: true, Paging: query.Paging{Limit: query.MaxLimit}})
		v.Goals = goals.Goals
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	v.Zone, v.Units = zone, r.read.Read()
	return page.Session(w, v)
}

// addressOfSessions is what a page about sessions shows, and leads back to.
func (ps pages) addressOfSessions(ctx context.Context, r request) (links.Address, error) {
	if back := r.values[links.BackParam]; back != "" {
		if _, ok := links.ParseBack(back); !ok {
			return links.Address{}, problem.AtFault(links.BackParam, back, "not the range and filters of a page: leave it out")
		}
	}
	at, err := ps.addressOf(ctx, r)
	if err == nil {
		at.BackSegmented, err = ps.segmented(ctx, at.Site, at.BackSegment())
	}
	return at, err
}

// zoneOf is the zone in which a page names times: the one of its address, or the site's.
func (ps pages) zoneOf(ctx context.Context, at links.Address) (*time.Location, error) {
	if name := at.Values["tz"]; name != "" {
		zone, err := query.ParseZone(name)
		return zone, named("tz", err)
	}
	dates, err := ps.reader.Dates(ctx, at.Site)
	return dates.Zone(ps.now()), err
}
