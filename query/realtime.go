package query

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sketch"
)

// How far back realtime looks, in minutes of event time, and how many pages it lists at most. The rows are what a
// minute's top-k state holds.
const (
	currentMinutes = 5
	seriesMinutes  = 30
	defaultPages   = 10
)

// RealtimeParams ask what is happening at a site.
type RealtimeParams struct {
	Site       string
	At         time.Time // the end of the last minutes; zero: now
	Pages      int       // max. rows of active pages, 1 to 50; 0: 10
	Consistent bool      // strongly consistent reads, at twice the cost
	// IncludeBots adds bots to events and page views. Visitors and pages never include bots.
	IncludeBots bool
}

// RealtimeAnswer describes the last five minutes of event time, and each of the last 30. The last minute is the one that contains
// RealtimeParams.At.
type RealtimeAnswer struct {
	Site string `json:"siteId"`
	Known
	From            time.Time `json:"from"`
	To              time.Time `json:"to"` // exclusive
	PageViews       int64     `json:"pageViews"`
	Events          int64     `json:"events"`
	CurrentVisitors uint64    `json:"currentVisitors"` // distinct, at most Events
	// BotEvents and BotPageViews are those of detected bots. Events and PageViews include them only if IncludesBots is set.
	BotEvents    int64        `json:"botEvents"`
	BotPageViews int64        `json:"botPageViews"`
	IncludesBots bool         `json:"includesBots"`
	ActivePages  []ActivePage `json:"activePages"`
	// Series holds the last of the 30 minutes, oldest first, from the first that is kept and had events on, and at least those from From on;
	// empty: none of the 30 had events. The pipeline keeps minutes for at least 10 minutes, so older ones may be absent.
	Series         []Minute `json:"series"`
	ExpiredOmitted int      `json:"expiredCount"`
	// SwitchedOff says that there is no data because realtime is switched off for the site.
	SwitchedOff bool `json:"switchedOff"`
}

// ActivePage is a page with its page views. Only the busiest pages of a minute are counted one by one, so the true count lies
// between PageViews and PageViews + Uncertain.
type ActivePage struct {
	Page      string `json:"page"`
	PageViews uint64 `json:"pageViews"`
	Uncertain uint64 `json:"maxUndercount"`
}

// Minute is one minute of event time.
type Minute struct {
	Start        time.Time `json:"start"`
	PageViews    int64     `json:"pageViews"`
	Events       int64     `json:"events"`
	Visitors     uint64    `json:"visitors"`  // distinct, at most Events
	BotEvents    int64     `json:"botEvents"` // as in RealtimeAnswer
	BotPageViews int64     `json:"botPageViews"`
}

// Realtime reads the last minutes of a site and merges the parts of all partitions. It lags behind the topic by up to the realtime
// flush interval, the longest one if that is configured and the site's partition has few events.
func (r *Reader) Realtime(ctx context.Context, p RealtimeParams) (RealtimeAnswer, error) {
	return ask(ctx, r, p, answerRealtime, "realtime of site %q", p.Site)
}

func answerRealtime(ctx context.Context, t *sitetable.Store, p RealtimeParams) (RealtimeAnswer, error) {
	q, err := newRealtimeQuestion(p, t)
	if err != nil {
		return RealtimeAnswer{}, err
	}
	a, err := q.answer(ctx)
	if err != nil {
		return RealtimeAnswer{}, err
	}
	q.fill(&a)
	if a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Series)+a.ExpiredOmitted > 0); err != nil || len(a.Series) > 0 || !a.SiteKnown {
		return a, err
	}
	own, err := t.RulesOf(ctx, p.Site)
	a.SwitchedOff = !own.Realtime()
	return a, err
}

// A realtimeQuestion is what RealtimeParams come to.
type realtimeQuestion struct {
	t     sitetable.Table
	span  calendar.Span // whole minutes of the series
	pages int
	of    derived.Senders
}

