package transition

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
		{"between two visits it belongs to the one that started last", []int64{60, 0, 30}, []minutes{{0, 0}, {30, 60}}, []int64{1, 0}},
		{"visits that have come to overlap stay two", []int64{0, 60, 30, 10, 25}, []minutes{{0, 0}, {10, 60}}, []int64{0, 1}},
		{"of visits that started together the one opened last takes it", []int64{0, 60, 30, 0, 5}, []minutes{{0, 0}, {0, 60}}, []int64{0, 1}},
		{"a visit is a day long at most", append(slices.Clone(chain), day+1), []minutes{{0, day}, {day + 1, day + 1}}, []int64{0, 49}},
		{"a day behind too", append(slices.Clone(chain), -1), []minutes{{0, day}, {-1, -1}}, []int64{0, 49}},
		{"what is too long for one visit goes to another that it is near", append(append([]int64{-31}, chain...), -2),
			[]minutes{{0, day}, {-31, -2}}, []int64{1, 0}},
		{"the ninth visit displaces the one updated longest ago in the log", []int64{0, 100, 200, 300, 400, 500, 600, 700, 10, 800},
			[]minutes{{200, 200}, {300, 300}, {400, 400}, {500, 500}, {600, 600}, {700, 700}, {0, 10}, {800, 800}},
			[]int64{2, 3, 4, 5, 6, 7, 0, 9}},
		{"which may have ended last", []int64{900, 100, 200, 300, 400, 500, 600, 700, 800},
			[]minutes{{100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}, {600, 600}, {700, 700}, {800, 800}},
			[]int64{1, 2, 3, 4, 5, 6, 7, 8}},
		{"after eight visits, views a minute apart a month earlier are of one", []int64{0, day, 2 * day, 3 * day, 4 * day, 5 * day, 6 * day,
			7 * day, -30 * day, -30*day + 1, -30*day + 2, -30*day + 3, -30*day + 4, -30*day + 5, -30*day + 6, -30*day + 7, -30*day + 8,
			-30*day + 9}, []minutes{{day, day}, {2 * day, 2 * day}, {3 * day, 3 * day}, {4 * day, 4 * day}, {5 * day, 5 * day},
			{6 * day, 6 * day}, {7 * day, 7 * day}, {-30 * day, -30*day + 9}}, []int64{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const base, first = 1000 * day, 4711
			var s state.Visitor
			for i, m := range c.events {
				JoinVisit(&s, (base+m)*minute, first+int64(i), gap, longest)
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
