package alerts

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// Weeks is how many earlier weeks are the usual.
	Weeks = 4
	// Context is how many hours an hour is judged by, in each week: the longest of windows.
	Context = 24
	// QuietHours is for how many hours an alert that fired does not fire again: for as long as any window has that hour.
	QuietHours = 24

	// sureOf is how many standard deviations a count must be from the usual. A year has 79,000 windows, which overlap. Of independent
	// events, one of 1.3 million is as far away.
	sureOf = 4.8
	// sureOfValue is the same for one of many values of a dimension.
	sureOfValue = 5.5
	// leastSpread is what the spread of one value is taken for at least: three or four weeks do not say it.
	leastSpread = 4
	// leastWeeks is how many earlier weeks a rule about the usual needs.
	leastWeeks = 2
	// MostValues is how many values of a dimension a finding names.
	MostValues = 5
)

// windows are how many hours are added up, up to the one that is judged. The first that shows the change is reported: one hour of a large
// site, a day of a small one.
var windows = []int{1, 2, 3, 4, 6, 8, 12, 16, 24}

// Series are the counts of successive hours, which are numbered since the epoch.
type Series struct {
	From   int64   // the first hour
	Counts []int64 // of hours; before and after there is nothing
}

// NewSeries has no counts in the hours [from, to).
func NewSeries(from, to int64) Series { return Series{from, make([]int64, max(0, to-from))} }

// Set sets the count of an hour that the series has.
func (s Series) Set(hour, n int64) {
	if i := hour - s.From; i >= 0 && i < int64(len(s.Counts)) {
		s.Counts[i] = n
	}
}

func (s Series) at(hour int64) int64 {
	if i := hour - s.From; i >= 0 && i < int64(len(s.Counts)) {
		return s.Counts[i]
	}
	return 0
}

// Hour is the number of the hour that an instant is in.
func Hour(at time.Time) int64 { return int64(math.Floor(float64(at.UnixMilli()) / 3_600_000)) }

// HourStart is the start of an hour, in UTC.
func HourStart(hour int64) time.Time { return time.UnixMilli(hour * 3_600_000).UTC() }

// Deviation is what a rule found in an hour.
type Deviation struct {
	Hours int     `json:"hours"`           // that were added up, up to this one
	Count int64   `json:"count"`           // in these
	Usual float64 `json:"usual"`           // of these hours, to a tenth; of a rule about the count alone: 0
	Value string  `json:"value,omitempty"` // of the dimension; "": the rule is not about one
}

// hours are the Context hours up to one, the last first, in its own week and in each of those before, the last first. They have the same
// times of the site's clocks.
type hours [1 + Weeks][Context]int64

func newHours(hour int64, zone *time.Location) (of hours) {
	offset := func(hour int64) int64 {
		_, seconds := HourStart(hour).In(zone).Zone()
		return int64(seconds)
	}
	for n := range int64(Context) {
		own := offset(hour - n)
		for week := range of {
			h := hour - n - 7*24*int64(week)
			of[week][n] = h + (own-offset(h))/3600
		}
	}
	return of
}

// Judge reports whether an hour fulfils a rule about a figure or a goal, and how. It reads the Context hours that end with the hour, and
// those of the Weeks before it.
func (r Rule) Judge(s Series, hour int64, zone *time.Location) (Deviation, bool) {
	if r.Percent == 0 && !r.Stops {
		n := int64(0)
		for h := range int64(r.Hours) {
			n += s.at(hour - h)
		}
		return Deviation{Hours: r.Hours, Count: n}, r.Above && n > r.Bound || !r.Above && n < r.Bound
	}
	at := newHours(hour, zone)
	return r.judge(newWeekly(s, &at), used(s, &at))
}

// Sums are the counts of a value of a dimension: in the rule's own hours, and in those of each week before.
type Sums [1 + Weeks]int64

// JudgeValues is Judge for a rule about a dimension, of all values that were counted in any of the weeks. It returns at most MostValues
// deviations, the largest first.
func (r Rule) JudgeValues(all map[string]Sums) (found []Deviation) {
	var counted Sums
	for _, n := range all {
		for week := range n {
			counted[week] += n[week]
		}
	}
	for value, n := range all {
		var sums []float64
		for week := 1; week <= Weeks; week++ {
			if counted[week] > 0 { // A value without a count in a week that has some was not there.
				sums = append(sums, float64(n[week]))
			}
		}
		if len(sums) < leastWeeks {
			return nil
		}
		d := Deviation{Hours: r.Span(), Count: n[0], Value: value}
		var weight float64
		spread := max(leastSpread, spreadOf(sums)/medians[len(sums)-leastWeeks])
		d.Usual, weight = middle(sums)
		if r.crossed(d) && deviations(float64(d.Count), d.Usual, weight) >= sureOfValue*math.Sqrt(spread) {
			d.Usual = math.Round(d.Usual*10) / 10
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b Deviation) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value)) })
	return found[:min(len(found), MostValues)]
}

// Span is how many hours are read for a rule, in each week.
func (r Rule) Span() int {
	if r.Dimension != "" {
		return max(1, r.Hours)
	}
	return Context
}

