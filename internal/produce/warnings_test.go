package produce_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/produce"
)

// Old events under new record times are warned about, once, and those that are not too old are not.
func TestOldEventsUnderNewRecordTimesAreWarnedAbout(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		now := time.Now()
		old, recent := line("1", now.Add(-72*time.Hour))+line("2", now.Add(-90*time.Hour)), line("3", now.Add(-time.Hour))
		for _, c := range []struct {
			name, text string
			at         produce.RecordTime
			lateness   time.Duration
			want       int
		}{
			{"old, as of now", old, produce.SendTime, 48 * time.Hour, 1},
			{"old, as of their time", old, produce.EventTime, 48 * time.Hour, 0},
			{"old, and nothing is too late", old, produce.SendTime, -1, 0},
			{"recent", recent, produce.SendTime, 48 * time.Hour, 0},
		} {
			j := produce.Job{File: events(t, c.text), Kafka: kafka, Topic: "events", RecordTime: c.at, Lateness: c.lateness}
			s, err := j.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			const warning = "rejects events more than 2 days older than their record as too_late"
			if n := strings.Count(strings.Join(s.Warnings, "\n"), warning); n != c.want {
				t.Errorf("%s: %d warnings, want %d: %q", c.name, n, c.want, s.Warnings)
			}
		}
	})
}

// Where one key takes the first ten thousand records to one of several partitions, --buckets is suggested.
func TestOneKeyIsWarnedAbout(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		var text strings.Builder
		for i := range 10_001 {
			fmt.Fprintf(&text, `{"siteId":"a","type":"click","timestamp":%d,"visitorId":"v-%d"}`+"\n", time.Now().UnixMilli(), i)
		}
		for i, c := range []struct {
			name                string
			partitions, buckets int
			more                string
			want                int
		}{
			{"one key", 4, 1, "", 1},
			{"one partition", 1, 1, "", 0},
			{"several keys", 4, 8, "", 0},
			{"several sites", 4, 1, strings.Replace(line("x", time.Now()), `"siteId":"a"`, `"siteId":"b"`, 1), 0},
		} {
			f, err := produce.NewFile(strings.NewReader(c.more+text.String()), &produce.Events{Buckets: c.buckets})
			if err != nil {
				t.Fatal(err)
			}
			j := produce.Job{File: f, Kafka: kafka, Topic: fmt.Sprintf("case-%d", i), Create: &produce.Topic{Partitions: c.partitions}}
			s, err := j.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(strings.Join(s.Warnings, "\n"), "with --buckets 8 a site takes all of them"); n != c.want {
				t.Errorf("%s: %d warnings, want %d: %q", c.name, n, c.want, s.Warnings)
			}
		}
	})
}

// A file that gives no record is an error that says why.
func TestNothingSentIsAnError(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		for text, want := range map[string]string{"": "nothing was sent: there are no lines", "# a comment\n\n": "there are no lines",
			"[]\n{}\n": "nothing was sent: all 2 lines were refused: check --format"} {
			j := produce.Job{File: events(t, text), Kafka: kafka, Topic: "events"}
			if s, err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || s.Comments != int64(strings.Count(text, "#")) {
				t.Errorf("%q: %+v, %v, want %q", text, s, err, want)
			}
		}
	})
}
