package pipeline_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestVisitsOfAnAccessLog: in the lines of a real access log, by address and user agent, the pipeline finds as many visits as
// an independent script that had sorted them by time. That one knew no longest visit.
func TestVisitsOfAnAccessLog(t *testing.T) {
	t.Parallel()
	var want struct {
		Own struct {
			Sessions int64 `json:"sessions_ip_ua_30min_event_time_order"`
		} `json:"own_script"`
	}
	if err := json.Unmarshal(realdata.Read(t, "access-log/expected-totals.json"), &want); err != nil {
		t.Fatal(err)
	}
	records := accessLog(t)
	if n := countVisits(t, records); n != want.Own.Sessions {
		t.Errorf("%d visits in %d events, want %d", n, len(records), want.Own.Sessions)
	}
}

// TestVisitsOfOldFilesAfterNewerOnes: a log whose files of an hour each come in the opposite order has the same visits. Each hour
// of it has one minute with lines, so no visit is of two files.
func TestVisitsOfOldFilesAfterNewerOnes(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	records := accessLog(t)
	slices.SortStableFunc(records, func(a, b record) int { return a.At.Compare(b.At) })
	want := countVisits(t, records)
	slices.SortStableFunc(records, func(a, b record) int { return b.At.Truncate(time.Hour).Compare(a.At.Truncate(time.Hour)) })
	if n := countVisits(t, records); n != want {
		t.Errorf("%d visits, want %d", n, want)
	}
}

// countVisits folds the records and returns how many visits were counted.
func countVisits(t *testing.T, records []record) (sessions int64) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Believe()
		o := w.Options()
		o.Settings.RawEvents, o.Settings.Breakdowns = false, 0
		o.Settings.VisitLongestMs = (7 * 24 * time.Hour).Milliseconds()
		w.Folded(o, records)
		page, err := w.Table.Query(t.Context(), sinks.Query{PK: sinks.Keys{}.Site("s"), Prefix: sinks.DayStatsPrefix})
		if err != nil {
			t.Fatal(err)
		}
		for _, day := range page.Items {
			sessions += day[sinks.AttrSessions].Int()
		}
		if n := w.head(0, checkpoint.LaneStats).Totals.Sessionless; n != int64(len(records)) {
			t.Errorf("%d events without a session in %d records", n, len(records))
		}
	})
	return sessions
}

var logLine = regexp.MustCompile(`^(\S+) \S+ \S+ \[([^]]+)\] "(?:[^"\\]|\\.)*" \d+ \S+ "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)"$`)

// accessLog makes events without a sessionId of the log's lines; the one that is broken is left out.
func accessLog(t *testing.T) (records []record) {
	t.Helper()
	f, err := os.Open(realdata.Path(t, "access-log/apache_logs.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		m := logLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		when, err := time.Parse("02/Jan/2006:15:04:05 -0700", m[2])
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record{Key: "k", At: when, Value: mustJSON(map[string]any{"siteId": "s", "type": "page_view",
			"timestamp": when.UnixMilli(), "visitorId": (m[1] + " " + m[3])[:min(256, len(m[1])+1+len(m[3]))]})})
	}
	if err := lines.Err(); err != nil || len(records) != 9999 {
		t.Fatalf("%d lines are as they should be, %v; want 9,999", len(records), err)
	}
	return records
}