// newRealtimeQuestion checks what is asked.
func newRealtimeQuestion(p RealtimeParams, t *sitetable.Store) (q realtimeQuestion, err error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return q, err
	}
	if p.Pages < 0 || p.Pages > sitetable.MaxPages {
		return q, &ParamError{Param: "pages", Value: fmt.Sprint(p.Pages), Remedy: fmt.Sprintf("choose 1 to %d", sitetable.MaxPages)}
	}
	q.t = sitetable.Table{Store: t, Site: p.Site, Consistent: p.Consistent}
	q.pages, q.of = cmp.Or(p.Pages, defaultPages), derived.SendersOf(p.IncludeBots)
	if p.At.IsZero() {
		p.At = t.Now()
	}
	if q.span, err = calendar.NewSpan(p.At.Add(-seriesMinutes*time.Minute), p.At); err != nil {
		return q, err
	}
	q.span = q.span.Widen(time.Minute)
	q.span.From = q.span.To - seriesMinutes*time.Minute.Milliseconds() // Widening may have added a minute at the far end.
	return q, nil
}

// answer merges the minutes.
func (q realtimeQuestion) answer(ctx context.Context) (RealtimeAnswer, error) {
	current := q.span.To - currentMinutes*time.Minute.Milliseconds()
	a := RealtimeAnswer{Site: q.t.Site, From: calendar.Instant(current), To: calendar.Instant(q.span.To), ActivePages: []ActivePage{},
		Series:       []Minute{},
		IncludesBots: q.of == derived.Everybody}
	walk := q.t.Buckets(sitetable.Minutes, q.t.Keys.Site(q.t.Site), q.span.MinuteBounds(sitetable.Minutes.Prefix))
	walk.Within = q.span
	visitors := sketch.NewMinute()
	var tops []*sketch.Top
	for m, err := range sitetable.MinutesOf(walk.All(ctx)) {
		if err != nil {
			return RealtimeAnswer{}, err
		}
		now := shown(m)
		a.Series = append(a.Series, now)
		if m.Start < current {
			continue
		}
		a.add(now)
		tops = append(tops, m.Tops...)
		if err := visitors.Merge(m.Visitors); err != nil {
			return RealtimeAnswer{}, fmt.Errorf("merge the visitors of %s: %w", now.Start, err)
		}
	}
	a.CurrentVisitors = numbers.Clamp(visitors.Estimate(), a.Events)
	if q.of == derived.Everybody {
		a.include()
	}
	for _, row := range sketch.MergeTops(q.pages, tops...) {
		a.ActivePages = append(a.ActivePages, ActivePage{row.Value, row.Count, row.Error})
	}
	a.ExpiredOmitted = walk.Expired
	return a, nil
}

// fill adds the minutes without events after the first one that has some, and the current ones, if any of the series has events.
func (q realtimeQuestion) fill(a *RealtimeAnswer) {
	if len(a.Series) == 0 {
		return
	}
	var filled []Minute
	at := a.From
	if first := a.Series[0].Start; first.Before(at) {
		at = first
	}
	rest := a.Series
	for ; at.Before(a.To); at = at.Add(time.Minute) {
		m := Minute{Start: at}
		if len(rest) > 0 && rest[0].Start.Equal(at) {
			m, rest = rest[0], rest[1:]
		}
		filled = append(filled, m)
	}
	a.Series = filled
}

// add adds up a current minute.
func (a *RealtimeAnswer) add(m Minute) {
	a.PageViews += m.PageViews
	a.Events += m.Events
	a.BotPageViews += m.BotPageViews
	a.BotEvents += m.BotEvents
}

// shown makes a Minute of what the table holds of it.
func shown(m *sitetable.Minute) Minute {
	n := &m.Sums.Counts
	return Minute{Start: calendar.Instant(m.Start), PageViews: n[figures.PageViews], Events: n[figures.Events],
		Visitors: numbers.Clamp(m.Visitors.Estimate(), n[figures.Events]), BotEvents: n[figures.BotEvents], BotPageViews: n[figures.BotPageViews]}
}
