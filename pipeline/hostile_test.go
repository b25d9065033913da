package pipeline_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// hostileValues are every file of JSONTestSuite and every naughty string, as a record, as the whole of each text
// field, and as properties.
func hostileValues(t *testing.T) [][]byte {
	var raw [][]byte
	for _, text := range naughtyStrings(t) {
		raw = append(raw, []byte(text))
	}
	z, err := gzip.NewReader(bytes.NewReader(realdata.Read(t, "badinput/JSONTestSuite-parsing.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			raw = append(raw, b)
		}
	}
	values := raw
	for _, b := range raw {
		values = append(values, []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v","properties":`+string(b)+`}`))
		for _, field := range []string{"siteId", "type", "id", "visitorId", "sessionId", "userId", "url", "referrer", "title", "userAgent",
			"name", "country", "region", "city", "device", "browser", "os"} {
			e := map[string]string{"siteId": "s", "type": "page_view", "timestamp": "2000-01-01T00:00:00Z", "visitorId": "v"}
			e[field] = string(b)
			values = append(values, mustJSON(e))
		}
	}
	return values
}

func naughtyStrings(t *testing.T) (list []string) {
	if err := json.Unmarshal(realdata.Read(t, "badinput/blns.json"), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestHostileRecordsAreAllAccountedFor keeps the promise "nothing vanishes" against everything that bad input is
// known to be: each record is counted or on the failed-events topic, and the pipeline goes on.
func TestHostileRecordsAreAllAccountedFor(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	values := hostileValues(t)
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Limits.StepItems = 2000
		run := w.Start(o)
		for len(values) > 0 {
			n := min(len(values), 1000)
			batch := make([]record, n)
			for i, v := range values[:n] {
				batch[i] = record{Key: "k", At: bubbleStart, Value: v}
			}
			w.Produce(batch...)
			values = values[n:]
		}
		w.Settled()
		run.Drain()
		c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if c.Totals.Records() != c.To {
			t.Errorf("totals of %d records, the log has %d", c.Totals.Records(), c.To)
		}
		rejected := int(c.Totals.Records() - c.Totals.Counted - c.Totals.Duplicate)
		if rejected < 500 || c.Totals.Counted < 5000 {
			t.Errorf("%d counted and %d rejected: the corpus is not what it was", c.Totals.Counted, rejected)
		}
		if n := len(w.failedEntries(rejected)); n != rejected {
			t.Errorf("%d entries on the failed-events topic, want %d", n, rejected)
		}
		report, err := w.Verify(o)
		if err != nil || report.DifferenceCount != 0 {
			t.Errorf("verify: %v, %d differences, first %+v", err, report.DifferenceCount, report.Differences[:min(3, len(report.Differences))])
		}
	})
}
