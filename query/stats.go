package query

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// StatsParams ask for the figures of a site over a range.
type StatsParams struct {
	Site string
	// From and To, exclusive, are widened to whole hours if By is Hour, and otherwise to whole days of the zone. From is required. To
	// zero: now.
	From, To time.Time
	// By is the size of a bucket. "": hours for a range of up to two days, days for up to ninety days, months for longer ranges. If Unit
	// is set: hours of a day, days of a week or month, months of a year.
	By By
	// Unit is the unit of the calendar that the range is, as Range has it: Day, Days, Week, Month or Year. It decides what the range is
	// compared with. "": another range.
	Unit By
	// Zone is the time zone of days, weeks, months and years; nil: the site's own at the end of the range. Each bucket must begin and
	// end with an hour of the site's own zone, because hours cannot be split. If one does not, Stats returns a ParamError.
	Zone *time.Location
	// Compare adds an earlier range, which Against and Align choose, and the changes since then: see Previous.
	Compare bool
	// Against is what the range is compared with: "" or AgainstPrevious, AgainstYear, or another range, as ParseRangeIn reads it. Dates
	// are those of Zone. Rows of another range are compared in their order, if both ranges have as many.
	Against string
	Align   Align
	// Fill adds a row for each bucket without data, up to the current one.
	Fill bool
	// IncludeBots adds bots to the figures that can include them: events, page views and values.
	IncludeBots bool
	Consistent  bool // strongly consistent reads, at twice the cost
	Paging
}

// StatsAnswer holds a row for each bucket of the range that has any data, or for each one if Fill was set, and totals. Instants
// are in the zone of the question.
type StatsAnswer struct {
	Site string `json:"siteId"`
	Known
	By      By        `json:"by"`
	Zone    string    `json:"timeZone"` // by its IANA name
	From    time.Time `json:"from"`
	To      time.Time `json:"to"` // exclusive
	Buckets []Bucket  `json:"buckets"`
	// InProgress says that the range is not over.
	InProgress bool `json:"inProgress"`
	// Totals are the figures of the whole range, not of the page. Only the first page has them, because they require a walk over the
	// whole range; null on others.
	Totals *Figures `json:"totals"`
	// Incomplete says that the totals are or may be too low, because some of the items that they are read from have expired.
	Incomplete     bool      `json:"dataExpired"`
	IncludesBots   bool      `json:"includesBots"`       // in events, page views and values
	Previous       *Previous `json:"previous,omitempty"` // the range before, if Compare was set; nil: it was not
	ExpiredOmitted int       `json:"expiredCount"`
	Cursor         string    `json:"cursor"` // of the next page; "": this is the last
	// Included are the sites that the figures are of, in an answer of StatsOfSites; nil: it is Site.
	Included *SitesIncluded `json:"included,omitempty"`
	Coverage
	// Stored says where the site has data if the range has none; nil: the range has some, or the site has none.
	Stored *Stored `json:"stored,omitempty"`
}

// Bucket is an hour, day, week, month or year with its figures.
type Bucket struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"` // exclusive
	// Partial says that the range holds only a part of the bucket. The figures are those of that part.
	Partial bool `json:"clippedByRange"`
	// InProgress says that the bucket, or the part of it that the range holds, is not over. The figures are those so far.
	InProgress bool `json:"inProgress"`
	// Incomplete says that the figures are or may be too low, because some of the items that they are read from have expired.
	Incomplete bool `json:"dataExpired"`
	// Hours is how many hours a day, week, month or year has that a change of the site's zone made shorter or longer; 0: none did.
	Hours float64 `json:"hours,omitempty"`
	// CompleteThrough is that of the answer, within the bucket: its end if the bucket is complete. null: not known, or nothing of it is.
	CompleteThrough *time.Time `json:"completeThrough"`
	Final           bool       `json:"final"` // as in Coverage, of the bucket
	Figures
	// Previous is the bucket of the earlier range that this one is compared with, and Change is the change since then. Both are nil unless
	// buckets are compared one by one: see Previous.ByBucket. Previous is nil also if there is no such bucket: the 31st of a month, an hour
	// in which clocks were set forward, or one after the end of the earlier range. Change is nil also for an hour that is not over.
	Previous *Bucket  `json:"previous,omitempty"`
	Change   *Changes `json:"change,omitempty"`
}

