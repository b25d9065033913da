package transition

import (
	"testing"

	"github.com/footfall/footfall/pipeline/event"
)

func TestHourOfNewSites(t *testing.T) {
	const bound = 3
	for name, c := range map[string]struct {
		hours []int64 // of the records, each of a new site
		want  NewSites
		taken int
	}{
		"one hour":                       {[]int64{100, 100, 100, 100}, NewSites{100, 3}, 3},
		"the next begins with none":      {[]int64{100, 100, 100, 101}, NewSites{101, 1}, 4},
		"a day ahead as well":            {[]int64{100, 100, 100, 124}, NewSites{124, 1}, 4},
		"an earlier one counts here":     {[]int64{100, 100, 99, 76}, NewSites{100, 3}, 3},
		"a jump ahead keeps the count":   {[]int64{100, 100, 100, 125}, NewSites{125, 3}, 3},
		"a jump back keeps the count":    {[]int64{100, 100, 100, 75}, NewSites{75, 3}, 3},
		"an hour after a jump":           {[]int64{100, 100, 100, 200, 201}, NewSites{201, 1}, 4},
		"one record of 2250":             {[]int64{100, 2_454_486, 100, 101}, NewSites{101, 1}, 4},
		"one record of 1970":             {[]int64{1000, 0, 1000, 1001}, NewSites{1001, 1}, 4},
		"no hour before":                 {[]int64{400_000}, NewSites{400_000, 1}, 1},
		"records without a time (-1 ms)": {[]int64{-1, 5}, NewSites{5, 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			n, taken := NewSites{}, 0
			for _, hour := range c.hours {
				if n.Take(hour*event.HourMs, bound) {
					taken++
				}
			}
			if n.Hour /= event.HourMs; n != c.want || taken != c.taken {
				t.Errorf("%+v and %d sites taken, want %+v and %d", n, taken, c.want, c.taken)
			}
		})
	}
}
