package permit

import (
	"context"
	"net/http"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

type boundsKey struct{}

// Bounds returns the range that the grant of a request is limited to, where an end may be open; ok is false if it is not.
func Bounds(ctx context.Context) (bounds query.Range, ok bool) {
	bounds, ok = ctx.Value(boundsKey{}).(query.Range)
	return bounds, ok
}

// WithBounds returns a context that holds the range of the grant, as it is now in the zone of the site.
func WithBounds(ctx context.Context, reader *query.Reader, site string, now time.Time) (context.Context, error) {
	l := access.Of(ctx).Limits
	if !l.Ranged() {
		return ctx, nil
	}
	dates, err := reader.Dates(ctx, site)
	if err != nil {
		return nil, err
	}
	var bounds query.Range
	if l.Period != "" {
		bounds, err = dates.Period(l.Period, now)
	}
	if l.From != "" && err == nil {
		bounds.From, err = dates.Parse(l.From, now)
	}
	if l.To != "" && err == nil {
		bounds.To, err = dates.Parse(l.To, now)
	}
	if err != nil { // It was checked when the credential was made.
		return nil, &access.DeniedError{Reason: "the range that the credential is limited to cannot be read: " + err.Error()}
	}
	return context.WithValue(ctx, boundsKey{}, bounds), nil
}

// Hold returns an answer as the grant of the request allows it: the problem of checkSpans or underLocked, or the answer without what it
// says of the time beyond its range and of events that do not pass its filters, and without what its holder may not hear.
func Hold[A any](ctx context.Context, answer A) (A, error) {
	var none A
	held, err := underLocked(ctx, answer)
	if err != nil {
		return none, err
	}
	if _, ok := Bounds(ctx); ok {
		if err := CheckSpans(ctx, held); err != nil {
			return none, err
		}
		held = withinBounds(held)
	}
	return discreetAnswer(ctx, held).(A), nil
}

// withinBounds returns an answer without what it says of the time beyond its range.
func withinBounds(answer any) any {
	switch a := answer.(type) {
	case query.StatsAnswer: // From when to when there are data at all.
		a.Stored = nil
		return a
	case query.UniquesAnswer:
		a.Stored = nil
		return a
	case query.TopAnswer:
		a.Stored = nil
		return a
	case query.VerifiedAnswer:
		return verifiedWithin(a)
	}
	return answer
}

// verifiedWithin returns what a recount says of the range of an answer alone. One that does not cover it is of another range.
func verifiedWithin(a query.VerifiedAnswer) query.VerifiedAnswer {
	if a.LastVerified == nil {
		return a
	}
	if !a.Covers {
		a.LastVerified = nil
		return a
	}
	own := *a.LastVerified
	own.From, own.To, own.Counts = a.From, &a.To, nil
	a.LastVerified = &own
	return a
}

// CheckSpans reports an answer whose figures are of anything beyond the range of the grant: a question can reach beyond by its range,
// its zone, the size of its buckets, what it is compared with, and a cursor.
func CheckSpans(ctx context.Context, answer any) error {
	bounds, ok := Bounds(ctx)
	if !ok {
		return nil
	}
	spans, known := spansOf(answer)
	if !known {
		return problem.New(http.StatusForbidden, "the credential is limited to a range, and this answer has none")
	}
	for _, s := range spans {
		if !Inside(bounds, s) {
			return Outside(bounds)
		}
	}
	return nil
}

// Inside reports whether a range lies in that of the grant. The ends of both may be open: zero.
func Inside(bounds, s query.Range) bool {
	return !s.From.Before(bounds.From) && (s.To.IsZero() || !s.To.Before(s.From)) && (bounds.To.IsZero() || !s.To.After(bounds.To))
}

// Outside is the problem of a question beyond the range of the grant.
func Outside(bounds query.Range) *problem.Problem {
	spell := func(t time.Time) string {
		if t.IsZero() {
			return "open"
		}
		return t.Format(time.RFC3339)
	}
	return problem.New(http.StatusForbidden,
		"the answer would have figures of another range than the one that the credential is limited to, from "+
			spell(bounds.From)+" to "+spell(bounds.To)+": ask for from and to within it, without a comparison that reaches beyond it")
}

// spansOf returns all ranges of time that an answer has figures of; ok is false of an answer that is not known here.
func spansOf(answer any) (spans []query.Range, ok bool) {
	add := func(from, to time.Time) { spans = append(spans, query.Range{From: from, To: to}) }
	switch a := answer.(type) {
	case query.StatsAnswer:
		add(a.From, a.To)
		if a.Previous != nil {
			add(a.Previous.From, a.Previous.To)
		}
	case query.UniquesAnswer:
		add(a.From, a.To)
	case query.TopAnswer:
		add(a.From, a.To)
	case query.GoalStatsAnswer:
		add(a.From, a.To)
	case query.FilteredStatsAnswer:
		add(a.From, a.To)
		if a.Previous != nil {
			add(a.Previous.From, a.Previous.To)
		}
	case query.FilteredUniquesAnswer:
		add(a.From, a.To)
	case query.FilteredGoalsAnswer:
		add(a.From, a.To)
	case query.FilteredTopAnswer:
		add(a.From, a.To)
	case query.PathsAnswer:
		add(a.From, a.To)
	case query.AnnotationsAnswer:
		s := query.Range{To: forever}
		if a.From != nil {
			s.From = *a.From
		}
		if a.To != nil {
			s.To = *a.To
		}
		spans = append(spans, s)
	case query.VerifiedAnswer:
		s := query.Range{To: a.To}
		if a.From != nil {
			s.From = *a.From
		}
		spans = append(spans, s)
	case query.FunnelReportAnswer:
		add(a.From, a.To)
	case query.RetentionAnswer:
		add(a.From, a.To)
	case query.FunnelsAnswer, segments.SegmentsAnswer: // They are of no time.
	case query.RealtimeAnswer: // Its series begins before the range.
		spans = append(spans, query.Range{From: a.To.Add(-realtimeSeries), To: a.To})
	default:
		return nil, false
	}
	return spans, true
}

// forever is the end of a range without one.
var forever = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)

// realtimeSeries is how long the series of a realtime answer is.
const realtimeSeries = 30 * time.Minute
