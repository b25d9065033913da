package alerts

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A world is a synthetic site: page views by hour, of a day and a week like people have, over four weeks and a year.
type world struct {
	dice      *rand.Rand
	daily     float64 // page views of a mean day
	clustered bool    // sessions have three page views in the mean, and days differ by a tenth
	zone      *time.Location
	expected  map[int64]float64
	first     int64 // the first hour of the year
	last      int64
}

func newWorld(t *testing.T, seed uint64, daily float64, clustered bool) *world {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, zone)
	w := &world{dice: rand.New(rand.NewPCG(seed, 38)), daily: daily, clustered: clustered, zone: zone, expected: make(map[int64]float64),
		first: Hour(start), last: Hour(start.AddDate(1, 0, 0)) - 1}
	for h := Hour(start.AddDate(0, 0, -7*Weeks-2)); h <= w.last; h++ {
		at := HourStart(h).In(zone)
		n := daily / 24 * (1 - 0.9*math.Cos(2*math.Pi*float64(at.Hour()-3)/24)) // from a tenth of the mean at 3 o'clock to 1.9 times
		if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
			n *= 0.6
		}
		w.expected[h] = n
	}
	return w
}

// poisson draws a count.
func (w *world) poisson(mean float64) int64 {
	if mean > 500 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*w.dice.NormFloat64())))
	}
	n, p, bound := int64(0), w.dice.Float64(), math.Exp(-mean)
	for ; p > bound; n++ {
		p *= w.dice.Float64()
	}
	return n
}

// count draws the page views of an hour.
func (w *world) count(mean float64) (n int64) {
	if !w.clustered {
		return w.poisson(mean)
	}
	sessions := w.poisson(mean / 3)
	if sessions > 500 { // A geometric count of mean 3 has the variance 6.
		return max(0, int64(math.Round(3*float64(sessions)+math.Sqrt(6*float64(sessions))*w.dice.NormFloat64())))
	}
	for range sessions {
		for n++; w.dice.IntN(3) > 0; n++ {
		}
	}
	return n
}

// year draws all hours, or a share of them.
func (w *world) year(share float64) Series {
	hours := slices.Sorted(maps.Keys(w.expected))
	s := NewSeries(hours[0], w.last+1)
	day, level := int64(-1), 1.0
	for _, h := range hours {
		if h/24 != day && w.clustered {
			day, level = h/24, math.Exp(0.1*w.dice.NormFloat64())
		}
		s.Set(h, w.count(w.expected[h]*share*level))
	}
	return s
}

// fired returns the hours of a year in which a rule fires.
func (w *world) fired(r Rule, all map[string]Series) (hours []int64) {
	for h := w.first; h <= w.last; h++ {
		var ok bool
		if r.Dimension != "" {
			sums := make(map[string]Sums)
			for value, s := range all {
				var of Sums
				for week, span := range r.Spans(h, w.zone) {
					of[week] = s.at(span[0])
				}
				sums[value] = of
			}
			ok = len(r.JudgeValues(sums)) > 0
		} else {
			_, ok = r.Judge(all[""], h, w.zone)
		}
		if ok {
			hours = append(hours, h)
			h += QuietHours
		}
	}
	return hours
}

func parsed(t *testing.T, when string) Rule {
	t.Helper()
	r, err := Parse(when)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAYearOfNoiseHasFewFalseAlarms: a site with an alert of each kind at its defaults has at most two false alarms a year, whatever its
// size, also if its visitors have several page views and its days differ by a tenth.
func TestAYearOfNoiseHasFewFalseAlarms(t *testing.T) {
	rules := []string{"pageViews drops", "pageViews spikes", "silence", "goal signup stops", "source surges"}
	var table strings.Builder
	fmt.Fprintf(&table, "%9s %9s %s\n", "daily", "noise", strings.Join(rules, " | "))
	for _, clustered := range []bool{false, true} {
		for i, daily := range []float64{10, 100, 1000, 10_000, 100_000} {
			w := newWorld(t, uint64(i+1), daily, clustered)
			page, goal := map[string]Series{"": w.year(1)}, map[string]Series{"": w.year(0.02)}
			sources := make(map[string]Series)
			for n := range 10 {
				sources[fmt.Sprintf("source%d.example", n)] = w.year(0.1 / float64(n+1))
			}
			sum := 0
			fmt.Fprintf(&table, "%9.0f %9v", daily, clustered)
			for _, when := range rules {
				r, of := parsed(t, when), page
				switch {
				case r.Goal != "":
					of = goal
				case r.Dimension != "":
					of = sources
				}
				n := len(w.fired(r, of))
				sum += n
				fmt.Fprintf(&table, " %d", n)
			}
			fmt.Fprintln(&table)
			if sum > 2 {
				t.Errorf("%.0f page views a day, clustered %v: %d false alarms in a year", daily, clustered, sum)
			}
		}
	}
	t.Logf("false alarms\n%s", &table)
}

// enough is how many page views a site must usually have for a drop of 60 % to be found for sure.
const enough = 200

// TestDropsAreFound: a drop of 60 % is found within two hours where these usually have enough page views, and within a day if a day has
// five times as many.
func TestDropsAreFound(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%9s %9s %6s %6s %6s %6s %6s %s\n", "daily", "drops", "<=2 h", "<=6 h", "<=24 h", "never", "large", "of these <=2 h")
	for i, daily := range []float64{100, 1000, 10_000, 100_000, 1_000_000} {
		w := newWorld(t, uint64(100+i), daily, false)
		r, plain := parsed(t, "pageViews drops"), w.year(1)
		var took []int64
		large, largeInTime := 0, 0
		for range 300 {
			start := w.first + w.dice.Int64N(w.last-w.first-2*Context)
			n := w.find(r, plain, start)
			took = append(took, n)
			inTwo := w.expected[start]+w.expected[start+1] >= enough
			if inTwo {
				large++
			}
			switch {
			case inTwo && n <= 2:
				largeInTime++
			case inTwo:
				t.Errorf("%.0f page views a day: a drop at %v with %.0f usual in two hours was found after %d hours", daily, HourStart(start),
					w.expected[start]+w.expected[start+1], n)
			case daily >= 5*enough && n > Context:
				t.Errorf("%.0f page views a day: a drop at %v was not found within a day", daily, HourStart(start))
			}
		}
		within := func(hours int64) (n int) {
			for _, h := range took {
				if h <= hours {
					n++
				}
			}
			return n
		}
		fmt.Fprintf(&table, "%9.0f %9d %6d %6d %6d %6d %6d %d\n", daily, len(took), within(2), within(6), within(24), len(took)-within(24),
			large, largeInTime)
	}
	t.Logf("drops of 60 %% that last a day\n%s", &table)
}

// find plants a drop of 60 % that lasts a day, and returns after how many hours it is found.
func (w *world) find(r Rule, plain Series, start int64) (hours int64) {
	s := Series{plain.From, slices.Clone(plain.Counts)}
	for h := start; h < start+Context; h++ {
		s.Set(h, w.count(w.expected[h]*0.4))
		if _, ok := r.Judge(s, h, w.zone); ok {
			return h - start + 1
		}
	}
	return math.MaxInt64
}
