package watch

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query"
)

// Conditions are tried with hours from the first data of a site on: before, it was not there.
func TestHoursBeforeTheDataAreNotTried(t *testing.T) {
	w := newShop(t)
	begins := w.ends.AddDate(0, 0, -7*alerts.Weeks-3)
	counts := Counts{Reader: query.New(w.table, func() time.Time { return w.now })}
	for _, c := range []struct{ site, when, first string }{
		{shop, "events < 1000", begins.Format(time.RFC3339)},
		{shop, "events < 1000 for 6 hours", begins.Format(time.RFC3339)},
		{shop, "events < 1", w.ends.Format(time.RFC3339)},
		{"other", "events < 1", ""},
	} {
		rule, err := alerts.Parse(c.when)
		if err != nil {
			t.Fatal(err)
		}
		a, err := counts.Try(t.Context(), c.site, rule, begins.AddDate(0, 0, -20), w.ends.Add(2*time.Hour), w.ends.Add(3*time.Hour))
		first := ""
		if len(a.Findings) > 0 {
			first = a.Findings[0].Start.Format(time.RFC3339)
		}
		if err != nil || first != c.first {
			t.Errorf("%s of %s: first found at %q, %v; want %q", c.when, c.site, first, err, c.first)
		}
	}
}
