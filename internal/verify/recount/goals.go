package recount

import (
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// reach finds the goals that a session reaches with its last record, under the rules of the record's step.
func (s *Stats) reach(site *count.Site, x *count.Session, r *count.Record) error {
	if r.Rules == nil {
		return nil
	}
	for _, g := range r.Rules.Goals {
		if g.Inactive || slices.Contains(x.Reached, g.N) {
			continue
		}
		if g.DurationMs > 0 && x.EndedAt-x.StartedAt < g.DurationMs {
			continue
		}
		if g.DurationMs == 0 {
			meant, err := means(g.On, r.Event)
			if err != nil {
				return err
			}
			if !meant {
				continue
			}
		}
		if encodedGoals(x.Reached)+encodedGoals([]uint64{g.N}) > maxReachedBytes {
			continue
		}
		x.Reached = append(slices.Clip(x.Reached), g.N) // Its former version keeps the shorter one.
		s.convert(site, x, r, g)
	}
	return nil
}

// maxReachedBytes is how long the numbers of the goals that a session has reached may be, at one byte each below 128 and two above.
const maxReachedBytes = 128

func encodedGoals(numbers []uint64) (n int) {
	for _, number := range numbers {
		if n++; number >= 128 {
			n++
		}
	}
	return n
}

// convert books a conversion at its own time and notes what its item must say.
func (s *Stats) convert(site *count.Site, x *count.Session, r *count.Record, g sites.Goal) {
	e := r.Event
	c := &count.Conversion{Goal: g.ID, At: e.Timestamp, Visitor: string(e.VisitorID), User: string(e.UserID), Type: string(e.Type),
		Name: string(e.Name), Page: count.PageOf(e), Position: r.Position, Offset: r.Offset}
	sum := count.GoalSums{g.N: {Count: 1}}
	micros, worth := e.Value, e.HasValue && g.DurationMs == 0
	if g.Value != nil {
		micros, worth = *g.Value, true
	}
	if worth {
		c.Value = sinks.Int(micros)
		sum[g.N] = count.GoalSum{Count: 1, ValueMicros: int128.From(micros)}
		x.Worth += micros
	}
	own := count.Sums{Goals: sum}
	own.Counts[figures.Conversions] = 1
	s.hour(site, r.Hour).Add(own)
	s.day(site, r.Day).Add(own)
	if !r.Gone && (!x.Erased || !scope.Unnamed(e)) {
		site.Conversions[count.Converted{Goal: g.N, Session: x.ID}] = c
		s.v.Ledger.grow(site.Name, weighConversion)
	}
}

// means reads a pattern as its documentation says, straightforwardly.
func means(p sites.Pattern, e *event.Event) (bool, error) {
	if p.On == sites.OnEvent {
		return (p.Type == "" || p.Type == string(e.Type)) && (p.Name == "" || p.Name == string(e.Name)), nil
	}
	if page := e.Page(); page != nil && e.IsPageView() {
		switch p.How {
		case sites.MatchExact:
			return string(page) == p.Text, nil
		case sites.MatchPrefix:
			return strings.HasPrefix(string(page), p.Text), nil
		case sites.MatchContains:
			return strings.Contains(string(page), p.Text), nil
		case sites.MatchRegexp:
			return regexp.MatchString(p.Text, string(page))
		}
	}
	return false, nil
}
