package inbox

import (
	"testing"
	"time"
)

// TestLagIsAsOldAsItsSample: how long a record waits goes by when the log was seen to hold it.
func TestLagIsAsOldAsItsSample(t *testing.T) {
	var w waiting
	start := time.Unix(1e9, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	if since := w.since(0); !since.IsZero() {
		t.Errorf("nothing was seen, and something waits since %v", since)
	}
	w.saw(at(0), 10)
	w.saw(at(10), 10) // Nothing came.
	w.saw(at(20), 25)
	w.saw(at(30), 40)
	for _, c := range []struct {
		next int64
		want time.Time
	}{{0, at(0)}, {9, at(0)}, {10, at(20)}, {24, at(20)}, {25, at(30)}, {40, time.Time{}}} {
		if have := w.since(c.next); !have.Equal(c.want) {
			t.Errorf("offset %d waits since %v, want %v", c.next, have, c.want)
		}
	}
	w.saw(at(100), 41)
	if have := w.since(40); !have.Equal(at(100)) {
		t.Errorf("offset 40 waits since %v, want %v", have, at(100))
	}
}

// TestSamplesOfADeadPartitionAreBounded: a partition that stands still for a week costs no more memory than in an hour, and
// its age is right but for a part in 256.
func TestSamplesOfADeadPartitionAreBounded(t *testing.T) {
	var w waiting
	start := time.Unix(1e9, 0)
	const week = 7 * 24 * 360 // samples, 10 s apart
	for i := range week {
		w.saw(start.Add(time.Duration(i)*MeasureEvery), int64(i+1))
	}
	if n := len(w.seen); n > waitingSamples {
		t.Errorf("%d samples, want %d at most", n, waitingSamples)
	}
	now := start.Add(week * MeasureEvery)
	for _, part := range []int64{0, 3, 10, 50, 90} {
		next := week * part / 100
		want := now.Sub(start.Add(time.Duration(next) * MeasureEvery))
		if have := now.Sub(w.since(next)); have > want || want-have > week*MeasureEvery/200 {
			t.Errorf("after %d %%: %v, want %v", part, have, want)
		}
	}
}
