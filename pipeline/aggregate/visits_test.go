package aggregate

import (
	"slices"
	"testing"

	"github.com/footfall/footfall/pipeline/state"
)

// A visit of a test, in minutes: start and last.
type minutes [2]int64

func TestVisitOfAnEvent(t *testing.T) {
	const minute, gap, longest = int64(60_000), 30 * 60_000, 24 * 3_600_000
	const day = 24 * 60
	var chain []int64 // Half an hour apart, a day long.
	for m := int64(0); m <= day; m += 30 {
		chain = append(chain, m)
	}
	for _, c := range []struct {
		name   string
		events []int64 // in minutes
		want   []minutes
		named  []int64 // by which event of the list each visit is named
	}{
		{"events exactly the gap apart are of one visit", []int64{0, 30}, []minutes{{0, 30}}, []int64{0}},
		{"events more than the gap apart are of two", []int64{0, 31}, []minutes{{0, 0}, {31, 31}}, []int64{0, 1}},
		{"a late event moves the start, and the name stays", []int64{30, 0}, []minutes{{0, 30}}, []int64{0}},
		{"a late event more than the gap before opens a visit", []int64{31, 0}, []minutes{{31, 31}, {0, 0}}, []int64{0, 1}},
		{"between two visits it belongs to the one that started last", []int64{60, 0, 30}, []minutes{{30, 60}, {0, 0}}, []int64{0, 1}},
		{"visits that have come to overlap stay two", []int64{0, 60, 30, 10, 25}, []minutes{{0, 0}, {10, 60}}, []int64{0, 1}},
		{"of visits that started together the one opened last takes it", []int64{0, 60, 30, 0, 5}, []minutes{{0, 0}, {0, 60}}, []int64{0, 1}},
		{"a visit is a day long at most", append(slices.Clone(chain), day+1), []minutes{{0, day}, {day + 1, day + 1}}, []int64{0, 49}},
		{"a day behind too", append(slices.Clone(chain), -1), []minutes{{0, day}, {-1, -1}}, []int64{0, 49}},
		{"what is too long for one visit goes to another that it is near", append(append([]int64{-31}, chain...), -2),
			[]minutes{{-31, -2}, {0, day}}, []int64{0, 1}},
		{"the ninth visit displaces the one that ended first", []int64{100, 0, 200, 300, 400, 500, 600, 700, 800},
			[]minutes{{100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}, {600, 600}, {700, 700}, {800, 800}},
			[]int64{0, 2, 3, 4, 5, 6, 7, 8}},
		{"which may be itself", []int64{100, 200, 300, 400, 500, 600, 700, 800, 0},
			[]minutes{{100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}, {600, 600}, {700, 700}, {800, 800}},
			[]int64{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const base, first = 1000 * day, 4711
			var s state.Visitor
			for i, m := range c.events {
				joinVisit(&s, (base+m)*minute, first+int64(i), gap, longest)
			}
			var want []state.Visit
			for i, v := range c.want {
				want = append(want, state.Visit{Pos: first + c.named[i], Start: (base + v[0]) * minute, Last: (base + v[1]) * minute})
			}
			if !slices.Equal(s.Visits(), want) {
				t.Errorf("visits %v, want %v", s.Visits(), want)
			}
			again, err := state.DecodeVisitor(s.AppendBinary(nil))
			if err != nil || again != s {
				t.Errorf("the state reads back as %v, %v", again.Visits(), err)
			}
		})
	}
}

// Of visits that end together the one opened first is displaced.
func TestVisitsThatEndTogether(t *testing.T) {
	var s state.Visitor
	for i := range int64(state.MaxVisits + 1) {
		openVisit(&s, state.Visit{Pos: i, Start: 1000, Last: 1000})
	}
	if v := s.Visits(); v[0].Pos != 1 || v[state.MaxVisits-1].Pos != state.MaxVisits {
		t.Errorf("visits %v, want the first to be forgotten", v)
	}
}
