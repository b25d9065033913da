package pipeline_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
)

// TestSeriesAreThereFromTheStart: what alerts are made of exists, with 0, before anything has happened; and while a pipeline runs, so do
// the reasons for which its partitions are not parked. A flush shows its phases and how long its first record waited;
// requests show their time.
func TestSeriesAreThereFromTheStart(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	pipeline.NewMetrics(registry)
	for name, want := range map[string]int{"records_total": 4, "rejected_total": 1, "notes_total": 3, "bot_events_total": 3,
		"throttled_requests_total": 20, "flushes_total": 2, "redone_flushes_total": 2, "staleness_seconds": 2, "states": 2,
		"request_seconds": 6, "flush_seconds": 8, "visible_seconds": 2} {
		if have := seriesOf(t, registry, name); len(have) < want {
			t.Errorf("%s has %d series, want %d at least", name, len(have), want)
		}
	}
	inWorld(t, 2, func(t *testing.T, w *world) {
		o, _ := w.watched()
		registry := prometheus.NewRegistry()
		o.Metrics = pipeline.NewMetrics(registry)
		run := w.Start(o)
		w.Produce(events(0, 9)...)
		w.Settled()
		if have := seriesOf(t, registry, "partition_parked"); len(have) != 2*4 || testpipeline.ParkedPartitions(o.Metrics) > 0 {
			t.Errorf("%d series of two partitions that are not parked, %d parked; want 8 and none", len(have),
				testpipeline.ParkedPartitions(o.Metrics))
		}
		for name, labels := range map[string]string{"request_seconds": "update", "visible_seconds": "stats", "flush_seconds": "stats settle"} {
			observed := uint64(0)
			for key, s := range seriesOf(t, registry, name) {
				if strings.HasPrefix(key, labels) {
					observed += s.GetHistogram().GetSampleCount()
				}
			}
			if observed == 0 {
				t.Errorf("nothing of %s{%s} was observed", name, labels)
			}
		}
		run.Drain()
		if have := seriesOf(t, registry, "partition_parked"); len(have) > 0 {
			t.Errorf("%d series of partitions that the process does not own any more", len(have))
		}
	})
}

// seriesOf are the series of a metric, by the values of their labels.
func seriesOf(t *testing.T, registry *prometheus.Registry, name string) map[string]*dto.Metric {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*dto.Metric)
	for _, f := range families {
		if f.GetName() != "footfall_"+name {
			continue
		}
		for _, m := range f.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			all[strings.Join(values, " ")] = m
		}
	}
	return all
}