// Stats reads the figures of a site. The visitors of a bucket, or of the range, are the union of the visitors of its hours. They are
// unknown once hours have expired, unless the day or month was sealed before. All other figures are sums of days where buckets
// consist of whole days of the site, and of hours elsewhere.
func (r *Reader) Stats(ctx context.Context, p StatsParams) (StatsAnswer, error) {
	a, err := answerStats(ctx, r.store, p)
	return about(a, err, "stats of site %q", p.Site)
}

func answerStats(ctx context.Context, t *sitetable.Store, p StatsParams) (StatsAnswer, error) {
	if err := checkID("site", p.Site); err != nil {
		return StatsAnswer{}, err
	}
	table, created, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return StatsAnswer{}, err
	}
	q, err := newStatsQuestion(p, table)
	if err != nil {
		return StatsAnswer{}, err
	}
	if q.covers, err = table.Covering(ctx); err != nil { // Before the figures: they hold at least as much.
		return StatsAnswer{}, err
	}
	if err := q.prepare(ctx); err != nil {
		return StatsAnswer{}, err
	}
	a, err := q.answer(ctx)
	if err != nil {
		return StatsAnswer{}, err
	}
	if a.Totals != nil && a.Totals.nothing() {
		kind := sitetable.DayStats
		if a.By == Hour {
			kind = sitetable.HourStats
		}
		if a.Stored, err = table.DataIn(ctx, kind, q.span, q.cal.Loc); err != nil {
			return StatsAnswer{}, err
		}
		a.Incomplete = a.Incomplete || a.Stored != nil && a.Stored.Expired
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, created || !p.Fill && len(a.Buckets) > 0 || a.ExpiredOmitted > 0)
	return a, err
}

// A statsQuestion is what StatsParams come to.
type statsQuestion struct {
	t       sitetable.Table
	name    string // as in cursors
	limit   int
	cal     calendar.Calendar
	asked   calendar.Span // the range as it was given, the first page's
	span    calendar.Span // widened
	compare bool
	fill    bool
	unit    By
	against string
	align   Align
	before  calendar.Span // what it is compared with; empty: nothing
	toDate  bool          // before was cut where the range is, which is not over
	begin   sitetable.Beginning
	paired  bool // row by row
	pairing calendar.Pairing
	of      senders
	resumed bool
	rest    calendar.Span // of span, after the page before
	covers  sitetable.Covering
}

// newStatsQuestion checks what is asked.
func newStatsQuestion(p StatsParams, t sitetable.Table) (q statsQuestion, err error) {
	if p.By != "" {
		if err := p.By.Check(); err != nil {
			return q, err
		}
	}
	if p.Unit != "" && !slices.Contains([]By{Day, Days, Week, Month, Year}, p.Unit) {
		return q, &ParamError{Param: "unit", Value: string(p.Unit), Remedy: "choose day, days, week, month or year, or leave it empty"}
	}
	if err := p.Align.Check(); err != nil {
		return q, err
	}
	if q.limit, err = p.Rows(); err != nil {
		return q, err
	}
	c, resumed, err := sitetable.DecodeCursor(p.Cursor)
	if err != nil {
		return q, err
	}
	if q.resumed = resumed; resumed {
		q.asked = calendar.Span{From: c.From, To: c.To}
	} else if q.asked, err = t.Bounded(p.From, p.To); err != nil {
		return q, err
	}
	q.t, q.cal, q.compare, q.of = t, calendar.Calendar{By: p.By, Loc: p.Zone}, p.Compare, sendersOf(p.IncludeBots)
	q.t.Desc, q.fill, q.unit, q.align, q.against = p.Desc, p.Fill, p.Unit, p.Align, p.Against
	if p.Zone == nil {
		q.cal = t.Clock.InOwn(p.By, q.asked.To-1)
	}
	if p.By == "" {
		q.cal.By = calendar.SizeFor(q.asked, q.cal.Loc, p.Unit)
	}
	q.name = sitetable.Fingerprint(p.Desc, "stats", p.Site, string(q.cal.By), q.cal.Loc.String(), strconv.FormatBool(p.Compare),
		string(p.Unit), string(p.Align), p.Against, strconv.FormatBool(p.Fill))
	if resumed {
		if err := c.Check(p.Cursor, q.name); err != nil {
			return q, err
		}
	}
	if err := q.cut(c.Earlier); err != nil {
		return q, err
	}
	q.rest = q.span
	if resumed {
		if c.Before > q.before.From && c.Earlier == nil {
			q.toDate = c.Before < q.before.To
			q.before.To = min(q.before.To, c.Before)
		}
		q.rest, err = q.after(c)
	}
	return q, err
}

