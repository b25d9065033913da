package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// units say what a value of a unit means; those whose values speak for themselves are not among them. The item is the one
// that the value belongs to.
var units = map[sinks.Unit]func(v sinks.Value, it sinks.Item) (string, error){
	sinks.UnitYesNo:        func(v sinks.Value, _ sinks.Item) (string, error) { return yesNo(v.Int()) },
	sinks.UnitMillis:       func(v sinks.Value, _ sinks.Item) (string, error) { return instant(time.UnixMilli(v.Int())) },
	sinks.UnitSeconds:      func(v sinks.Value, _ sinks.Item) (string, error) { return instant(time.Unix(v.Int(), 0)) },
	sinks.UnitMilliseconds: func(v sinks.Value, _ sinks.Item) (string, error) { return duration(v.Int()), nil },
	sinks.UnitMicros:       func(v sinks.Value, _ sinks.Item) (string, error) { return decimal(v.Num()) },
	sinks.UnitDays:         func(v sinks.Value, _ sinks.Item) (string, error) { return days(v.Int()), nil },
	sinks.UnitSettingsJSON: func(v sinks.Value, _ sinks.Item) (string, error) { return settings(v.Str()) },
	sinks.UnitTotalsJSON:   func(v sinks.Value, _ sinks.Item) (string, error) { return totals(v.Str()) },
	sinks.UnitGapJSON:      func(v sinks.Value, _ sinks.Item) (string, error) { return gap(v.Str()) },
	sinks.UnitForgotJSON:   func(v sinks.Value, _ sinks.Item) (string, error) { return forgot(v.Str()) },
	sinks.UnitParkJSON:     func(v sinks.Value, _ sinks.Item) (string, error) { return park(v.Str()) },
	sinks.UnitGoalJSON:     func(v sinks.Value, _ sinks.Item) (string, error) { return goal(v.Str()) },
	sinks.UnitRulesJSON:    func(v sinks.Value, _ sinks.Item) (string, error) { return ruled(v.Str()) },
	sinks.UnitStepsJSON:    func(v sinks.Value, _ sinks.Item) (string, error) { return steps(v.Str()) },
	sinks.UnitHourSketch:   func(v sinks.Value, _ sinks.Item) (string, error) { return visitors(v.Bytes(), sketch.NewHour()) },
	sinks.UnitMinuteSketch: func(v sinks.Value, _ sinks.Item) (string, error) { return visitors(v.Bytes(), sketch.NewMinute()) },
	sinks.UnitTopState:     func(v sinks.Value, _ sinks.Item) (string, error) { return top(v.Bytes()) },
	sinks.UnitBreakdown:    func(v sinks.Value, _ sinks.Item) (string, error) { return breakdown(v.Bytes()) },
	sinks.UnitLate:         func(v sinks.Value, _ sinks.Item) (string, error) { return lateLogs(v.Bytes()) },
	sinks.UnitSealedDays:   func(v sinks.Value, _ sinks.Item) (string, error) { return sealedDays(v.Str()) },
	sinks.UnitSessionBytes: session,
	sinks.UnitListed:       listed,
	sinks.UnitCompactID:    func(v sinks.Value, _ sinks.Item) (string, error) { return expanded(v.Str()), nil },
	sinks.UnitVisits:       func(v sinks.Value, _ sinks.Item) (string, error) { return visits(v.Bytes()) },
}

func yesNo(n int64) (string, error) {
	switch n {
	case 0:
		return "no", nil
	case 1:
		return "yes", nil
	}
	return "", fmt.Errorf("%d is neither 0 nor 1", n)
}

// instant spells an instant as RFC 3339, which has four digits for a year.
func instant(t time.Time) (string, error) {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return "", errors.New("it is not between the years 0 and 9999")
	}
	return t.Format(time.RFC3339Nano), nil
}

// duration spells milliseconds, which may be more than a time.Duration holds.
func duration(ms int64) string {
	if d := time.Duration(ms) * time.Millisecond; d.Milliseconds() == ms {
		return d.String()
	}
	return fmt.Sprintf("%d ms", ms)
}

func decimal(micros int128.Int) (string, error) {
	n, ok := new(big.Int).SetString(micros.String(), 10)
	if !ok {
		return "", fmt.Errorf("%s is no number", micros)
	}
	s := new(big.Rat).SetFrac(n, big.NewInt(1e6)).FloatString(6)
	return strings.TrimRight(strings.TrimRight(s, "0"), "."), nil
}

