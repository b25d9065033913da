package query

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// StatsParams ask for the figures of a site over a range, widened to whole buckets.
type StatsParams struct {
	Site       string
	From, To   time.Time // To zero: now
	By         By        // "": Hour
	Consistent bool      // read strongly, at twice the cost
	Paging
}

// StatsAnswer holds a row for every bucket of the range that has anything, and totals.
type StatsAnswer struct {
	Site      string    `json:"siteId"`
	SiteKnown bool      `json:"siteKnown"`
	By        By        `json:"by"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Buckets   []Bucket  `json:"buckets"`
	// Totals are those of the whole range, not of the page. Only the first page has them: they cost a walk over
	// the range.
	Totals         *Figures `json:"totals"`
	ExpiredOmitted int      `json:"expiredOmitted"`
	Cursor         string   `json:"cursor"`
}

// Bucket is an hour or a day in UTC with its figures.
type Bucket struct {
	Start time.Time `json:"start"`
	Figures
}

// Stats reads the figures of a site by hour or day. Visitors of a day, and of the range, are the union of the
// visitors of their hours.
func (r *Reader) Stats(ctx context.Context, p StatsParams) (StatsAnswer, error) {
	a, err := r.stats(ctx, p)
	if err != nil {
		return StatsAnswer{}, fmt.Errorf("stats of site %q: %w", p.Site, err)
	}
	return a, nil
}

func (r *Reader) stats(ctx context.Context, p StatsParams) (StatsAnswer, error) {
	if p.By == "" {
		p.By = Hour
	}
	if p.By != Hour && p.By != Day {
		return StatsAnswer{}, &ParamError{"by", string(p.By), "is neither hour nor day"}
	}
	if err := checkID("site", p.Site); err != nil {
		return StatsAnswer{}, err
	}
	limit, err := p.limit()
	if err != nil {
		return StatsAnswer{}, err
	}
	question := fingerprint(p.Desc, "stats", p.Site, string(p.By))
	c, resumed, err := parseCursor(p.Cursor, question)
	if err != nil {
		return StatsAnswer{}, err
	}
	var s span
	if resumed {
		s = span{c.From, c.To}
	} else if s, err = r.bounded(p.From, p.To); err != nil {
		return StatsAnswer{}, err
	}
	s = s.widen(p.By.duration())
	a := StatsAnswer{Site: p.Site, By: p.By, From: instant(s.from), To: instant(s.to), Buckets: []Bucket{}}

	t := &tally{answer: &a, limit: limit, visitors: sketch.NewHour(), known: true, totals: !resumed}
	rest := s
	if resumed {
		if rest, err = s.behind(c, p.By, p.Desc); err != nil {
			return StatsAnswer{}, err
		}
	}
	if rest.from < rest.to {
		if err := r.walkStats(ctx, p, rest, t); err != nil {
			return StatsAnswer{}, err
		}
	}
	if t.more {
		last := a.Buckets[len(a.Buckets)-1].Start.UnixMilli()
		a.Cursor = cursor{Question: question, Key: strconv.FormatInt(last, 10), From: s.from, To: s.to}.String()
	}
	if t.totals {
		f := t.sums.figures(nil)
		if t.known {
			f = t.sums.figures(t.visitors)
		}
		a.Totals = &f
	}
	a.SiteKnown, err = r.known(ctx, p.Site, len(a.Buckets)+a.ExpiredOmitted > 0)
	return a, err
}

// behind returns what is left of the span behind the bucket that a cursor names.
func (s span) behind(c cursor, by By, desc bool) (span, error) {
	start, err := strconv.ParseInt(c.Key, 10, 64)
	if err != nil || start < s.from || start >= s.to || s.from < 0 || s.to > lastInstant.UnixMilli()+1 {
		return span{}, &ParamError{Param: "cursor", Remedy: "was not given by an answer: leave it out to begin at the first page"}
	}
	if desc {
		s.to = start
	} else {
		s.from = start + by.duration().Milliseconds()
	}
	return s, nil
}

// A tally collects the rows of a page of stats and the totals of the range.
type tally struct {
	answer   *StatsAnswer
	limit    int
	more     bool // there is a row behind the page
	totals   bool // wanted: go on to the end of the range
	sums     sums
	visitors *sketch.Uniques
	known    bool // whether all visitors of the range are known
}

// full reports whether nothing more is wanted.
func (t *tally) full() bool { return t.more && !t.totals }

// row takes the next bucket. visitors is nil where they are not known.
func (t *tally) row(start int64, s sums, visitors *sketch.Uniques) {
	if len(t.answer.Buckets) == t.limit {
		t.more = true
		return
	}
	t.answer.Buckets = append(t.answer.Buckets, Bucket{instant(start), s.figures(visitors)})
}

// walkStats walks the span and tells the tally.
func (r *Reader) walkStats(ctx context.Context, p StatsParams, s span, t *tally) error {
	walk := r.hours(p.Site, s, p.Desc, p.Consistent)
	var err error
	if p.By == Day {
		err = r.walkDays(ctx, p, s, walk, t)
	} else {
		err = walkHours(ctx, walk, t)
	}
	t.answer.ExpiredOmitted += walk.expired()
	return err
}

func walkHours(ctx context.Context, walk *hours, t *tally) error {
	for !t.full() {
		h, ok, err := walk.next(ctx)
		if err != nil || !ok {
			return err
		}
		if t.totals {
			if err := t.visitors.Merge(h.visitors); err != nil {
				return fmt.Errorf("merge the visitors of %s: %w", instant(h.start), err)
			}
		}
		if h.counted {
			addSums(&t.sums, h.sums)
			t.row(h.start, h.sums, h.visitors)
		}
	}
	return nil
}

// A day gathers what the hours of a day say of its visitors.
type day struct {
	start    int64
	hours    int   // that were counted
	events   int64 // of the hours
	kept     int64 // the shortest time that an hour is kept; -1: for ever, or no hour
	visitors *sketch.Uniques
}

func newDay(start int64) *day { return &day{start: start, kept: -1, visitors: sketch.NewHour()} }

func (d *day) end() int64 { return d.start + (24 * time.Hour).Milliseconds() }

func (d *day) add(h hour) error {
	if h.counted {
		d.hours++
		d.events += h.sums.events
		if h.kept >= 0 && (d.kept < 0 || h.kept < d.kept) {
			d.kept = h.kept
		}
	}
	return d.visitors.Merge(h.visitors)
}

// complete reports whether the hours hold all visitors of the day. Hours expire long before days do: from then on
// the visitors of the day are not known. Fewer events in the hours than in the day are not enough to tell, since
// a step's writes to them may be on their way; the oldest hour of the day must be past its time as well.
func (d *day) complete(events, now int64) bool {
	if d.events >= events {
		return true
	}
	return d.hours > 0 && (d.kept < 0 || d.start+time.Hour.Milliseconds()+d.kept > now)
}

// walkDays joins the day stats with the hours of each day.
func (r *Reader) walkDays(ctx context.Context, p StatsParams, s span, walk *hours, t *tally) error {
	from, to := s.dayBounds(sinks.DayStatsPrefix)
	q := sinks.Query{From: from, To: to, Desc: p.Desc, Consistent: p.Consistent}
	days := &bucketWalk{m: r.walk(q, maxPage, position{}, false, r.keys.Site(p.Site)),
		prefix: sinks.DayStatsPrefix, parse: sinks.ParseDay}
	defer func() { t.answer.ExpiredOmitted += days.expired }()

	next, ok, err := walk.next(ctx)
	if err != nil {
		return err
	}
	// gather folds the hours before the end of d, in the order of the walk, into d and the totals.
	gather := func(d *day, before func(start int64) bool) error {
		for ok && before(next.start) {
			if d != nil && next.start >= d.start && next.start < d.end() {
				err = d.add(next)
			}
			if err == nil && t.totals {
				err = t.visitors.Merge(next.visitors)
			}
			if err != nil {
				return fmt.Errorf("merge the visitors of %s: %w", instant(next.start), err)
			}
			if next, ok, err = walk.next(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	for !t.full() {
		if err := days.advance(ctx); err != nil {
			return err
		}
		if days.item == nil {
			break
		}
		d := newDay(days.start)
		before := func(start int64) bool { return start < d.end() }
		if p.Desc {
			before = func(start int64) bool { return start >= d.start }
		}
		if err := gather(d, before); err != nil {
			return err
		}
		var sum sums
		sum.add(days.item)
		addSums(&t.sums, sum)
		if d.complete(sum.events, r.now().UnixMilli()) {
			t.row(d.start, sum, d.visitors)
		} else {
			t.known = false
			t.row(d.start, sum, nil)
		}
	}
	if !t.totals {
		return nil
	}
	return gather(nil, func(int64) bool { return true })
}

// addSums adds b to a.
func addSums(a *sums, b sums) {
	a.pageViews += b.pageViews
	a.events += b.events
	a.sessions += b.sessions
	a.bounces += b.bounces
	a.durationMs += b.durationMs
	a.engaged += b.engaged
	a.values += b.values
	a.valueMicros = a.valueMicros.Plus(b.valueMicros)
}
