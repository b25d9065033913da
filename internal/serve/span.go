package serve

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// RangeParams are the parameters of a question about a range.
type RangeParams struct {
	From   string `query:"from" doc:"Start of the range: RFC 3339, a date (2026-05-12), a month, a year, today, yesterday, -7d, -4w, -24h or now"`
	To     string `query:"to" doc:"End of the range, exclusive, spelled as from; by default now"`
	Period string `query:"period" doc:"Range by name, instead of from and to: today, yesterday, 7d, 28d, week, month, year, last-week, last-month, last-year, a date, a month or a year"`
}

// ZoneParams are RangeParams with the zone of days and dates.
type ZoneParams struct {
	RangeParams
	Zone string `query:"tz" doc:"Time zone of days and dates, an IANA name; by default the site's own"`
}

// A span is a range that was read.
type span struct {
	query.Range
	zone *time.Location // that was named; nil: the site's own
}

// A reading is how instants of a range are read.
type reading struct {
	site       string // whose dates these are; "": each site's own
	now        time.Time
	wholeHours bool   // the answer is made of whole hours: -24h is 24 of them
	from       string // the start, if none is named; "": open
}

// lastDay is the range of figures if none is named, as of the command line.
const lastDay = "-24h"

// hours is how the range of figures is read, which are made of whole hours.
func (a api) hours(site string) reading {
	return reading{site: site, now: a.now(), wholeHours: true, from: lastDay}
}

// open is how the range of a list is read, which may have no ends.
func (a api) open(site string) reading { return reading{site: site, now: a.now()} }

// ranged is the input of a question about a range.
type ranged interface {
	read(ctx context.Context, r *query.Reader, how reading) (span, error)
	reading(a api) reading
}

// within makes a question of one about a range: it reads the range first.
func within[I, A any, P interface {
	*I
	ranged
}](a api, ask func(ctx context.Context, r *query.Reader, in *I, s span) (A, error)) func(context.Context, *query.Reader, *I) (A, error) {
	return func(ctx context.Context, r *query.Reader, in *I) (none A, err error) {
		s, err := P(in).read(ctx, r, P(in).reading(a))
		if err != nil {
			return none, err
		}
		return ask(ctx, r, in, s)
	}
}

// dating reads instants and periods of a zone or a site.
type dating struct {
	time, start func(string) (time.Time, error)
	period      func(string) (query.Range, error)
}

// read reads the range. Dates are those of the zone that is named, otherwise of the site. A range beyond that of the grant is refused
// before it costs anything.
func (p ZoneParams) read(ctx context.Context, r *query.Reader, how reading) (s span, err error) {
	bounds, limited := permit.Bounds(ctx)
	if limited {
		p.RangeParams = p.defaultRange(bounds)
	}
	s, err = p.parse(ctx, r, how)
	if err == nil && how.from != "" && (how.site != "" || s.zone != nil) { // Dates of several sites begin earlier in some zones.
		param, value := "from", p.From
		if p.Period != "" {
			param, value = "period", p.Period
		}
		err = named(param, s.CheckBegun(how.now, param, value))
	}
	if err == nil && limited && !permit.Inside(bounds, s.Range) {
		err = permit.Outside(bounds)
	}
	return s, err
}

func (p ZoneParams) parse(ctx context.Context, r *query.Reader, how reading) (s span, err error) {
	if p.Period != "" && (p.From != "" || p.To != "") {
		return s, problem.AtFault("period", p.Period, "leave it out, or from and to: a range is named in one way")
	}
	if p.From == "" {
		p.From = how.from
	}
	if p.Period == "" && p.From == "" && p.To == "" {
		return s, nil
	}
	in, err := p.dating(ctx, r, how)
	if err != nil {
		return s, err
	}
	s.zone = in.zone
	if p.Period != "" {
		s.Range, err = in.period(p.Period)
		return s, named("period", err)
	}
	start := in.time
	if how.wholeHours {
		start = in.start
	}
	if p.From != "" {
		if s.From, err = start(p.From); err != nil {
			return s, named("from", err)
		}
	}
	if p.To != "" {
		if s.To, err = in.time(p.To); err != nil {
			return s, named("to", err)
		}
	}
	return s, nil
}

type zonedDating struct {
	dating
	zone *time.Location
}

func (p ZoneParams) dating(ctx context.Context, r *query.Reader, how reading) (in zonedDating, err error) {
	if p.Zone != "" {
		if in.zone, err = query.ParseZone(p.Zone); err != nil {
			return in, named("tz", err)
		}
		in.dating = datingIn(in.zone, how.now)
		return in, nil
	}
	in.dating, err = datesOf(ctx, r, how)
	return in, err
}

// datesOf returns how dates are read if no zone is named: those of the site, or of UTC in questions about several sites, which have these
// dates each in its own zone.
func datesOf(ctx context.Context, r *query.Reader, how reading) (dating, error) {
	if how.site == "" {
		return datingIn(time.UTC, how.now), nil
	}
	dates, err := r.Dates(ctx, how.site)
	return dating{func(s string) (time.Time, error) { return dates.Parse(s, how.now) },
		func(s string) (time.Time, error) { return dates.ParseStart(s, how.now) },
		func(s string) (query.Range, error) { return dates.Period(s, how.now) }}, err
}

// datingIn reads dates in a zone.
func datingIn(zone *time.Location, now time.Time) dating {
	return dating{func(s string) (time.Time, error) { return query.ParseTimeIn(s, now, zone) },
		func(s string) (time.Time, error) { return query.ParseStartIn(s, now, zone) },
		func(s string) (query.Range, error) { return query.ParsePeriodIn(s, now, zone) }}
}

// named has an error of an instant name its parameter.
func named(parameter string, err error) error {
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return problem.AtFault(parameter, wrong.Value, wrong.Remedy)
	}
	return err
}

// defaultRange fills what a question leaves open with the range of the grant.
func (p RangeParams) defaultRange(bounds query.Range) RangeParams {
	if p.Period != "" {
		return p
	}
	if p.From == "" && !bounds.From.IsZero() {
		p.From = bounds.From.Format(time.RFC3339)
	}
	if p.To == "" && !bounds.To.IsZero() {
		p.To = bounds.To.Format(time.RFC3339)
	}
	return p
}
