package kept_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/sinks"
)

// TestSince: what was decided before a rebuild under the settings of today holds from the first date of what was counted so, but never from
// later than it was decided.
func TestSince(t *testing.T) {
	day := func(n int) int64 { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC).UnixMilli() }
	third, fifth, ninth, tenth, eleventh := day(3), day(5), day(9), day(10), day(11)
	ms := func(at int64) string { return strconv.FormatInt(at, 10) }
	two := sinks.Kept{Of: 2, From: 1, Date: fifth}.String()
	three := sinks.Kept{Of: 3, From: 2, Date: ninth}.String()
	for name, c := range map[string]struct {
		kept, today   string
		decided, want int64
	}{
		"not decided later":                   {"", "3:1793577600000", 0, 0},
		"recorded settings":                   {"", "", third, third},
		"another generation":                  {"", "2:1793577600000", third, third},
		"all was counted again":               {"", "3:1799999999999", tenth, 0},
		"decided after it began":              {"", "3:" + ms(ninth), tenth, tenth},
		"from a date on":                      {three, "3:" + ms(eleventh), tenth, ninth},
		"decided before that date":            {three, "3:" + ms(eleventh), third, third},
		"both generations, from a date on":    {two + " " + three, "2:" + ms(tenth) + " 3:" + ms(tenth), tenth, fifth},
		"both generations, all":               {three, "2:" + ms(tenth) + " 3:" + ms(eleventh), tenth, 0},
		"only what the earlier one has later": {three, "2:" + ms(ninth) + " 3:" + ms(eleventh), tenth, ninth},
	} {
		if got := kept.Since(sinks.Generations{Live: 3, Last: 3, Kept: c.kept, Today: c.today}, c.decided); got != c.want {
			t.Errorf("%s: since %d, want %d", name, got, c.want)
		}
	}
}
