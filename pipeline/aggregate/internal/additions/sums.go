package additions

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// Sums are the counters of an hour or a day that a step adds to.
type Sums struct {
	figures.Sums
	Goals   goalSums
	Returns returns
}

// Add books an event in the bucket of its own time.
func (s *Sums) Add(e *event.Event) {
	s.Counts[figures.Events]++
	if e.IsPageView() {
		s.Counts[figures.PageViews]++
	}
	if e.HasValue {
		s.Counts[figures.Values]++
		s.AddMicros(figures.ValueMicros, int128.From(e.Value))
	}
}

// Book adds (sign 1) or takes away (sign -1) what a session contributes to the bucket of its start.
func (s *Sums) Book(st *state.Session, sign int64) {
	s.Counts[figures.Sessions] += sign
	s.Counts[figures.DurationMs] += sign * st.DurationMs()
	if st.Bounce() {
		s.Counts[figures.Bounces] += sign
	}
	if st.Engaged() {
		s.Counts[figures.Engaged] += sign
	}
}

// Attrs appends the additions of all counters that change.
func (s *Sums) Attrs(a []sinks.Attr) []sinks.Attr {
	for sum := range figures.AllSums {
		switch {
		case !sum.Decimal():
			if n := s.Counts[sum]; n != 0 {
				a = append(a, sinks.Attr{Name: sum.Attr(), Value: sinks.Int(n)})
			}
		case s.Micros(sum) != int128.Int{}:
			a = append(a, sinks.Attr{Name: sum.Attr(), Value: sinks.Num(s.Micros(sum))})
		}
	}
	return s.Returns.attrs(s.Goals.attrs(a))
}

// goalSums are the conversions of an hour or a day that a step adds to, by goal, in the order in which they came.
type goalSums []goalSum

type goalSum struct {
	n           uint64 // the goal's number
	count       int64
	valueMicros int128.Int
}

// Add counts a conversion of a goal.
func (s *goalSums) Add(n uint64, value int64) {
	for i := range *s {
		if g := &(*s)[i]; g.n == n {
			g.count++
			g.valueMicros = g.valueMicros.Plus(int128.From(value))
			return
		}
	}
	*s = append(*s, goalSum{n, 1, int128.From(value)})
}

// attrs appends the additions of all counters that change.
func (s goalSums) attrs(a []sinks.Attr) []sinks.Attr {
	for i := range s {
		g := &s[i]
		a = append(a, sinks.Attr{Name: sinks.AttrGoalCount(g.n), Value: sinks.Int(g.count)})
		if g.valueMicros != (int128.Int{}) {
			a = append(a, sinks.Attr{Name: sinks.AttrGoalValue(g.n), Value: sinks.Num(g.valueMicros)})
		}
	}
	return a
}

// AddBot books a bot's event in the bucket of its own time.
func (s *Sums) AddBot(e *event.Event) {
	s.Counts[figures.BotEvents]++
	if e.IsPageView() {
		s.Counts[figures.BotPageViews]++
	}
	if e.HasValue {
		s.Counts[figures.BotValues]++
		s.AddMicros(figures.BotValueMicros, int128.From(e.Value))
	}
}
