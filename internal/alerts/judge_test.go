package alerts

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// Bounds are exact, small counts are no spike, weeks without a site are not the usual, one unusual week does not change it, and hours are
// those of the site's clocks.
func TestWhatHoursAreJudgedBy(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	changed := time.Date(2026, 3, 30, 10, 0, 0, 0, berlin) // The day after clocks went forward.
	hour := Hour(changed)
	week := func(n int64) int64 { return hour - n*7*24 }
	always := func(count int64) func(int64) int64 { return func(int64) int64 { return count } }
	now := func(count, usual int64) func(int64) int64 {
		return func(h int64) int64 {
			if h == hour {
				return count
			}
			return usual
		}
	}
	for name, c := range map[string]struct {
		when  string
		count func(hour int64) int64
		fires bool
	}{
		"at a lower bound":      {"events < 100", always(100), false},
		"below it":              {"events < 100", always(99), true},
		"at an upper bound":     {"events > 100", always(100), false},
		"beyond it":             {"events > 100", always(101), true},
		"of some hours":         {"events > 200 for 2 hours", always(100), false},
		"of as many and more":   {"events > 199 for 2 hours", always(100), true},
		"a spike":               {"events > 200 % of usual and at least 50 for 1 hours", now(50, 5), true},
		"a spike of a few":      {"events > 200 % of usual and at least 50 for 1 hours", now(49, 5), false},
		"a site without a past": {"events spikes", func(h int64) int64 { return 100 * min(1, max(0, h-hour+30)) }, false},
		"a week after a spike": {"events < 75 % of usual for 1 hours", func(h int64) int64 {
			if h == week(1)+1 { // An hour later in UTC, before the change.
				return 1000
			}
			return 100
		}, false},
		"hours of clocks that were changed": {"events < 75 % of usual for 1 hours", func(h int64) int64 {
			if HourStart(h).In(berlin).Hour() == 11 { // At the same hour in UTC, before the change, it was 9 o'clock.
				return 0
			}
			return 100 * int64(HourStart(h).In(berlin).Hour())
		}, false},
		"opening hours": {"events > 200 % of usual and at least 50 for 1 hours", func(h int64) int64 {
			if HourStart(h).In(berlin).Hour() >= 10 {
				return 100
			}
			return 1
		}, false},
	} {
		s := NewSeries(week(Weeks+1), hour+2)
		for h := s.From; h < hour+2; h++ {
			s.Set(h, c.count(h))
		}
		if d, fires := parsed(t, c.when).Judge(s, hour, berlin); fires != c.fires {
			t.Errorf("%s: %q fires: %v, %+v", name, c.when, fires, d)
		}
	}
}

// A value that is new surges where the site had others, and the largest are named. A week in which nothing was counted is none to judge by.
func TestWhatValuesAreJudgedBy(t *testing.T) {
	r := parsed(t, "source surges")
	all := make(map[string]Sums)
	for i := range int64(MostValues + 3) {
		all[fmt.Sprint("new", i)] = Sums{500 + i}
	}
	if found := r.JudgeValues(all); len(found) != 0 {
		t.Errorf("of a site without a past: %+v", found)
	}
	all["old"] = Sums{100, 100}
	if found := r.JudgeValues(all); len(found) != 0 {
		t.Errorf("of a site with one week: %+v", found)
	}
	all["old"] = Sums{100, 100, 100, 100, 100}
	if found := r.JudgeValues(all); len(found) != MostValues || found[0].Value != "new7" || found[0].Count != 507 || found[0].Usual != 0 {
		t.Errorf("%+v, want the largest %d", found, MostValues)
	}
}

// A site that waits has a mark of its own, whatever its id.
func TestMarksAreOfOneSite(t *testing.T) {
	s := Store{Table: testworld.Table(t)}
	ids := []string{"", " ", "a", "a ", " a", "a  "}
	for i, site := range ids {
		if err := s.PutMark(t.Context(), site, Mark{Hour: int64(i + 1), Waiting: []int32{int32(i)}}); err != nil {
			t.Fatal(err)
		}
		a := Alert{Site: site, ID: "x", Rule: parsed(t, "silence")}
		if site == "" {
			continue
		}
		if _, err := s.Table.Put(t.Context(), sinks.Put{Item: a.Item()}); err != nil {
			t.Fatal(err)
		}
	}
	_, marks, err := s.All(t.Context(), func(err error) { t.Error(err) })
	for i, site := range ids {
		if err != nil || marks[site].Hour != int64(i+1) {
			t.Errorf("the mark of %q: %+v, %v; want hour %d", site, marks[site], err, i+1)
		}
	}
}
