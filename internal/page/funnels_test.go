package page

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

func TestFunnelSaysWhereMostLeft(t *testing.T) {
	step := func(n int, visitors, left int64, share float64) query.FunnelStep {
		return query.FunnelStep{Step: n, Visitors: visitors, DropOff: left, OfFirst: &share, OfBefore: &share}
	}
	for _, c := range []struct {
		steps []query.FunnelStep
		says  string
		worst int
	}{
		{nil, "No visitor reached the first step in this range.", 0},
		{[]query.FunnelStep{{Step: 1}, {Step: 2}}, "No visitor reached the first step in this range.", 0},
		{[]query.FunnelStep{step(1, 1, 0, 1), step(2, 1, 0, 1)}, "1 of 1 visitor reached the last step: 100.0 %.", 0},
		{[]query.FunnelStep{step(1, 10, 0, 1), step(2, 4, 6, .4), step(3, 3, 1, .3)},
			"3 of 10 visitors reached the last step: 30.0 %. Most left before step 2: 6 visitors.", 2},
		{[]query.FunnelStep{step(1, 2000, 0, 1), step(2, 1999, 1, .9995), step(3, 1998, 1, .999)},
			"1,998 of 2,000 visitors reached the last step: 99.9 %. Most left before step 2: 1 visitor.", 2},
	} {
		if got := locale.InEnglish(funnelText(c.steps)); got != c.says {
			t.Errorf("%q, want %q", got, c.says)
		}
		for _, row := range funnelRows(c.steps) {
			if row.Worst != (row.Step == c.worst) {
				t.Errorf("%s: step %d is marked: %v", c.says, row.Step, row.Worst)
			}
		}
	}
}

func TestFunnelStepsInWords(t *testing.T) {
	for want, p := range map[string]query.Pattern{"Page /cart": {On: "page", How: "exact", Text: "/cart"},
		"Page begins with /shop/": {On: "page", How: "prefix", Text: "/shop/"}, "Page contains cart": {On: "page", How: "contains", Text: "cart"},
		"Page matches ^/a$": {On: "page", How: "regexp", Text: "^/a$"}, "Event purchase": {On: "event", Type: "purchase"},
		"Event click named signup": {On: "event", Type: "click", Name: "signup"}, "Any event named signup": {On: "event", Name: "signup"}} {
		if got := matchText(p); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	for want, d := range map[string]time.Duration{"30 days": 30 * 24 * time.Hour, "1 day": 24 * time.Hour, "36 hours": 36 * time.Hour,
		"30 minutes": 30 * time.Minute, "1m30s": 90 * time.Second} {
		if got := windowText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
