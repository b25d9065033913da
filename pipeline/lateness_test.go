package pipeline

import (
	"math"
	"testing"
)

// The year 9999 is more than 292 years away, which is what a Duration holds.
func TestLatenessOfFarTimesIsTold(t *testing.T) {
	for _, c := range []struct {
		ms   int64
		want string
	}{
		{-172_800_001, "the event's timestamp is 48h0m0.001s before its record's"},
		{600_001, "the event's timestamp is 10m0.001s after its record's"},
		{math.MaxInt64 / 1_000_000, "the event's timestamp is 2562047h47m16.854s after its record's"},
		{-math.MaxInt64 / 1_000_000, "the event's timestamp is 2562047h47m16.854s before its record's"},
		{math.MaxInt64/1_000_000 + 1, "the event's timestamp is more than 292 years after its record's"},
		{251_648_208_000_000, "the event's timestamp is more than 292 years after its record's"},
		{math.MinInt64, "the event's timestamp is more than 292 years before its record's"},
	} {
		if got := lateness(c.ms); got != c.want {
			t.Errorf("%d ms: %q, want %q", c.ms, got, c.want)
		}
	}
}
