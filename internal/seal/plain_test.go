package seal

import (
	"fmt"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestRatesAreRounded: a bounce rate has six decimal places at most, a half is rounded up, and without sessions there is none.
func TestRatesAreRounded(t *testing.T) {
	for _, c := range []struct {
		bounces, sessions int64
		want              string
	}{
		{0, 0, ""}, {0, 3, "0"}, {3, 3, "1"}, {1, 2, "0.5"}, {1, 3, "0.333333"}, {2, 3, "0.666667"}, {1, 128, "0.007813"},
		{999_999, 1_000_000, "0.999999"}, {1, 10_000_000, "0"}, {-1, 2, ""}, {1, 0, ""},
	} {
		attrs := make(sinks.Item)
		plainRate(attrs, sinks.Item{sinks.AttrBounces: sinks.Int(c.bounces), sinks.AttrSessions: sinks.Int(c.sessions)})
		if have := attrs[sinks.AttrBounceRate].Str(); have != c.want {
			t.Errorf("%d of %d: %q, want %q", c.bounces, c.sessions, have, c.want)
		}
	}
}

// TestVisitorsAreRepeated: the number of visitors is exact or says its error, and is never above the events.
func TestVisitorsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		visitors, events int64
		exact            bool
	}{{0, 0, true}, {3, 9, true}, {1024, 5000, true}, {40_000, 90_000, false}, {40_000, 30_000, false}} {
		u := sketch.NewHour()
		for i := range c.visitors {
			u.Add(sketch.Hasher{}.Visitor('v', fmt.Append(nil, i)))
		}
		it := plainUniques(u, nil, sinks.Item{sinks.AttrEvents: sinks.Int(c.events)})
		n, precision := it[sinks.AttrUniqueVisitors].Int(), it[sinks.AttrUniqueVisitorsError].Str()
		want := map[bool]string{true: "0", false: "0.008125"}[c.exact]
		if precision != want || n > c.events || c.exact && n != c.visitors {
			t.Errorf("%d visitors, %d events: %d with the error %s, want the error %s", c.visitors, c.events, n, precision, want)
		}
	}
}
