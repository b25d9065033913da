package pipeline_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// queryToken is what no query parameter that is kept has.
const queryToken = "t0ken-of-a-visitor"

// TestTokensInQueriesAreKeptNowhere: a token in the query of a well-formed record is in no byte of the table, of the
// failed-events topic and of the log. The campaign beside it is counted.
func TestTokensInQueriesAreKeptNowhere(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		dir := t.TempDir()
		table, err := sqlite.Open(filepath.Join(dir, "footfall.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Fatal(err)
		}
		w.Table = table
		w.Decide("strict", &sites.Rules{Name: "Strict", QueryParameters: urlquery.None})
		url := `https://shop.example/reset?token=` + queryToken + `\u0026utm_campaign=spring\u0026session=` + queryToken + `#access_token=` +
			queryToken
		links := `"url":"` + url + `","referrer":"https://mail.example/?q=` + queryToken + `"`
		accepted := []string{
			`{"siteId":"s","type":"page_view","timestamp":946684800000,"visitorId":"v","sessionId":"x",` + links + `}`,
			`{"siteId":"s","type":"page_view","timestamp":946684800000,"visitorId":"v","id":"1",` + links + `}`,
			`{"siteId":"strict","type":"page_view","timestamp":946684800000,"visitorId":"v",` + links + `}`,
		}
		rejected := []string{
			`{` + links + `,"siteId":"s","type":"click","timestamp":1,"visitorId":"v"}`,            // too_late
			`{ "siteId" : "s" , ` + links + ` , "type":"click","timestamp":"now","visitorId":"v"}`, // bad_timestamp
			`{"type":"click","timestamp":946684800000,"visitorId":"v",` + links + `}`,              // missing_site
			`{"siteId":"strict","type":"click","timestamp":1,` + links + `}`,
			`{"siteId":"s","` + `u\u0072l":"?` + queryToken + `","properties":{"a":[{}]},` + links + `}`,
			`{"siteId":"s",` + links + `,"title":"` + strings.Repeat("x", event.MaxRecordBytes) + `"}`, // too_large
		}
		var records []record
		for _, value := range append(accepted, rejected...) {
			records = append(records, record{Key: "s", At: bubbleStart, Value: []byte(value)})
		}
		var logged bytes.Buffer
		o := w.Options()
		o.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		w.Folded(o, records)
		for offset, e := range w.failedEntries(len(rejected)) {
			if bytes.Contains(e.Value, []byte(queryToken)) {
				t.Errorf("the failed event of offset %d has the token: %.300s", offset, e.Value)
			}
			if kept := bytes.Contains(e.Value, []byte("utm_campaign=spring")); kept == bytes.Contains(e.Value, []byte("strict")) {
				t.Errorf("the failed event of offset %d: campaign kept is %v: %.300s", offset, kept, e.Value)
			}
			if cut := header(e, event.HeaderTruncated); cut != "" && header(e, event.HeaderReason) != string(event.TooLarge) {
				t.Errorf("the failed event of offset %d says that its %s is truncated, so it would never be replayed", offset, cut)
			}
			for _, h := range e.Headers {
				if bytes.Contains(h.Value, []byte(queryToken)) {
					t.Errorf("the failed event of offset %d has the token in its header %s", offset, h.Key)
				}
			}
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Totals.Counted != 3 || c.Totals.Records() != int64(len(records)) {
			t.Errorf("totals %+v, want 3 counted of %d", c.Totals, len(records))
		}
		if strings.Contains(logged.String(), queryToken) {
			t.Error("the log has the token")
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		for _, has := range []struct {
			text string
			want bool
		}{{queryToken, false}, {"https://shop.example/reset?utm_campaign=spring", true}} {
			found := false
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) == 0 {
				t.Fatal("no files", err)
			}
			for _, name := range files {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				found = found || bytes.Contains(b, []byte(has.text))
			}
			if found != has.want {
				t.Errorf("%q is in the table's files: %v, want %v", has.text, found, has.want)
			}
		}
	})
}

// TestBytesThatAreNoJSONStay: a failed event is for people who look for what is wrong with a record.
func TestBytesThatAreNoJSONStay(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		values := []string{
			`{"siteId":"s","url":"https://a.example/?token=1"`,
			`{"siteId":"s","url":"https://a.example/?token=1"}x`,
			`["url","https://a.example/?token=1"]`,
			`{"siteId":"s","url":17,"referrer":null,"properties":{"url":"/?token=1"},"x":"?"}`,
		}
		var records []record
		for _, value := range values {
			records = append(records, record{At: bubbleStart, Value: []byte(value)})
		}
		w.Folded(w.Options(), records)
		for offset, e := range w.failedEntries(len(values)) {
			if string(e.Value) != values[offset] {
				t.Errorf("offset %d: %s has become %s", offset, values[offset], e.Value)
			}
		}
	})
}

// TestFailedTopicIsKeptForThirtyDays: what it holds may be personal.
func TestFailedTopicIsKeptForThirtyDays(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), []record{{At: bubbleStart, Value: []byte(`{`)}})
		configs, err := kadm.NewClient(w.Client).DescribeTopicConfigs(t.Context(), testTopic+".failed")
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range configs[0].Configs {
			if kv.Key == "retention.ms" && kv.MaybeValue() == "2592000000" {
				return
			}
		}
		t.Errorf("retention.ms of 30 days is not among %v", configs[0].Configs)
	})
}
