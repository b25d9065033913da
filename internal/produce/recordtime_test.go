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

func TestRecordTimes(t *testing.T) {
	instant := time.Date(1999, 12, 1, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		text string
		want func(event, sent time.Time) time.Time
	}{
		{"event", "event", func(event, _ time.Time) time.Time { return event }},
		{"now", "now", func(_, sent time.Time) time.Time { return sent }},
		{"an instant", "1999-12-01T10:00:00+01:00", func(_, _ time.Time) time.Time { return instant }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
				rt, err := produce.ParseRecordTime(test.text)
				if err != nil {
					t.Fatal(err)
				}
				sent := time.Now()
				event := sent.Add(-90 * time.Minute)
				j := produce.Job{File: events(t, line("1", event)), Kafka: kafka, Topic: "events", RecordTime: rt}
				if _, err := j.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := consume(t, kafka, "events", 1)[0]
				if want := test.want(event, sent); r.Timestamp.Sub(want).Abs() > time.Second {
					t.Errorf("Kafka timestamp %v, want %v", r.Timestamp.UTC(), want.UTC())
				}
			})
		})
	}
	for _, bad := range []string{"", "today", "2026-05-12", "1960-01-01T00:00:00Z"} {
		if _, err := produce.ParseRecordTime(bad); err == nil || !strings.Contains(err.Error(), "write event, now, or an instant") {
			t.Errorf("ParseRecordTime(%q) = %v, want what to write", bad, err)
		}
	}
}

func TestRecordsTooFarAheadAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		text := line("1", time.Now()) + "{}\n" + line("2", time.Now().Add(61*time.Minute)) + line("3", time.Now().Add(59*time.Minute))
		j := produce.Job{File: events(t, text), Kafka: kafka, Topic: "events"}
		s, err := j.Run(t.Context())
		if err != nil || s.Sent != 2 || s.Refused != 2 {
			t.Fatalf("Run = %+v, %v, want 2 sent and 2 refused", s, err)
		}
		if r := s.FirstRefused[1]; r.Line != 3 || !strings.Contains(r.Reason,
			"Kafka refuses records more than 1h0m0s ahead of its clock: use --record-time now") {
			t.Errorf("refused %v, want line 3 for its time", s.FirstRefused)
		}
		if r := s.FirstRefused[0]; r.Line != 2 || !strings.HasPrefix(r.Reason, "siteId:") {
			t.Errorf("refused %v, want line 2 for its siteId", s.FirstRefused)
		}
		consume(t, kafka, "events", 2)
	})
}

func TestOldTimesAreWarnedAbout(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name      string
		age       time.Duration
		retention time.Duration // of the topic
		keep      time.Duration // of the pipeline's items
		rt        produce.RecordTime
		want      []string
	}{
		{name: "new events", age: time.Hour, retention: day, keep: 30 * day},
		{name: "older than the topic keeps", age: 8 * day, retention: 7 * day, keep: 30 * day,
			want: []string{`topic "old" keeps records for 7 days: Kafka will delete them`}},
		{name: "older than the items live", age: 31 * day, retention: produce.Forever, keep: 30 * day,
			want: []string{"if `footfall run` or `footfall dev`, whichever reads them, keeps some kinds of items for 30 days only, as is " +
				"configured here"}},
		{name: "older than both", age: 31 * day, retention: day, keep: 30 * day, want: []string{"as is configured here", "Kafka will delete"}},
		{name: "sent as of now", age: 8 * day, retention: 7 * day, keep: 30 * day, rt: produce.SendTime},
		{name: "kept for ever", age: 4000 * day, retention: produce.Forever},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
				old := time.Now().Add(-test.age)
				var heard []string
				j := produce.Job{File: events(t, line("1", old)+line("2", old)), Kafka: kafka, Topic: "old",
					Create: &produce.Topic{Retention: test.retention}, Keep: test.keep, RecordTime: test.rt,
					Warn: func(text string) { heard = append(heard, text) }}
				s, err := j.Run(t.Context())
				if err != nil || s.Sent != 2 {
					t.Fatalf("Run = %+v, %v", s, err)
				}
				if fmt.Sprint(heard) != fmt.Sprint(s.Warnings) || len(heard) != len(test.want) {
					t.Fatalf("warned of %q at once, the summary has %q, want %q", heard, s.Warnings, test.want)
				}
				for i, want := range test.want {
					if !strings.Contains(heard[i], want) {
						t.Errorf("warning %q, want %q", heard[i], want)
					}
				}
			})
		})
	}
}
