//go:build unix

package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// A real access log ends up as the days that an independent script counted, but for its one broken line. Where visitors
// have one id for all days, those of the whole log are its distinct visitors; where they have another on each day, they
// are the sum of the days'.
func TestAccessLogAddsUp(t *testing.T) {
	slow.Test(t)
	const fixed, daily = "www.semicomplete.com", "daily.example.com" // The log is the first one's.
	var want struct {
		Own struct {
			Events   map[string]int64 `json:"events_per_utc_day"`
			Visitors map[string]int64 `json:"distinct_ip_ua_per_utc_day"`
			All      int64            `json:"distinct_ip_ua_pairs"`
			Sessions int64            `json:"sessions_ip_ua_30min_event_time_order"`
			Paths    [][2]any         `json:"top10_paths"` // path and events
		} `json:"own_script"`
	}
	readJSON(t, "access-log/expected-totals.json", &want)
	var visitorDays int64
	for _, n := range want.Own.Visitors {
		visitorDays += n
	}
	onStages(t, func(t *testing.T, s *stage) {
		s.forever()
		s.countBots()
		s.execute(t, "table", "create")
		for site, salt := range map[string]string{fixed: "fixed", daily: "daily"} {
			p := s.produce(t, "--from-file", realdata.Path(t, "access-log/apache_logs.gz"), "--count-assets", "--format", "combined",
				"--set", "siteId="+site, "--visitor-salt", salt, "--create-topic", "--partitions", "4", "--retention", "never")
			if p.Sent != 9999 || p.Failed != 0 || p.Refused != 1 || len(p.RefusedLines) != 1 || p.RefusedLines[0].Line != 8899 {
				t.Errorf("%s: produce says %+v, want 9,999 sent and line 8899 refused", site, p)
			}
		}
		consumer := s.consume(t, "consumer")
		if v := s.verify(t); v.Records != 2*9999 {
			t.Errorf("verify recounted %d records, want 2 x 9,999", v.Records)
		}
		consumer.drain()

		sessions := make(map[string]int64)
		for site, all := range map[string]int64{fixed: want.Own.All, daily: visitorDays} {
			got := s.stats(t, site, "2015-05-01", "2015-06-01", "day")
			events, visitors := make(map[string]int64), make(map[string]int64)
			for _, day := range got.Buckets {
				date, _, _ := strings.Cut(day.Start, "T")
				events[date], visitors[date] = day.Events, int64(day.UniqueVisitors)
			}
			if !maps.Equal(events, want.Own.Events) {
				t.Errorf("%s: events by day: %v, want %v", site, events, want.Own.Events)
			}
			if !maps.Equal(visitors, want.Own.Visitors) {
				t.Errorf("%s: visitors by day: %v, want %v", site, visitors, want.Own.Visitors)
			}
			if got.Totals.Events != 9999 {
				t.Errorf("%s: %d events in all, want 9,999", site, got.Totals.Events)
			}
			checkUniques(t, site, got.Totals.UniqueVisitors, uint64(all))
			sessions[site] = got.Totals.Sessions
		}
		if sessions[fixed] != want.Own.Sessions || sessions[daily] != want.Own.Sessions {
			t.Errorf("sessions: %v, want %d: midnight cuts none", sessions, want.Own.Sessions)
		}
		top := s.top(t, len(want.Own.Paths), fixed, "page", "--sort", "events", "--from", "2015-05-01", "--to", "2015-06-01")
		for i, path := range want.Own.Paths {
			if row := top.Rows[i]; row.Value != path[0] || float64(row.Events) != path[1] || row.MaxUndercount != 0 {
				t.Errorf("%d. path %q: %d events, up to %d more, want %v", i+1, row.Value, row.Events, row.MaxUndercount, path)
			}
		}
		// The site's own pages are no referrers of its events. Of another site's events they are.
		own := func(site string) (events int64) {
			for _, row := range s.top(t, 1000, site, "referrer", "--from", "2015-05-01", "--to", "2015-06-01").Rows {
				if row.Value == "semicomplete.com" || strings.HasSuffix(row.Value, ".semicomplete.com") {
					events += row.Events
				}
			}
			return events
		}
		if got, other := own(fixed), own(daily); got != 0 || other == 0 {
			t.Errorf("own pages are the referrers of %d events, want 0; of another site's %d, want more", got, other)
		}
	})
}
