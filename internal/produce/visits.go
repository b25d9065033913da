package produce

import (
	"slices"
	"strconv"
	"time"
)

// sessionGap is how long a visitor of a log may be silent within a session.
const sessionGap = 30 * time.Minute

// visitsKept is how long before the newest line of a log its visits are remembered.
const visitsKept = 3 * time.Hour

// sweepEvery is how often, in the log's time, old visits are forgotten.
const sweepEvery = time.Hour

// visits finds the sessions of a log's visitors.
//
// A visitor whose id changes at midnight has two ids near it. A visit is filed under each id that one of its lines has.
// The lines of a visit have no gap of more than 30 minutes between them; so of those it has, one is within 30 minutes of
// any line that it reaches, and the id of that line is among the ids that the new line comes with.
//
// It remembers the visits of the last hours before the newest line's time, visitsKept and up to an hour more, so that its memory is that of
// those hours' visitors however long the log; a line that steps back further than that begins a visit.
type visits struct {
	of     map[string][]*visited // by the visitor's id
	begun  int64                 // how many visits the log has begun
	newest time.Time
	swept  time.Time // newest when old visits were last forgotten
}

// visited is one visit.
type visited struct {
	id       string
	visitor  string // the id that the visit's first line in the log has
	number   int64  // the order in which the log begins visits
	from, to time.Time
}

// visit returns the visit that a visitor's line at t belongs to. The visitor's ids begin with that of t itself, and
// after it comes the id that they have within sessionGap of t, if there is another. A visit's id is the visitor's and the
// time of the visit's first line in the log, so that it is the same in each run with the same ids. That of a visit so long before the
// newest line that one with its id may be forgotten has its number, too: what forgets ended sessions counts the same as what keeps them.
func (v *visits) visit(ids []string, t time.Time) *visited {
	v.sweep(t)
	var latest *visited
	for _, id := range ids {
		for _, s := range v.of[id] {
			if !t.Before(s.from.Add(-sessionGap)) && !t.After(s.to.Add(sessionGap)) && (latest == nil || s.number > latest.number) {
				latest = s
			}
		}
	}
	own := ids[0]
	if latest == nil {
		v.begun++
		latest = &visited{id: own + "-" + strconv.FormatInt(t.Unix(), 36), visitor: own, number: v.begun, from: t, to: t}
		if t.Before(v.swept.Add(-visitsKept)) { // A visit that is forgotten may have this id.
			latest.id += "-" + strconv.FormatInt(v.begun, 36)
		}
	}
	if t.Before(latest.from) {
		latest.from = t
	}
	if t.After(latest.to) {
		latest.to = t
	}
	if !slices.Contains(v.of[own], latest) {
		v.of[own] = append(v.of[own], latest)
	}
	return latest
}

// sweep forgets, once in an hour of the log's time, the visits that ended more than visitsKept before its newest line.
func (v *visits) sweep(t time.Time) {
	if t.After(v.newest) {
		v.newest = t
	}
	if v.newest.Sub(v.swept) < sweepEvery {
		return
	}
	v.swept = v.newest
	old := v.newest.Add(-visitsKept)
	for visitor, list := range v.of {
		list = slices.DeleteFunc(list, func(s *visited) bool { return s.to.Before(old) })
		if len(list) == 0 {
			delete(v.of, visitor)
		} else {
			v.of[visitor] = list
		}
	}
}