func days(n int64) string {
	if n == checkpoint.Never {
		return "for ever"
	}
	return fmt.Sprintf("%d days", n)
}

// sealedDays says which days a month is made of.
func sealedDays(s string) (string, error) {
	named, err := sinks.ParseSealedDays(s)
	if err != nil {
		return "", err
	}
	var less []string
	for _, n := range slices.Sorted(maps.Keys(named)) {
		if !named[n].Whole {
			less = append(less, fmt.Sprint(n))
		}
	}
	text := fmt.Sprintf("%d days", len(named))
	if less != nil {
		text += fmt.Sprintf("; of %s only the sums: some of their hours had expired", strings.Join(less, ", "))
	}
	return text, nil
}

// visitors says how many a sketch counts; u is an empty sketch of the kind that is expected.
func visitors(b []byte, u *sketch.Uniques) (string, error) {
	precision := u.Precision()
	if err := u.UnmarshalBinary(b); err != nil {
		return "", err
	}
	if u.Precision() != precision {
		return "", fmt.Errorf("a sketch of precision %d where one of %d belongs", u.Precision(), precision)
	}
	if n := u.Entries(); n >= 0 {
		return fmt.Sprintf("%d visitors, exact", n), nil
	}
	return fmt.Sprintf("about %d visitors, an estimate from %d registers", u.Estimate(), 1<<precision), nil
}

// topRows is how many rows of a top-k state are told; a minute has 50.
const topRows = 10

func top(b []byte) (string, error) {
	t := sketch.NewTop(0)
	if err := t.UnmarshalBinary(b); err != nil {
		return "", err
	}
	rows := t.Rows()
	var told []string
	for _, r := range rows[:min(topRows, len(rows))] {
		text := fmt.Sprintf("%s %d", r.Value, r.Count)
		if r.Error > 0 {
			text += fmt.Sprintf(" to %d", r.Rank())
		}
		told = append(told, text)
	}
	text := fmt.Sprintf("%d values", len(rows))
	if told != nil {
		text += ": " + strings.Join(told, ", ")
	}
	if len(rows) > topRows {
		text += fmt.Sprintf(", and %d more", len(rows)-topRows)
	}
	if t.Other() > 0 {
		text += fmt.Sprintf("; others %d, none of them more than %d", t.Other(), t.Floor())
	}
	return text, nil
}

// breakdownRows is how many rows of each dimension of a breakdown are told.
const breakdownRows = 3

func breakdown(packed []byte) (string, error) {
	b := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(packed, b); err != nil {
		return "", err
	}
	var told []string
	for _, d := range append(sketch.Dimensions(), b.Properties()...) {
		rows, other := b.Rows(d), b.Other(d)
		if len(rows) == 0 && other.Events == 0 {
			continue
		}
		var few []string
		for _, r := range rows[:min(breakdownRows, len(rows))] {
			few = append(few, fmt.Sprintf("%s %d", r.Value, r.Events))
		}
		text := fmt.Sprintf("%s: %d values, %s", d, len(rows), strings.Join(few, ", "))
		if other.Events > 0 {
			text += fmt.Sprintf(", others %d events, none of them more than %d", other.Events, b.Floor(d))
		}
		told = append(told, text)
	}
	return strings.Join(told, "; "), nil
}

// session describes a state of a session, the one after its last step or the one before it.
func session(v sinks.Value, it sinks.Item) (string, error) {
	s, err := state.SessionOf(it)
	if !v.Equal(it[sinks.AttrCur]) && err == nil {
		s, err = state.SessionBefore(it, &s)
	}
	if err != nil {
		return "", err
	}
	if s.Events == 0 {
		return "not seen yet", nil
	}
	var times []any
	for _, ms := range []int64{s.OpenedAt, s.StartedAt, s.EndedAt} {
		t, err := instant(time.UnixMilli(ms))
		if err != nil {
			return "", err
		}
		times = append(times, t)
	}
	text := fmt.Sprintf("opened %s, from %s to %s", times...) +
		fmt.Sprintf(": %d page views, %d events, bounce %s, engaged %s", s.PageViews, s.Events, word(s.Bounce()), word(s.Engaged()))
	if s.Interactive {
		text += ", interactive"
	}
	flood, err := flooding(&s.Flood)
	if err != nil {
		return "", err
	}
	text += flood
	if s.Entry.Page != "" {
		text += fmt.Sprintf("; entry %s at position %d, exit %s at position %d", s.Entry.Page, s.Entry.Pos, s.Exit.Page, s.Exit.Pos)
	}
	for d, name := range sinks.DimensionNames {
		if s.First != nil && s.First[d] != "" {
			text += fmt.Sprintf(", %s %s", name, s.First[d])
		}
	}
	return text, nil
}

