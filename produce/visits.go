package produce

import (
	"slices"
	"strconv"
	"time"
)

// sessionGap is how long a visitor of a log may be silent within a session.
const sessionGap = 30 * time.Minute

// visits finds the sessions of a log's visitors.
//
// It remembers the visits of the last day before the newest line's time, so that its memory is that of a day's
// visitors however long the log; a line that steps back further than that begins a visit.
type visits struct {
	of     map[string][]span // by visitor, in the order in which the log begins them
	newest time.Time
	swept  time.Time // newest when old visits were last forgotten
}

// span is one visit: its least and greatest time, and its id.
type span struct {
	from, to time.Time
	id       string
}

// session returns the id of the visit that a visitor's line at t belongs to. The id is the visitor's and the time at
// which the visit's first line in the log stands, so that it is the same in each run.
func (v *visits) session(visitor string, t time.Time) string {
	v.sweep(t)
	list := v.of[visitor]
	for i := range list {
		s := &list[len(list)-1-i]
		if !t.Before(s.from.Add(-sessionGap)) && !t.After(s.to.Add(sessionGap)) {
			if t.Before(s.from) {
				s.from = t
			}
			if t.After(s.to) {
				s.to = t
			}
			return s.id
		}
	}
	s := span{from: t, to: t, id: visitor + "-" + strconv.FormatInt(t.Unix(), 36)}
	v.of[visitor] = append(list, s)
	return s.id
}

// sweep forgets, once in an hour of the log's time, the visits that ended more than a day before its newest line.
func (v *visits) sweep(t time.Time) {
	if t.After(v.newest) {
		v.newest = t
	}
	if v.newest.Sub(v.swept) < time.Hour {
		return
	}
	v.swept = v.newest
	old := v.newest.Add(-24 * time.Hour)
	for visitor, list := range v.of {
		list = slices.DeleteFunc(list, func(s span) bool { return s.to.Before(old) })
		if len(list) == 0 {
			delete(v.of, visitor)
		} else {
			v.of[visitor] = list
		}
	}
}
