package footfalltest_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
)

// One setting may be changed, and the others are those of footfall run.
func TestSettingsMayBeChanged(t *testing.T) {
	f := footfalltest.Start(t, footfalltest.Options{Partitions: 1, Pipeline: func(o *pipeline.Options) { o.Settings.LateMs = 60_000 }})
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, late := range []time.Duration{time.Second, 2 * time.Minute} {
		f.PublishRecords(t, &kgo.Record{Key: []byte("shop"), Timestamp: at, Value: []byte(`{"siteId":"shop","type":"page_view","visitorId":"v",` +
			`"url":"/","timestamp":"` + at.Add(-late).UTC().Format(time.RFC3339) + `"}`)})
	}
	f.Settle(t)
	if got := f.Totals(t); got.Counted != 1 || got.Rejected["too_late"] != 1 {
		t.Errorf("%+v: want one counted, and one too late", got)
	}
	top, err := f.Query().Top(t.Context(), query.TopParams{Site: "shop", Dimension: "page", From: at.Add(-time.Hour)})
	if err != nil || len(top.Rows) != 1 {
		t.Errorf("%d pages, %v: breakdowns are on by default", len(top.Rows), err)
	}
}
