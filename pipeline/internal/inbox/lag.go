package inbox

import (
	"slices"
	"time"
)

// waiting remembers where a partition's log ended at which time, so that it can say since when the first unread record
// has been in the log. A record's own timestamp cannot: its producer sets it to anything.
type waiting struct {
	seen  []endSeen     // ascending in time and in end
	every time.Duration // the least time between two; 0: any
}

type endSeen struct {
	at  time.Time
	end int64
}

// waitingSamples bounds the memory of a partition that does not move on, to 16 KB: an hour and a half at a sample every
// 10 s. After that every second one is dropped, so that an age is too low by one part in 256 at most.
const waitingSamples = 512

// saw notes where the log ended at a time.
func (w *waiting) saw(at time.Time, end int64) {
	if n := len(w.seen); n > 0 {
		if last := w.seen[n-1]; end <= last.end || at.Sub(last.at) < w.every {
			return
		}
		if n < waitingSamples/8 {
			w.every = 0 // The partition has caught up so far that it may be exact again.
		}
	}
	if len(w.seen) >= waitingSamples {
		for i := range waitingSamples / 2 {
			w.seen[i] = w.seen[2*i]
		}
		w.seen = w.seen[:waitingSamples/2]
		w.every = at.Sub(w.seen[0].at) / (waitingSamples / 2)
	}
	w.seen = append(w.seen, endSeen{at, end})
}

// since returns when the record at an offset was first seen to be in the log; zero when it was not seen yet. Offsets
// never go back from one call to the next.
func (w *waiting) since(next int64) time.Time {
	i := slices.IndexFunc(w.seen, func(s endSeen) bool { return s.end > next })
	if i < 0 {
		w.seen = w.seen[:0]
		return time.Time{}
	}
	w.seen = slices.Delete(w.seen, 0, i)
	return w.seen[0].at
}