// answer walks what is left of the range, as far as the page and the totals need it.
func (q statsQuestion) answer(ctx context.Context) (StatsAnswer, error) {
	a := StatsAnswer{Site: q.t.Site, By: q.cal.By, Zone: q.cal.Loc.String(), From: q.cal.Instant(q.span.From),
		To: q.cal.Instant(q.span.To), Buckets: []Bucket{}, IncludesBots: q.of == everybody,
		InProgress: q.span.To > q.t.Now().UnixMilli(), Coverage: q.covers.Of(q.span.To, q.cal.Instant)}
	if q.compare {
		a.Previous = &Previous{From: q.cal.Instant(q.before.From), To: q.cal.Instant(q.before.To), ByBucket: q.paired, ToDate: q.toDate}
		if q.uncovered(q.before.From) {
			first := q.cal.Instant(q.begin.First)
			a.Previous.DataFrom = &first
		}
	}
	var now, before *sitetable.Total
	if !q.resumed {
		now, before = sitetable.NewTotal(), sitetable.NewTotal()
	}
	walk := q.pairs(now, before)
	lines := walk.all(ctx)
	if q.fill {
		lines = q.filled(ctx, walk, q.limit+1)
	}
	for l, err := range lines {
		if err != nil {
			return StatsAnswer{}, err
		}
		if len(a.Buckets) < q.limit {
			a.Buckets = append(a.Buckets, q.line(l))
			continue
		}
		if a.Cursor == "" {
			last := a.Buckets[q.limit-1].Start.UnixMilli()
			a.Cursor = sitetable.Cursor{Question: q.name, Key: strconv.FormatInt(last, 10), From: q.asked.From, To: q.asked.To,
				Before: q.before.To, Earlier: q.named()}.String()
		}
		if q.resumed {
			break // The rest of the walk is for totals only.
		}
	}
	if !q.resumed {
		f, kept := figuresOfTotal(now, q.of), sitetable.Shorter(walk.now.Days.Kept, walk.before.Days.Kept)
		q.setNew(&f, q.span)
		past, err := q.t.Past(ctx, walk.now, kept)
		if err != nil {
			return StatsAnswer{}, err
		}
		a.Totals, a.Incomplete = &f, now.Incomplete || past
		if q.compare {
			g := figuresOfTotal(before, q.of)
			q.setNew(&g, q.before)
			a.Previous.sumUp(f, g, q.early())
			if past, err = q.t.Past(ctx, walk.before, kept); err != nil {
				return StatsAnswer{}, err
			}
			a.Previous.Incomplete = before.Incomplete || past
		}
	}
	a.ExpiredOmitted = walk.expired()
	return a, nil
}

