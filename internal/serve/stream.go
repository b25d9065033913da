package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/query"
)

const (
	streamEvery    = 5 * time.Second  // the realtime flush interval by default
	streamPatience = 10 * time.Second // for a listener to take an event
	streamRetry    = 30 * time.Second // to wait, where there is no room for a stream
	streamRecheck  = 30 * time.Second // between two looks at whether the credential is still valid
)

// StreamInput asks for a stream of realtime figures.
type StreamInput struct {
	Site  string `path:"site" doc:"Id of the site"`
	Pages int    `query:"pages" minimum:"1" maximum:"50" default:"10" doc:"Max. active pages"`
}

// newRealtimeHub polls the realtime figures of sites for all who listen.
func newRealtimeHub(s *server) *reads.Hub[query.RealtimeAnswer] {
	return &reads.Hub[query.RealtimeAnswer]{Every: streamEvery, Most: s.limits.Streams, MostEach: s.limits.StreamsEach,
		Poll: func(ctx context.Context, site string) (query.RealtimeAnswer, error) {
			ctx, stop := context.WithTimeout(ctx, s.limits.Time)
			defer stop()
			ctx, _ = reads.WithMeter(ctx, s.limits)
			a, err := s.reader.Realtime(ctx, query.RealtimeParams{Site: site, Pages: page.MostNowPages})
			if err == nil {
				err = absent(a)
			}
			if err == nil {
				s.current.Put(site, a) // Those who poll need no other read.
			}
			return a, err
		}}
}

// currentKept is how long those who poll share what was read: a stream reads again before.
const currentKept = streamEvery + time.Second

// currentFigures are the realtime figures of a site with a number of pages, read once for all who ask within a few seconds.
func (s *server) currentFigures(ctx context.Context, site string, pages int) (query.RealtimeAnswer, error) {
	own := reads.NewMeter(s.limits) // What the caller reads besides must not end what others wait for, too.
	a, err := s.current.Get(ctx, site, func(ctx context.Context) (query.RealtimeAnswer, error) {
		return s.reader.Realtime(own.In(ctx), query.RealtimeParams{Site: site, Pages: page.MostNowPages})
	}, func(a query.RealtimeAnswer) bool { return !a.UnknownSite() })
	if m := reads.MeterOf(ctx); m != nil {
		m.Plus(own.Read())
	}
	return withPages(a, pages), err
}

// withPages returns an answer with so many of its pages at most.
func withPages(a query.RealtimeAnswer, pages int) query.RealtimeAnswer {
	a.ActivePages = a.ActivePages[:min(pages, len(a.ActivePages))]
	return a
}

func addRealtimeStream(a api) {
	o := huma.Operation{OperationID: "stream-realtime", Method: http.MethodGet, Path: base + "/sites/{site}/realtime/stream",
		Summary: "Current visitors and active pages, as they change",
		Description: "Server-sent events. Each has the document of get-realtime as its data, one every five seconds. The table is read " +
			"once for all who listen to a site. A listener that does not take an event for ten seconds is dropped. How many streams one " +
			"credential may have open (429), and all together (503), is set by the server.",
		Errors: faults,
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: &huma.Schema{Type: huma.TypeString, Description: "Lines that begin with data: have a RealtimeAnswer each"}}}}}}
	huma.Register(a.API, o, func(ctx context.Context, in *StreamInput) (*huma.StreamResponse, error) {
		l, leave, err := a.realtime.Listen(links.Unspelled(in.Site), streamHolder(access.Of(ctx)))
		if err != nil {
			return nil, huma.ErrorWithHeaders(a.crowded(err), http.Header{"Retry-After": {strconv.Itoa(access.Seconds(streamRetry))}})
		}
		first, err := l.Next(ctx)
		if err != nil {
			leave()
			return nil, a.problemOf(ctx, err)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer leave()
			stream(ctx, l, first, in.Pages, a.stillAdmitted(ctx.Context(), links.Unspelled(in.Site)))
		}}, nil
	})
}

// streamHolder is whose streams are counted together; "": a server without tokens counts all as one.
func streamHolder(g access.Grant) string {
	if g.Kind == access.Local {
		return ""
	}
	return string(g.Kind) + " " + g.Holder
}

// crowded is the problem of a stream for which there is no room.
func (s *server) crowded(err error) *problem.Problem {
	const remedy = "and no more may be: close one, or ask get-realtime"
	if errors.Is(err, reads.ErrTooManyHeld) {
		return problem.New(http.StatusTooManyRequests, fmt.Sprintf("%d streams are open with this credential, %s", s.limits.StreamsEach, remedy))
	}
	return problem.New(http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open, %s", s.limits.Streams, remedy))
}

// stillAdmitted returns what says whether the credential of a stream still allows it: it may be revoked, or expire, while the stream
// is open.
// It looks once in streamRecheck, and a keeper knows within access.Memory that a token is revoked: together that is less than a minute.
func (s *server) stillAdmitted(ctx context.Context, site string) func() bool {
	who, looked := identityOf(ctx), s.now()
	return func() bool {
		now := s.now()
		if expires := who.grant.Expires; !expires.IsZero() && !now.Before(expires) {
			return false
		}
		if s.keeper == nil || now.Sub(looked) < streamRecheck {
			return true
		}
		looked = now
		grant, err := s.keeper.Grant(ctx, who.credential)
		return err == nil && grant.Check(access.Need{Right: access.Read, Site: site}) == nil
	}
}

// stream writes news, with a number of pages, as events until the listener leaves or is dropped, or may listen no longer.
func stream(ctx huma.Context, l *reads.Listener[query.RealtimeAnswer], news query.RealtimeAnswer, pages int, admitted func() bool) {
	_, w := humago.Unwrap(ctx)
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // Of a server that has none it stays as it is.
	ctx.SetHeader("Content-Type", "text/event-stream")
	ctx.SetHeader("Cache-Control", cacheNever)
	for err := error(nil); err == nil && admitted(); news, err = l.Next(ctx.Context()) {
		data, err := json.Marshal(withPages(news, pages))
		if err != nil {
			return
		}
		err = control.SetWriteDeadline(time.Now().Add(streamPatience))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return
		}
		if _, err := w.Write([]byte("data: " + string(data) + "\n\n")); err != nil || control.Flush() != nil {
			return // The listener has gone, or reads too slowly.
		}
	}
}