// Spans are the hours [from, to) that a rule reads to judge one: its own, and those of each week before.
func (r Rule) Spans(hour int64, zone *time.Location) (spans [1 + Weeks][2]int64) {
	for week, hours := range newHours(hour, zone) {
		of := hours[:r.Span()]
		spans[week] = [2]int64{slices.Min(of), slices.Max(of) + 1}
	}
	return spans
}

// used reports of each week whether it has a count. In those without, the site did not exist or was not counted: they are not judged by.
func used(s Series, at *hours) (used [Weeks]bool) {
	for i := range used {
		for _, h := range at[i+1] {
			used[i] = used[i] || s.at(h) > 0
		}
	}
	return used
}

// weekly are the counts of the last n hours at n, in an hour's own week and in each of those before.
type weekly [1 + Weeks][Context + 1]int64

func newWeekly(s Series, at *hours) *weekly {
	w := new(weekly)
	for week := range at {
		for n, h := range at[week] {
			w[week][n+1] = w[week][n] + s.at(h)
		}
	}
	return w
}

// sums are the counts of hours in each week that is judged by. earlier is how many hours before the end they end.
func (w *weekly) sums(used [Weeks]bool, earlier, hours int) []float64 {
	sums := make([]float64, 0, Weeks)
	for i, c := range w[1:] {
		if used[i] {
			sums = append(sums, float64(c[earlier+hours]-c[earlier]))
		}
	}
	return sums
}

func (r Rule) judge(w *weekly, used [Weeks]bool) (Deviation, bool) {
	spread := 0.0 // not known yet
	for _, hours := range windows {
		if r.Hours > 0 {
			hours = r.Hours
		}
		sums := w.sums(used, 0, hours)
		if len(sums) < leastWeeks {
			return Deviation{}, false
		}
		d := Deviation{Hours: hours, Count: w[0][hours]}
		var weight float64
		d.Usual, weight = middle(sums)
		if r.crossed(d) && deviations(float64(d.Count), d.Usual, weight) >= sureOf {
			if spread == 0 {
				spread = w.spread(used)
			}
			if deviations(float64(d.Count), d.Usual, weight) >= sureOf*math.Sqrt(1+(spread-1)*float64(hours)) {
				d.Usual = math.Round(d.Usual*10) / 10
				return d, true
			}
		}
		if r.Hours > 0 {
			break
		}
	}
	return Deviation{}, false
}

// crossed reports whether a count is beyond the bound of a rule about the usual.
func (r Rule) crossed(d Deviation) bool {
	bound := d.Usual * float64(r.Percent) / 100
	switch {
	case r.Stops:
		return d.Count == 0
	case r.Above:
		return float64(d.Count) > bound && d.Count >= r.AtLeast
	}
	return float64(d.Count) < bound
}

// spread is the variance of counts, divided by their mean: 1 of independent events; more, as visitors have several page views and days
// differ. It is the median over the Context, which single hours do not change, of spans with some counts.
func (w *weekly) spread(used [Weeks]bool) float64 {
	hours := 1
	for total, _ := middle(w.sums(used, 0, Context)); hours < Context && total*float64(hours) < 4*Context; {
		hours = map[int]int{1: 2, 2: 3, 3: 6, 6: 12, 12: 24}[hours]
	}
	var spreads []float64
	weeks := 0
	for earlier := 0; earlier < Context; earlier += hours {
		sums := w.sums(used, earlier, hours)
		if weeks = len(sums); slices.Max(sums) > 0 {
			spreads = append(spreads, spreadOf(sums))
		}
	}
	if len(spreads) == 0 {
		return 1
	}
	slices.Sort(spreads)
	return max(1, spreads[len(spreads)/2]/medians[weeks-leastWeeks])
}

// medians are those of chi-squared with 1, 2 and 3 degrees of freedom, divided by its means.
var medians = []float64{0.455, 0.693, 0.789}

// spreadOf is the variance of counts, divided by their mean.
func spreadOf(sums []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, n := range sums {
		mean += n / float64(len(sums))
	}
	for _, n := range sums {
		squares += (n - mean) * (n - mean)
	}
	if mean == 0 {
		return 0
	}
	return squares / mean / float64(len(sums)-1)
}

// middle is the mean without the least and the greatest of three or four, and of how many its variance is that of the plain mean. An hour
// that was unusual itself so is no measure for the next weeks.
func middle(n []float64) (mean, weight float64) {
	slices.Sort(n)
	switch len(n) {
	case 4:
		return (n[1] + n[2]) / 2, 3.35
	case 3:
		return n[1], 2.23
	case 2:
		return (n[0] + n[1]) / 2, 2
	}
	return 0, 0
}

// deviations is how far a count is from the usual, in standard deviations of independent events, if the usual is a mean of as many counts
// as weight: the root of the likelihood ratio of two Poisson rates to one, whose tails are nearly those of the normal distribution also
// where counts are small.
func deviations(count, usual, weight float64) float64 {
	sum := usual * weight
	both := (count + sum) / (1 + weight) // what is expected of the hour if nothing has changed
	term := func(n, expected float64) float64 {
		if n == 0 {
			return 0
		}
		return n * math.Log(n/expected)
	}
	return math.Sqrt(2 * max(0, term(count, both)+term(sum, weight*both)))
}
