package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// How far back realtime looks, in minutes of event time, and how many pages it lists at most. The rows are what a
// minute's top-k state holds.
const (
	currentMinutes = 5
	seriesMinutes  = 30
	maxPages       = 50
	defaultPages   = 10
)

// RealtimeParams ask what goes on at a site.
type RealtimeParams struct {
	Site       string
	At         time.Time // zero: now
	Pages      int       // rows of active pages at most, up to 50; 0: 10
	Consistent bool      // read strongly, at twice the cost
	// IncludeBots adds bots to events and page views. Visitors and pages have none.
	IncludeBots bool
}

// RealtimeAnswer tells of the five minutes of event time before To, and of the minutes before them. The minute
// that At lies in counts as the last.
type RealtimeAnswer struct {
	Site string `json:"siteId"`
	Known
	From            time.Time `json:"from"`
	To              time.Time `json:"to"`
	PageViews       int64     `json:"pageViews"`
	Events          int64     `json:"events"`
	CurrentVisitors uint64    `json:"currentVisitors"` // distinct, at most Events
	// BotEvents and BotPageViews are those of bots on the lists, and in Events and PageViews only if IncludesBots.
	BotEvents    int64        `json:"botEvents"`
	BotPageViews int64        `json:"botPageViews"`
	IncludesBots bool         `json:"includesBots"`
	ActivePages  []ActivePage `json:"activePages"`
	// Series holds the last 30 minutes, oldest first, as far as they are kept (10 minutes) and had events.
	Series         []Minute `json:"series"`
	ExpiredOmitted int      `json:"expiredCount"`
	// SwitchedOff says that there is nothing since the site keeps no realtime minutes.
	SwitchedOff bool `json:"switchedOff"`
}

// ActivePage is a page with its page views. A page that is not among the busiest of its minute may have been
// missed there: the true count lies between PageViews and PageViews + Uncertain.
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

// Realtime merges what every partition knows of the last minutes.
func (r *Reader) Realtime(ctx context.Context, p RealtimeParams) (RealtimeAnswer, error) {
	a, err := r.realtime(ctx, p)
	return about(a, err, "realtime of site %q", p.Site)
}

func (r *Reader) realtime(ctx context.Context, p RealtimeParams) (RealtimeAnswer, error) {
	if err := checkID("site", p.Site); err != nil {
		return RealtimeAnswer{}, err
	}
	if p.Pages < 0 || p.Pages > maxPages {
		return RealtimeAnswer{}, &ParamError{"pages", fmt.Sprint(p.Pages), fmt.Sprintf("is not in 1 to %d", maxPages)}
	}
	if p.Pages == 0 {
		p.Pages = defaultPages
	}
	if p.At.IsZero() {
		p.At = r.now()
	}
	s, err := newSpan(p.At.Add(-seriesMinutes*time.Minute), p.At)
	if err != nil {
		return RealtimeAnswer{}, err
	}
	s = s.widen(time.Minute)
	s.from = s.to - seriesMinutes*time.Minute.Milliseconds() // Widening may have added a minute at the far end.
	current := s.to - currentMinutes*time.Minute.Milliseconds()

	a := RealtimeAnswer{Site: p.Site, From: instant(current), To: instant(s.to), ActivePages: []ActivePage{}, Series: []Minute{},
		IncludesBots: p.IncludeBots}
	from, to := s.minuteBounds(sinks.RealtimePrefix)
	walk := &bucketWalk{r: r, m: r.walk(sinks.Query{From: from, To: to, Consistent: p.Consistent}, maxPage, position{},
		r.keys.Site(p.Site)), prefix: sinks.RealtimePrefix, parse: sinks.ParseMinute, within: s}
	visitors := sketch.NewMinute()
	var tops []*sketch.Top
	if err := walk.advance(ctx); err != nil {
		return RealtimeAnswer{}, err
	}
	for walk.item != nil {
		m, minuteVisitors, minuteTops, err := minute(ctx, walk)
		if err != nil {
			return RealtimeAnswer{}, err
		}
		a.Series = append(a.Series, m)
		if m.Start.UnixMilli() < current {
			continue
		}
		a.PageViews += m.PageViews
		a.Events += m.Events
		a.BotPageViews += m.BotPageViews
		a.BotEvents += m.BotEvents
		tops = append(tops, minuteTops...)
		if err := visitors.Merge(minuteVisitors); err != nil {
			return RealtimeAnswer{}, fmt.Errorf("merge the visitors of %s: %w", m.Start, err)
		}
	}
	a.CurrentVisitors = clamp(visitors.Estimate(), a.Events)
	if p.IncludeBots {
		a.include()
	}
	for _, row := range sketch.MergeTops(p.Pages, tops...) {
		a.ActivePages = append(a.ActivePages, ActivePage{row.Value, row.Count, row.Error})
	}
	a.ExpiredOmitted = walk.expired
	if a.SiteKnown, err = r.known(ctx, p.Site, len(a.Series)+a.ExpiredOmitted > 0); err != nil || len(a.Series) > 0 || !a.SiteKnown {
		return a, err
	}
	own, err := r.rulesOf(ctx, p.Site)
	a.SwitchedOff = !own.Realtime()
	return a, err
}

// minute merges the parts of the minute that the walk stands at, and moves behind them.
func minute(ctx context.Context, walk *bucketWalk) (m Minute, visitors *sketch.Uniques, tops []*sketch.Top, err error) {
	start := walk.start
	m.Start, visitors = instant(start), sketch.NewMinute()
	for walk.item != nil && walk.start == start {
		it := walk.item
		m.PageViews += it[sinks.AttrPageViews].Int()
		m.Events += it[sinks.AttrEvents].Int()
		m.BotPageViews += it[sinks.AttrBotPageViews].Int()
		m.BotEvents += it[sinks.AttrBotEvents].Int()
		if it[sinks.AttrVisitors].Kind() == sinks.Binary {
			if err := union(visitors, sketch.NewMinute(), it, sinks.AttrVisitors); err != nil {
				return m, nil, nil, err
			}
		}
		if pages := it[sinks.AttrPages]; pages.Kind() == sinks.Binary {
			top := sketch.NewTop(maxPages)
			if err := top.UnmarshalBinary(pages.Bytes()); err != nil {
				return m, nil, nil, sinks.Damaged(it.Key(), sinks.AttrPages, err)
			}
			tops = append(tops, top)
		}
		if err := walk.advance(ctx); err != nil {
			return m, nil, nil, err
		}
	}
	m.Visitors = clamp(visitors.Estimate(), m.Events)
	return m, visitors, tops, nil
}
