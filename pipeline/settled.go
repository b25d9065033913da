package pipeline

import (
	"math"
	"strconv"
	"strings"
)

// settledTo is how far a partition is settled in all of its lanes.
type settledTo struct {
	topicID [16]byte
	offset  int64
	flushes string // the last settled flush of each lane: the metadata of the commit
}

// publishSettled makes known how far all lanes are.
func (w *worker) publishSettled() {
	at := settledTo{topicID: w.topicID, offset: math.MaxInt64}
	var flushes strings.Builder
	for i, l := range w.lanes {
		at.offset = max(0, min(at.offset, l.Durable-l.Base))
		if i > 0 {
			flushes.WriteByte(' ')
		}
		flushes.WriteString(l.Name + "=" + strconv.FormatInt(l.Settled(), 10))
	}
	at.flushes = flushes.String()
	if before := w.settled.Load(); before == nil || *before != at {
		w.settled.Store(&at)
	}
}

// settledBy is how far workers have come that have ended.
func settledBy(workers []*worker) map[int32]settledTo {
	all := make(map[int32]settledTo)
	for _, w := range workers {
		select {
		case <-w.done:
			if at := w.settled.Load(); at != nil && w.err == nil {
				all[w.partition] = *at
			}
		default: // It hangs, and may know less than its successor.
		}
	}
	return all
}
