// Package recounts finds the last recount that footfall verify has recorded of a site's figures, and says whether it covers a range.
package recounts

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Why a recount does not cover a range.
const (
	OtherRange       = "range"
	Inconclusive     = "inconclusive"
	OlderThanFigures = "older"
)

// Last is a recount, and what it says of a range.
type Last struct {
	Result verified.Result
	Reason string    // why it does not cover the range; "": it does
	To     time.Time // up to when it was asked to cover the range
	LateMs int64     // how late records may be; -1: any lateness is allowed
}

// Covers reports whether the recount covers the range.
func (l *Last) Covers() bool { return l.Reason == "" }

// lookedAt is how many of the last recounts of a site, and of all sites, are looked at for one that covers a range.
const lookedAt = 50

// LastOf finds the last recount of a site that covers a span, otherwise the last of the site; nil: there is none. The end of an
// open span is where the recount ends.
func LastOf(ctx context.Context, t *sitetable.Store, site string, consistent bool, s calendar.Span, open bool) (last *Last, err error) {
	all, err := t.Standings(ctx)
	if err != nil {
		return nil, err
	}
	late := sitetable.CoveringOf(all, func(sinks.TP) bool { return false }).LateMs
	for _, of := range []string{site, ""} {
		results, err := verifications(ctx, t, of, consistent)
		if err != nil {
			return nil, err
		}
		for _, v := range results {
			span := s
			if open {
				span = reachedBy(s, v, late)
			}
			if next := (&Last{v, whyNot(t, v, span, late), calendar.Instant(span.To), late}); next.replaces(last) {
				last = next
			}
		}
	}
	return last, nil
}

// replaces reports whether a recount takes the place of the last one: one that covers the range, of these the one that reaches furthest,
// and of these the last.
func (l *Last) replaces(last *Last) bool {
	switch {
	case last == nil:
		return true
	case l.Covers() != last.Covers():
		return l.Covers()
	case l.Covers() && !l.To.Equal(last.To):
		return l.To.After(last.To)
	}
	return l.Result.At.After(last.Result.At)
}

// reachedBy returns the span up to where a recount can cover it. A span that it reaches no part of stays as it is.
func reachedBy(s calendar.Span, v verified.Result, lateMs int64) calendar.Span {
	if lateMs < 0 {
		return s
	}
	to := min(s.To, v.At.UnixMilli()-lateMs)
	if !v.To.IsZero() {
		to = min(to, v.To.UnixMilli())
	}
	if to > s.From {
		s.To = to
	}
	return s
}

// verifications reads the last recounts of a site; "": of all sites. One whose item is damaged counts as none: footfall verify reports it.
func verifications(ctx context.Context, t *sitetable.Store, site string, consistent bool) (results []verified.Result, err error) {
	pk, prefix := t.Keys.Verifications(site)
	page, err := t.Query(ctx, sinks.Query{PK: pk, Prefix: prefix, Desc: true, Limit: lookedAt, Consistent: consistent})
	if err != nil {
		return nil, err
	}
	for _, it := range page.Items {
		if t.Expired(it) {
			continue
		}
		if v, err := verified.Read(it); err == nil {
			results = append(results, v)
		}
	}
	return results, nil
}

// whyNot says why a recount does not cover the figures of a span; "": it does. It covers those of its own generation alone: a rebuild has
// replaced others, and dates before the generation's first are in another one.
func whyNot(t *sitetable.Store, v verified.Result, s calendar.Span, lateMs int64) string {
	ofGeneration := v.Generation == max(1, t.Keys.Generation) && s.From >= t.Since
	inRange := (v.From.IsZero() || v.From.UnixMilli() <= s.From) && (v.To.IsZero() || v.To.UnixMilli() >= s.To)
	settled := lateMs >= 0 && s.To <= v.At.UnixMilli()-lateMs
	switch {
	case !v.Conclusive():
		return Inconclusive
	case !ofGeneration || !inRange:
		return OtherRange
	case !settled:
		return OlderThanFigures
	}
	return ""
}