// flooding describes what detects a bot by the rate of a session.
func flooding(f *state.Flood) (string, error) {
	minute := func(m uint32) (string, error) { return instant(time.UnixMilli(int64(m) * time.Minute.Milliseconds())) }
	text := ""
	if f.Known {
		from, err := minute(f.From)
		if err != nil {
			return "", err
		}
		text = ", a bot's by its rate from " + from + " on"
	}
	if n := f.Len(); n > 0 {
		at, err := minute(f.Minutes[0])
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf(", %d events in the minute from %s on", f.Events[0], at)
		if n > 1 {
			text += fmt.Sprintf(" and counts of %d other minutes", n-1)
		}
	}
	return text, nil
}

// expanded returns the id that a compact one spells; "" where that is the same.
func expanded(compact string) string {
	if id := sinks.ExpandID(compact); id != compact {
		return id
	}
	return ""
}

// listedRows is the maximum number of sessions that are shown of a list.
const listedRows = 3

// listed says which sessions an item lists by visitor.
func listed(v sinks.Value, it sinks.Item) (string, error) {
	m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards)
	if !ok {
		return "", errors.New("its key is that of no list of sessions")
	}
	entries, err := state.DecodeListed(v.Bytes(), m.Fields.At, m.Fields.TP)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%d sessions", len(entries))
	for i, e := range entries[:min(listedRows, len(entries))] {
		at, err := instant(time.UnixMilli(e.OpenedAt))
		if err != nil {
			return "", err
		}
		text += [...]string{": ", ", "}[min(i, 1)] + fmt.Sprintf("%s of visitor %016x, opened %s", e.Session, e.Visitor, at)
	}
	if len(entries) > listedRows {
		text += fmt.Sprintf(", and %d more", len(entries)-listedRows)
	}
	return text, nil
}

// visits spells what is remembered of a visitor.
func visits(b []byte) (string, error) {
	s, err := state.DecodeVisitor(b)
	if err != nil {
		return "", err
	}
	told := []string{fmt.Sprintf("%d visits", len(s.Visits()))}
	for _, v := range s.Visits() {
		start, err1 := instant(time.UnixMilli(v.Start))
		last, err2 := instant(time.UnixMilli(v.Last))
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		told = append(told, fmt.Sprintf("from %s to %s, opened at position %d", start, last, v.Pos))
	}
	return strings.Join(told, "; "), nil
}

func word(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func totals(text string) (string, error) {
	var t checkpoint.Totals
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return "", err
	}
	var rejected []string
	for _, reason := range slices.Sorted(maps.Keys(t.Rejected)) {
		rejected = append(rejected, fmt.Sprintf("%s %d", reason, t.Rejected[reason]))
	}
	said := fmt.Sprintf("%d records: %d counted, %d of them without a sessionId, %d duplicates",
		t.Records(), t.Counted, t.Sessionless, t.Duplicate)
	if rejected == nil {
		return said + ", none rejected", nil
	}
	return said + ", rejected " + strings.Join(rejected, ", "), nil
}

func park(text string) (string, error) {
	var k checkpoint.Park
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return "", err
	}
	return k.String() + "; since " + k.Since + ", see `footfall status`", nil
}

func gap(text string) (string, error) {
	var g checkpoint.Gap
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return "", err
	}
	if g.Accepted == "" {
		return g.String() + "; not accepted yet, see `footfall status`", nil
	}
	return g.String() + "; accepted " + g.Accepted, nil
}

func forgot(text string) (string, error) {
	var f checkpoint.Forgotten
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return "", err
	}
	return fmt.Sprintf("positions [%d,%d) were skipped after they had been folded; from flush %d on no event before position %d has a "+
		"duplicate", f.From, f.To, f.Step, f.To), nil
}
