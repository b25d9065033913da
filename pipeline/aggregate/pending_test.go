package aggregate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footfall/footfall/sketch"
)

// TestPendingEventsMakeTheSameRows feeds events of sessions to the breakdown of an hour, and each to one that counts it at once.
func TestPendingEventsMakeTheSameRows(t *testing.T) {
	for _, rows := range []int{1, 8, 40, 512} {
		samePendingRows(t, rows, func(rng *rand.Rand) uint64 { return 1 + rng.Uint64N(2) })
		samePendingRows(t, rows, (*rand.Rand).Uint64) // Rows of more than 64 visitors keep registers.
	}
}

func samePendingRows(t *testing.T, rows int, visitor func(*rand.Rand) uint64) {
	rng := rand.New(rand.NewPCG(uint64(rows), 1))
	h := &hour{Breakdown: hourBreakdown{Breakdown: sketch.NewBreakdown(rows), reading: 1}}
	plain := sketch.NewBreakdown(rows)
	b := breakdowns{accumulating: &accumulating{}}
	sessions, most := make([]*session, 100), 0
	for i := range sessions {
		sessions[i] = &session{awake: new(awake)}
		sessions[i].Cur.First = &values{sketch.Country: fmt.Sprint("country-", rng.IntN(20)), sketch.City: fmt.Sprint("city-", i%60)}
	}
	for position := range int64(2000) {
		x := sessions[rng.IntN(1+int(position)*len(sessions)/2000)]
		r := &Input{Offset: position, Visitor: visitor(rng), hour: h, session: x}
		own := *x.Cur.First
		switch rng.IntN(10) {
		case 0:
			own[sketch.City] = ""
		case 1:
			own[sketch.City] = fmt.Sprint("city-", rng.IntN(90))
		}
		b.feedRows(r, &own, x.Cur.First, x.spotsOf(r), sketch.Hit{Visitor: r.Visitor})
		most = max(most, len(h.Breakdown.pending.list))
		for d, value := range own {
			if value != "" {
				plain.Event(sketch.Dimension(d), value, position, sketch.Hit{Visitor: r.Visitor})
			}
		}
		if bound := h.Breakdown.Size() + h.Breakdown.pending.bytes; bound < plain.Size() {
			t.Fatalf("%d rows, event %d: at most %d bytes, but they are %d", rows, position, bound, plain.Size())
		}
	}
	b.count(h)
	if !h.Breakdown.Equal(plain) {
		t.Errorf("%d rows: %q", rows, h.Breakdown.Differ(plain, 3))
	}
	if rows > 1 && most < rows/16 || most > rows {
		t.Errorf("%d rows: %d entries were pending at most", rows, most)
	}
}