// cut widens the range to what its buckets are made of, and finds the range that it is compared with. named is that of the first page, if
// it was named.
func (q *statsQuestion) cut(named *[2]int64) error {
	if err := q.cal.Holds(q.asked); err != nil {
		return err
	}
	q.span = q.cal.Widen(q.asked)
	if at, off := q.t.Clock.OffHour(q.cal, q.span); off {
		return calendar.OffHourError(q.cal, q.t.Clock, at)
	}
	if !q.compare {
		return nil
	}
	if err := q.findBefore(named); err != nil {
		return err
	}
	if at, off := q.t.Clock.OffHour(q.cal, q.before); off {
		return calendar.OffHourError(q.cal, q.t.Clock, at)
	}
	return nil
}

// findBefore finds the range that the question's is compared with, and how their rows are paired.
func (q *statsQuestion) findBefore(named *[2]int64) error {
	if q.other() {
		r, err := q.dating().Span(q.against)
		if err != nil {
			return &ParamError{Param: "compare", Value: q.against,
				Remedy: "choose " + AgainstPrevious + " or " + AgainstYear + ", or name a range: " + remedy(err)}
		}
		if named != nil {
			r = calendar.Span{From: named[0], To: named[1]}
		}
		if err := q.cal.Holds(r); err != nil {
			return err
		}
		q.before = q.cal.Widen(r)
		q.pairing, q.paired = q.cal.InOrder(q.span, q.before)
		return nil
	}
	h := q.cal.ShiftOf(q.span, q.unit, q.align)
	switch {
	case q.against == AgainstYear && q.align == AlignWeekday:
		h = calendar.Shift{Days: 52 * 7}
	case q.against == AgainstYear:
		h = calendar.Shift{Months: 12}
	}
	if q.before = q.cal.Earlier(q.span, h); q.before.From < 0 {
		return &ParamError{Param: "compare", Value: "",
			Remedy: "the previous range would begin before 1970: leave compare out, or ask for a later range"}
	}
	q.pairing, q.paired = q.cal.Pair(q.span, q.before, h)
	return nil
}

// prepare reads what the comparison depends on.
func (q *statsQuestion) prepare(ctx context.Context) error {
	if !q.compare {
		return nil
	}
	if err := q.shorten(ctx); err != nil {
		return err
	}
	var err error
	q.begin, err = q.t.BeginningAfter(ctx, q.before.From, q.cal.Days())
	return err
}

// uncovered reports whether what begins at an instant lacks data because the site had none yet.
func (q *statsQuestion) uncovered(at int64) bool { return at < q.begin.Whole }

// show makes a Bucket of a row.
func (q statsQuestion) show(r *sitetable.Row) Bucket {
	now := q.t.Now().UnixMilli()
	f := figuresOfRow(r, q.of)
	q.setNew(&f, r.Part)
	b := Bucket{Start: q.cal.Instant(r.From), End: q.cal.Instant(r.To), Incomplete: r.Incomplete, Figures: f,
		// A bucket that is not over is not clipped where the range ends with the day.
		Partial: r.Part.From > r.From || r.Part.To < min(r.To, now+1), InProgress: r.Part.To > now, Final: q.covers.Settled(r.Part.To)}
	if through := min(q.covers.Through, r.To); through > r.From {
		b.CompleteThrough = new(q.cal.Instant(through))
	}
	if q.cal.Changed(r.Span) {
		b.Hours = float64(r.To-r.From) / float64(calendar.HourMs)
	}
	return b
}

// line makes a Bucket of a row and the one that it is compared with.
func (q statsQuestion) line(p pair) Bucket {
	b := q.show(p.now)
	if p.before != nil {
		before := q.show(p.before)
		b.Previous = &before
		if q.cal.By != Hour || !b.InProgress { // Part of an hour and a whole one do not compare.
			change := b.Since(before.Figures)
			if q.uncovered(p.before.Part.From) {
				change = change.absolute()
			}
			b.Change = &change
		}
	}
	return b
}

// remedy returns what an error of a parameter says to do.
func remedy(err error) string {
	if wrong, ok := errors.AsType[*ParamError](err); ok {
		return wrong.Remedy
	}
	return err.Error()
}
