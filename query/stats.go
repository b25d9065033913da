package query

import (
	"context"
	"strconv"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/compared"
	"github.com/footfall/footfall/query/internal/derived"
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

	goals sitetable.GoalSums // of the conversions of Totals
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

	goals sitetable.GoalSums // of its conversions
}

// Stats reads the figures of a site. The visitors of a bucket, or of the range, are the union of the visitors of its hours. They are
// unknown once hours have expired, unless the day or month was sealed before. All other figures are sums of days where buckets
// consist of whole days of the site, and of hours elsewhere.
func (r *Reader) Stats(ctx context.Context, p StatsParams) (StatsAnswer, error) {
	return ask(ctx, r, p, answerStats, "stats of site %q", p.Site)
}

func answerStats(ctx context.Context, t *sitetable.Store, p StatsParams) (StatsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
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
	if err := q.Prepare(ctx); err != nil {
		return StatsAnswer{}, err
	}
	a, err := q.answer(ctx)
	if err != nil {
		return StatsAnswer{}, err
	}
	if a.Totals != nil && derived.Nothing(a.Totals) {
		kind := sitetable.DayStats
		if a.By == Hour {
			kind = sitetable.HourStats
		}
		if a.Stored, err = table.DataIn(ctx, kind, q.Span, q.Cal.Loc); err != nil {
			return StatsAnswer{}, err
		}
		a.Incomplete = a.Incomplete || a.Stored != nil && a.Stored.Expired
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, created || !p.Fill && len(a.Buckets) > 0 || a.ExpiredOmitted > 0)
	return a, err
}

// A statsQuestion is what StatsParams come to.
type statsQuestion struct {
	compared.Question
	of     derived.Senders
	covers sitetable.Covering
}

// newStatsQuestion checks what is asked.
func newStatsQuestion(p StatsParams, t sitetable.Table) (statsQuestion, error) {
	q, err := compared.New(compared.Params{Site: p.Site, From: p.From, To: p.To, By: p.By, Unit: p.Unit, Zone: p.Zone, Compare: p.Compare,
		Against: p.Against, Align: p.Align, Fill: p.Fill, Paging: p.Paging}, t)
	return statsQuestion{Question: q, of: derived.SendersOf(p.IncludeBots)}, err
}

// answer walks what is left of the range, as far as the page and the totals need it.
func (q statsQuestion) answer(ctx context.Context) (StatsAnswer, error) {
	a := StatsAnswer{Site: q.Table.Site, By: q.Cal.By, Zone: q.Cal.Loc.String(), From: q.Cal.Instant(q.Span.From),
		To: q.Cal.Instant(q.Span.To), Buckets: []Bucket{}, IncludesBots: q.of == derived.Everybody,
		InProgress: q.Span.To > q.Table.Now().UnixMilli(), Coverage: q.covers.Of(q.Span.To, q.Cal.Instant)}
	if q.Compare {
		a.Previous = &Previous{From: q.Cal.Instant(q.Before.From), To: q.Cal.Instant(q.Before.To), ByBucket: q.Paired, ToDate: q.ToDate}
		if q.Uncovered(q.Before.From) {
			first := q.Cal.Instant(q.Begin.First)
			a.Previous.DataFrom = &first
		}
	}
	var now, before *sitetable.Total
	if !q.Resumed {
		now, before = sitetable.NewTotal(), sitetable.NewTotal()
	}
	walk := q.Pairs(now, before)
	lines := walk.All(ctx)
	if q.Fill {
		lines = q.Filled(ctx, walk, q.Limit+1)
	}
	for l, err := range lines {
		if err != nil {
			return StatsAnswer{}, err
		}
		if len(a.Buckets) < q.Limit {
			a.Buckets = append(a.Buckets, q.line(l))
			continue
		}
		if a.Cursor == "" {
			last := a.Buckets[q.Limit-1].Start.UnixMilli()
			a.Cursor = sitetable.Cursor{Question: q.Name, Key: strconv.FormatInt(last, 10), From: q.Asked.From, To: q.Asked.To,
				Before: q.Before.To, Earlier: q.Named()}.String()
		}
		if q.Resumed {
			break // The rest of the walk is for totals only.
		}
	}
	if !q.Resumed {
		f, kept := derived.OfTotal(now, q.of), sitetable.Shorter(walk.Now.Days.Kept, walk.Before.Days.Kept)
		derived.SetNew(&f, q.Table.Clock.Rules, q.Span, q.Cal.Instant)
		past, err := q.Table.Past(ctx, walk.Now, kept)
		if err != nil {
			return StatsAnswer{}, err
		}
		a.Totals, a.Incomplete, a.goals = &f, now.Incomplete || past, now.Sums.Goals
		if q.Compare {
			g := derived.OfTotal(before, q.of)
			derived.SetNew(&g, q.Table.Clock.Rules, q.Before, q.Cal.Instant)
			a.Previous.sumUp(f, g, q.Early())
			if past, err = q.Table.Past(ctx, walk.Before, kept); err != nil {
				return StatsAnswer{}, err
			}
			a.Previous.Incomplete = before.Incomplete || past
		}
	}
	a.ExpiredOmitted = walk.Expired()
	return a, nil
}

// show makes a Bucket of a row.
func (q statsQuestion) show(r *sitetable.Row) Bucket {
	f := derived.OfRow(r, q.of)
	derived.SetNew(&f, q.Table.Clock.Rules, r.Part, q.Cal.Instant)
	b := Bucket{Start: q.Cal.Instant(r.From), End: q.Cal.Instant(r.To), Incomplete: r.Incomplete, Figures: f, goals: r.Sums.Goals,
		Partial: q.Clipped(r), InProgress: q.Running(r), Final: q.covers.Settled(r.Part.To)}
	if through := min(q.covers.Through, r.To); through > r.From {
		b.CompleteThrough = new(q.Cal.Instant(through))
	}
	if q.Cal.Changed(r.Span) {
		b.Hours = float64(r.To-r.From) / float64(calendar.HourMs)
	}
	return b
}

// line makes a Bucket of a row and the one that it is compared with.
func (q statsQuestion) line(p compared.Pair) Bucket {
	b := q.show(p.Now)
	if p.Before != nil {
		before := q.show(p.Before)
		b.Previous = &before
		if q.Cal.By != Hour || !b.InProgress { // Part of an hour and a whole one do not compare.
			change := b.Since(before.Figures)
			if q.Uncovered(p.Before.Part.From) {
				derived.WithoutRelative(&change)
			}
			b.Change = &change
		}
	}
	return b
}
