package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Record times in a simulation that are not to be trusted: of 1970 and 2250, days off in both directions, and so far ahead that
// they are believed from the next midnight on, which half of the simulations see.

const endOf1970 = 365 * dayMs

// leastNotAfter is the last record time that a step of the simulation's first day believes.
func (s *simulation) leastNotAfter() int64 {
	begin := bubbleStart.Add(s.dawn).UnixMilli()
	return begin - begin%dayMs + 2*dayMs
}

// misdate gives some of the records times that nobody should believe, or that nothing should depend on.
func (s *simulation) misdate(dice *rand.Rand) {
	often := []int{0, 12, 40}[dice.IntN(3)]
	if often == 0 {
		return
	}
	for i := range s.records {
		if dice.IntN(often) > 0 || s.records[i].Crowd {
			continue
		}
		r := &s.records[i]
		switch dice.IntN(6) {
		case 0: // Epoch seconds, taken for milliseconds.
			r.At = time.UnixMilli(r.At.Unix())
		case 1:
			r.At = time.Date(2250, 1, 1, 0, 0, i, 0, time.UTC)
		case 2: // Far jumps of the hour of new sites, most of them too far ahead.
			r.At = r.At.Add(time.Duration(25+dice.IntN(40)) * time.Hour)
		case 3:
			r.At = r.At.Add(-time.Duration(25+dice.IntN(40)) * time.Hour)
		default: // Believed from the first midnight on, and not before.
			r.At = time.UnixMilli(s.leastNotAfter()).Add(time.Duration(dice.IntN(24*60*60)) * time.Second)
		}
		id := fmt.Sprint("site-", dice.IntN(2))
		if dice.IntN(2) == 0 {
			id = stranger(dice.IntN(strangers))
		}
		r.Value = mustJSON(map[string]any{
			"siteId": id, "type": "page_view", "id": fmt.Sprint("t", i), "visitorId": fmt.Sprint("v", dice.IntN(5)),
			"timestamp": r.At.Add(-time.Duration(dice.IntN(60)) * time.Second).UnixMilli(), "url": "https://h0.example/",
		})
	}
}

// times looks at what a process writes of new sites.
func (e *eye) times(u sinks.Update) {
	was, is := attr(u.Set, sinks.AttrPrevHour), attr(u.Set, sinks.AttrHour)
	if was.Int() == 0 || is.Kind() == sinks.None {
		return
	}
	switch d := is.Int() - was.Int(); {
	case d > dayMs:
		e.cover.Hit(onJumpAhead)
	case d < -dayMs:
		e.cover.Hit(onJumpBack)
	}
}

var (
	recordedNotAfter = regexp.MustCompile(`,"notAfter":(\d+)`)
	recordedBound    = regexp.MustCompile(`"batchBytes":\d+,`)
)

// undated are a step's settings without two fields: the last record time that the step believes, which differs from its process's
// settings, and the bound on decompression, which affects no outcome.
func undated(ver string) string {
	return recordedBound.ReplaceAllString(recordedNotAfter.ReplaceAllString(ver, ""), "")
}

// yesterdays notes an open step that names another last record time than one that is begun now.
func (e *eye) yesterdays(ver string) {
	now := time.Now().UnixMilli()
	if m := recordedNotAfter.FindStringSubmatch(ver); m != nil && m[1] != strconv.FormatInt(now-now%dayMs+2*dayMs, 10) {
		e.cover.Hit(onYesterdays)
	}
}
