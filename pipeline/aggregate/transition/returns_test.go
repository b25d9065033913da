package transition

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// returned is a count of returns: of a week, by its Monday, and of how many weeks after.
type returned struct {
	monday int64
	weeks  int
}

// come folds days of a visitor, in the order of the log.
func come(days []int64, horizon int64) (x state.Arrival, counted map[returned]int64) {
	counted = make(map[returned]int64)
	for _, n := range days {
		was, day := x, n*event.DayMs
		Arrive(&x, day, day, horizon)
		Return(&x, was, day, func(day int64, weeks int, n int64) { counted[returned{mondayOf(day), weeks}] += n })
	}
	maps.DeleteFunc(counted, func(_ returned, n int64) bool { return n == 0 })
	return x, counted
}

// TestReturnsDoNotDependOnTheOrder: within a horizon, days in any order count as in order.
func TestReturnsDoNotDependOnTheOrder(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 38))
	for range 2000 {
		days := make([]int64, 1+dice.IntN(12))
		first := int64(math.MaxInt64)
		for i := range days {
			days[i] = 20_000 + dice.Int64N(500)
			first = min(first, days[i]*event.DayMs)
		}
		want := map[returned]int64{{mondayOf(first), 0}: 1}
		weeks := int64(1)
		for _, n := range days {
			monday := mondayOf(n * event.DayMs)
			if after := int((monday - mondayOf(first)) / weekMs); 0 < after && after <= sinks.MaxReturnWeeks {
				want[returned{monday, after}] = 1
				weeks |= 1 << after
			}
		}
		x, counted := come(days, sites.Never)
		if x.Day != first || x.Weeks != weeks || !maps.Equal(counted, want) {
			t.Fatalf("days %v: %+v, counted %v; want weeks %b, counted %v", days, x, counted, weeks, want)
		}
	}
}

// TestReturnsAreOfTheLastTimeOfBeingNew: 2026-05-11 was a Monday, day 20,584.
func TestReturnsAreOfTheLastTimeOfBeingNew(t *testing.T) {
	const monday = 20_584
	at := func(day int64) int64 { return (monday + day) * event.DayMs }
	for name, c := range map[string]struct {
		days  []int64 // after the Monday
		weeks int64
		want  map[returned]int64
	}{
		"the same week":         {[]int64{0, 6}, 1, map[returned]int64{{at(0), 0}: 1}},
		"Sunday and Monday":     {[]int64{6, 7, 8}, 0b11, map[returned]int64{{at(0), 0}: 1, {at(7), 1}: 1}},
		"new again":             {[]int64{0, 7, 38}, 1, map[returned]int64{{at(0), 0}: 1, {at(7), 1}: 1, {at(35), 0}: 1}},
		"earlier than the span": {[]int64{38, 0}, 1, map[returned]int64{{at(35), 0}: 1}},
		"moved within a week":   {[]int64{3, 8, 1}, 0b11, map[returned]int64{{at(0), 0}: 1, {at(7), 1}: 1}},
		"moved a week":          {[]int64{8, 15, 3}, 0b111, map[returned]int64{{at(0), 0}: 1, {at(7), 1}: 1, {at(14), 2}: 1}},
	} {
		days := make([]int64, len(c.days))
		for i, n := range c.days {
			days[i] = monday + n
		}
		if x, counted := come(days, 30); x.Weeks != c.weeks || !maps.Equal(counted, c.want) {
			t.Errorf("%s: weeks %b, counted %v; want %b, %v", name, x.Weeks, counted, c.weeks, c.want)
		}
	}
}

// TestWeeksOfEarlierReleasesStayUnknown: of a visitor who was new before weeks were kept nothing is counted until the visitor is new again.
func TestWeeksOfEarlierReleasesStayUnknown(t *testing.T) {
	x := state.Arrival{Hour: 20_584 * event.DayMs, Day: 20_584 * event.DayMs, LastDay: 20_584 * event.DayMs}
	for _, c := range []struct{ day, weeks int64 }{{20_591, 0}, {20_580, 0}, {20_700, 1}} {
		was, counted := x, 0
		Arrive(&x, c.day*event.DayMs, c.day*event.DayMs, 30)
		Return(&x, was, c.day*event.DayMs, func(int64, int, int64) { counted++ })
		if x.Weeks != c.weeks || int64(counted) != c.weeks {
			t.Errorf("day %d: weeks %b, counted %d times; want %d", c.day, x.Weeks, counted, c.weeks)
		}
	}
}

// TestArrivalMayMoveToLaterWeek: no zone has dates that go back, and the weeks stay those that were counted if one does.
func TestArrivalMayMoveToLaterWeek(t *testing.T) {
	const monday = 20_584 * event.DayMs
	x := state.Arrival{Hour: 2, Day: monday, LastDay: monday + 2*weekMs, Weeks: 0b111}
	was, counted := x, map[returned]int64{{monday, 0}: 1, {monday + weekMs, 1}: 1, {monday + 2*weekMs, 2}: 1}
	x.Hour, x.Day = 1, monday+weekMs
	Return(&x, was, x.Day, func(day int64, weeks int, n int64) { counted[returned{day, weeks}] += n })
	maps.DeleteFunc(counted, func(_ returned, n int64) bool { return n == 0 })
	if want := (map[returned]int64{{x.Day, 0}: 1, {x.Day + weekMs, 1}: 1}); x.Weeks != 0b11 || !maps.Equal(counted, want) {
		t.Errorf("weeks %b, counted %v; want %b, %v", x.Weeks, counted, 0b11, want)
	}
}
