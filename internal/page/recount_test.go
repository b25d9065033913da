package page

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// A recount that does not cover the figures is never shown as one of them.
func TestRecountsSayWhatTheyCover(t *testing.T) {
	at := time.Date(2026, 5, 12, 10, 0, 0, 0, time.UTC)
	day := func(n int) *time.Time { return new(time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC)) }
	for _, c := range []struct {
		a       query.VerifiedAnswer
		bounded bool
		want    string
	}{
		{query.VerifiedAnswer{Reason: query.NotVerified}, false, "No recount is recorded yet."},
		{query.VerifiedAnswer{Reason: query.NotVerified}, true, ""},
		{query.VerifiedAnswer{Reason: query.OtherRange}, true, ""},
		{query.VerifiedAnswer{Covers: true, LastVerified: &query.Verification{VerifiedAt: at, From: day(3), To: day(9)}}, false,
			"Recounted at 12 May 2026, 10:00, range: 3 May 2026, 00:00 to 9 May 2026, 00:00: 0 differences."},
		{query.VerifiedAnswer{Covers: true, LastVerified: &query.Verification{VerifiedAt: at, AllSites: true, DifferenceCount: 1}}, false,
			"Recounted at 12 May 2026, 10:00, range: all times: 1 difference in all sites."},
		{query.VerifiedAnswer{Reason: query.OlderThanFigures, LastVerified: &query.Verification{VerifiedAt: at, From: day(3)}}, false,
			"Last recount at 12 May 2026, 10:00, range: from 3 May 2026, 00:00 on: 0 differences. Records that came after it may have changed " +
				"these figures."},
		{query.VerifiedAnswer{Reason: query.OtherRange, LastVerified: &query.Verification{VerifiedAt: at, To: day(3)}}, false,
			"Last recount at 12 May 2026, 10:00, range: before 3 May 2026, 00:00: 0 differences. It is of another range than these figures."},
	} {
		if got := locale.InEnglish(recountText(c.a, time.UTC, c.bounded)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.a, got, c.want)
		}
	}
}
