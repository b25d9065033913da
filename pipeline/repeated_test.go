package pipeline_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// repeating makes a record of each text: of "site/id" an event, of "site/id late" one that is too late, of anything
// else none.
func repeating(start time.Time, texts ...string) (list []record) {
	for i, text := range texts {
		now := start.Add(time.Duration(i) * time.Second)
		value := []byte(text)
		if site, id, ok := strings.Cut(text, "/"); ok {
			event := now
			if strings.HasSuffix(id, " late") {
				event = now.Add(-72 * time.Hour)
			}
			value = mustJSON(map[string]any{"siteId": site, "id": strings.TrimSuffix(id, " late"), "type": "page_view",
				"timestamp": event.UnixMilli(), "visitorId": "v", "sessionId": "s"})
		}
		list = append(list, record{Key: "k", At: now, Value: value})
	}
	return list
}

func (w *world) totals(partition int32) checkpoint.Totals {
	w.T.Helper()
	number, _, err := sinks.LoadTopic(w.T.Context(), w.Table, sinks.Keys{}, w.Topic)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.Checkpoint(sinks.TP{Topic: number, Partition: partition}, checkpoint.LaneStats).Totals
}

func TestRepeatedEventsCountOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                         string
		window                       int64
		texts                        []string
		counted, repeated, rejecteds int64
	}{
		{"the same event again", 3, []string{"a/1", "a/1"}, 1, 1, 0},
		{"at the window's end", 3, []string{"a/1", "a/2", "a/3", "a/1"}, 3, 1, 0},
		{"beyond the window", 3, []string{"a/1", "a/2", "a/3", "a/4", "a/1"}, 5, 0, 0},
		{"a repetition prolongs the window", 2, []string{"a/1", "a/2", "a/1", "a/3", "a/1"}, 3, 2, 0},
		{"another site's event of the same id", 3, []string{"a/1", "b/1"}, 2, 0, 0},
		{"no event takes a place without being remembered", 2, []string{"a/1", "none", "none", "a/1"}, 2, 0, 2},
		{"one that is too late is remembered", 3, []string{"a/1 late", "a/1"}, 0, 1, 1},
		{"one that is too late repeats one that was not", 3, []string{"a/1", "a/1 late"}, 1, 1, 0},
		{"no window", 0, []string{"a/1", "a/1"}, 2, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.Duplicates = within(c.window)
				run := w.Start(o)
				w.Produce(repeating(time.Now(), c.texts...)...)
				w.Settled()
				run.Drain()
				w.Recounted()
				got := w.totals(0)
				if got.Counted != c.counted || got.Duplicate != c.repeated || got.Records()-got.Counted-got.Duplicate != c.rejecteds {
					t.Errorf("totals %+v, want %d counted, %d repeated, %d rejected", got, c.counted, c.repeated, c.rejecteds)
				}
			})
		})
	}
}

// A new owner has not seen what the one before saw: it reads it again.
func TestWindowOfDuplicatesOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		var texts []string
		for i := range 200 {
			texts = append(texts, fmt.Sprint("a/", i%50)) // each four times, 50 positions apart
		}
		for part := range 8 {
			o := w.Options()
			o.Settings.Duplicates = within(50)
			run := w.Start(o)
			w.Produce(repeating(time.Now(), texts[part*25:part*25+25]...)...)
			w.Settled()
			run.Drain()
		}
		w.Recounted()
		if got := w.totals(0); got.Counted != 50 || got.Duplicate != 150 {
			t.Errorf("totals %+v, want 50 counted and 150 repeated", got)
		}
	})
}

func TestTrimmedWindowOfDuplicatesIsSaid(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		w.Produce(repeating(time.Now(), "a/1", "a/2", "a/3")...)
		w.Settled()
		run.Drain()
		offsets := make(kadm.Offsets)
		offsets.AddOffset(w.Topic, 0, 2, -1)
		if _, err := kadm.NewClient(w.Client).DeleteRecords(t.Context(), offsets); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		o := w.Options()
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		run = w.Start(o)
		w.Produce(repeating(time.Now(), "a/2", "a/3")...)
		w.Settled()
		run.Drain()
		if got := w.totals(0); got.Counted != 4 || got.Duplicate != 1 { // a/2 lay at offset 1, a/3 at offset 2.
			t.Errorf("totals %+v, want the event counted again that the log has lost", got)
		}
		if !strings.Contains(log.String(), "no longer holds the whole duplicates.window") {
			t.Errorf("the log does not say that the window is trimmed:\n%s", log.String())
		}
	})
}

func TestObservedDuplicatesAreCounted(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Duplicates, o.ObserveDuplicates = within(0), within(10)
		registry := prometheus.NewRegistry()
		o.Metrics = pipeline.NewMetrics(registry)
		run := w.Start(o)
		w.Produce(repeating(time.Now(), "a/1", "a/1", "a/2", "a/1")...)
		w.Settled()
		run.Drain()
		w.Recounted()
		if got := w.totals(0); got.Counted != 4 || got.Duplicate != 0 {
			t.Errorf("totals %+v, want all counted", got)
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		measured := uint64(0)
		for _, f := range families {
			if f.GetName() == "footfall_duplicate_distance_records" {
				measured = f.GetMetric()[0].GetHistogram().GetSampleCount()
			}
		}
		if measured != 2 {
			t.Errorf("%d repetitions were measured, want 2", measured)
		}
	})
}

// The window is part of what a step names: widening it changes no step that was begun before.
func TestWindowOfDuplicatesMayChange(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		for _, window := range []int64{2, 100, 0, 5} {
			o := w.Options()
			o.Settings.Duplicates = within(window)
			run := w.Start(o)
			w.Produce(repeating(time.Now(), "a/1", "a/2", "a/3", "a/4", "a/3", "a/1")...)
			w.Settled()
			run.Drain()
		}
		w.Recounted()
		if got := w.totals(0); got.Counted != 5+0+6+2 {
			t.Errorf("totals %+v, want 13 counted", got)
		}
	})
}
