package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

const topic = "events"

// world is a broker and a table, in a bubble of fake time or real ones. The real pipeline fills the table; tests then change it.
type world struct {
	packed  bool // raw events of pipelines to come are
	t       *testing.T
	seeds   []kgo.Opt
	topic   string
	table   *recorder
	client  *kgo.Client
	start   time.Time // when the bubble began
	markers int64     // how many markers of transactions the test left at the end of a log
}

func inWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	testworld.InBubble(t, 1, func(t *testing.T, b *testworld.World) {
		f(t, &world{t: t, topic: topic, table: newRecorder(b.Table), start: time.Now(), seeds: b.Kafka, client: b.Client})
	}, kfake.SeedTopics(partitions, topic))
}

func (w *world) kafka() []kgo.Opt { return append([]kgo.Opt(nil), w.seeds...) }

// recorder remembers the keys that were written.
type recorder struct {
	sinks.Table
	mu   sync.Mutex // covers keys
	keys map[sinks.Key]bool
}

func newRecorder(t sinks.Table) *recorder {
	return &recorder{Table: t, keys: make(map[sinks.Key]bool)}
}

func (r *recorder) note(k sinks.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[k] = true
}

func (r *recorder) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r.note(u.Key)
	return r.Table.Update(ctx, u)
}

func (r *recorder) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r.note(p.Item.Key())
	return r.Table.Put(ctx, p)
}

func (r *recorder) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		r.note(it.Key())
	}
	return r.Table.BatchPut(ctx, items)
}

// snapshot is all items of the table.
func (w *world) snapshot() map[sinks.Key]sinks.Item {
	w.t.Helper()
	all, err := sinks.Get(w.t.Context(), w.table, slices.Collect(maps.Keys(w.table.keys))...)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// set makes an item what it says; nil deletes it.
func (w *world) set(key sinks.Key, it sinks.Item) {
	w.t.Helper()
	var err error
	if it == nil {
		_, err = w.table.Table.Delete(w.t.Context(), sinks.Delete{Key: key})
	} else {
		_, err = w.table.Table.Put(w.t.Context(), sinks.Put{Item: it})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// record is a record to publish. The event's time is at, the record's is now.
type record struct {
	partition int32
	value     any // marshalled, but for a string
}

// event makes an event of the time since the bubble began.
func (w *world) event(site, kind string, after time.Duration, more ...string) map[string]any {
	e := map[string]any{"siteId": site, "type": kind, "timestamp": w.start.Add(after).UnixMilli()}
	for i := 0; i < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	return e
}

func (w *world) produce(records ...record) {
	w.t.Helper()
	if err := w.client.ProduceSync(w.t.Context(), w.kafkaRecords(records)...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) kafkaRecords(records []record) []*kgo.Record {
	var list []*kgo.Record
	for _, r := range records {
		value, ok := r.value.(string)
		if !ok {
			b, err := json.Marshal(r.value)
			if err != nil {
				w.t.Fatal(err)
			}
			value = string(b)
		}
		list = append(list, &kgo.Record{Topic: w.topic, Partition: r.partition, Value: []byte(value)})
	}
	return list
}

// options are those of a pipeline without a window of duplicates: what first and second produce shares ids.
func (w *world) options() pipeline.Options {
	s := checkpoint.DefaultSettings()
	s.Duplicates, s.RawPacked = checkpoint.Duplicates{}, w.packed
	return pipeline.Options{Kafka: w.kafka(), Topic: w.topic, Group: "g-" + w.topic, Table: w.table, Settings: s}
}

// pipeline runs one until every chain is done with the log.
func (w *world) pipeline() {
	w.t.Helper()
	w.run(w.options())
}

// run runs a pipeline until every chain of its topic is done with the log.
func (w *world) run(o pipeline.Options) {
	w.t.Helper()
	p, err := pipeline.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	drain := testworld.Start(w.t, p.Run)
	for deadline := time.Now().Add(time.Hour); !w.drained(o.Topic); {
		if time.Now().After(deadline) {
			w.t.Fatal("the pipeline has not come to the end of the log")
		}
		<-time.After(5 * time.Second)
	}
	drain()
}

// drained reports whether a verify that does not wait would find nothing behind, and no step open.
func (w *world) drained(topic string) bool {
	ctx := w.t.Context()
	ends, err := kadm.NewClient(w.client).ListCommittedOffsets(ctx, topic)
	if err != nil {
		w.t.Fatal(err)
	}
	number, ok, err := sinks.LoadTopic(ctx, w.table, sinks.Keys{}, topic)
	if err != nil {
		w.t.Fatal(err)
	}
	drained := ok
	ends.Each(func(o kadm.ListedOffset) {
		for _, lane := range checkpoint.Lanes {
			c := w.checkpoint(sinks.TP{Topic: number, Partition: o.Partition}, lane)
			drained = drained && (o.Offset == 0 || c.Done && c.To-c.Base >= o.Offset-w.markers)
		}
	})
	return drained
}

func (w *world) checkpoint(tp sinks.TP, lane string) checkpoint.Head {
	w.t.Helper()
	return testworld.Checkpoint(w.t, w.table, tp, lane)
}

// verify runs it without waiting; change may be nil.
func (w *world) verify(change func(*scope.Options)) finding.Report {
	w.t.Helper()
	o := scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: w.table.Table}
	if change != nil {
		change(&o)
	}
	report, err := verify.Run(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// want fails the test unless the report has this exit code; text says what the report is of.
func want(t *testing.T, text string, r finding.Report, code int) {
	t.Helper()
	if got := r.ExitCode(); got != code {
		var b strings.Builder
		r.WriteText(&b)
		t.Errorf("%s: exit code %d, want %d\n%s", text, got, code, b.String())
	}
}

// The ids of the tests' sites: plain, with separators, and one whose key is shortened.
var (
	plainSite = "shop"
	oddSite   = "a#b%c"
	longSite  = strings.Repeat("%", 128)
)

// first publishes what the first step of every chain covers.
func (w *world) first() {
	const minute = time.Minute
	long := strings.Repeat("#", 256)
	records := []record{
		{0, w.event(plainSite, "page_view", 10*time.Second, "id", "e1", "visitorId", "v1", "sessionId", "s1", "url", "https://shop/b?q=1")},
		{0, w.event(plainSite, "page_view", 2*time.Second, "visitorId", "v1", "sessionId", "s1", "url", "/a", "userId", "u1")},
		{0, w.event(plainSite, "buy", 70*time.Second, "visitorId", "v2", "sessionId", "s2")},
		{0, w.event(plainSite, "ping", 80*time.Second, "sessionId", "s3")},
		{0, w.event(plainSite, "page_view", 3*time.Second, "visitorId", "v9", "url", "/"+strings.Repeat("é", 150))},
		{1, w.event(plainSite, "page_view", 4*time.Second, "visitorId", "v1", "sessionId", "s1", "url", "/c")},
		{1, w.event(oddSite, "page_view", 5*time.Second, "visitorId", "v#1", "sessionId", long, "userId", "u%1", "url", "/x#y")},
		{0, w.event(longSite, "page_view", 6*time.Second, "visitorId", long, "sessionId", "s1", "url", "")},
		{0, w.event(plainSite, "page_view", -50*time.Hour, "visitorId", "v1")},
		{0, w.event(plainSite, "page_view", 2*time.Hour, "visitorId", "v1")},
		{1, `{"siteId":`},
		{1, w.event(plainSite, "page_view", 0)},
	}
	value := w.event(plainSite, "buy", minute, "visitorId", "v1", "sessionId", "s1")
	value["value"] = -12.5
	records = append(records, record{0, value}, w.crawler(30*time.Second))
	for i := range 8 {
		records = append(records, record{0, w.event(plainSite, "page_view", 7*time.Second, "visitorId", fmt.Sprint("crowd", i), "url", "/a")})
	}
	w.produce(records...)
}

// crawler is a bot's page view, of a session that people have, too.
func (w *world) crawler(after time.Duration) record {
	e := w.event(plainSite, "page_view", after, "visitorId", "crawler", "sessionId", "s1", "url", "/a", "id", fmt.Sprint("crawl ", after),
		"userAgent", "curl/8.5.0")
	e["value"] = 1.5
	return record{0, e}
}

// second publishes what the second step of every chain covers: it changes items of the first, and makes new ones.
func (w *world) second() {
	records := []record{
		// Moves the start.
		{0, w.event(plainSite, "page_view", -30*time.Minute, "visitorId", "v1", "sessionId", "s1", "url", "/early", "id", "e2")},
		{0, w.event(plainSite, "page_view", 100*time.Second, "visitorId", "v3", "sessionId", "s2", "url", "/late", "userId", "u2")},
		{0, w.event(plainSite, "page_view", 20*time.Second, "visitorId", "v4", "sessionId", "s4", "url", "/a")}, // In a minute of the first.
		{0, w.event(plainSite, "page_view", 20*time.Second, "visitorId", "v4", "sessionId", "s5", "url", "/a", "id", "e1")},
		{1, w.event(plainSite, "click", 40*time.Second, "visitorId", "v1", "sessionId", "s1")},
		{0, w.event(plainSite, "page_view", 90*time.Second, "visitorId", "crowd0", "url", "/b")}, // Of a visit of the first step.
		{1, w.event(oddSite, "page_view", 50*time.Second, "visitorId", "v#2", "sessionId", "s#2", "url", "/x")},
		{1, w.event("late", "page_view", 50*time.Second, "visitorId", "v1", "sessionId", "s1", "url", "/x")},
		{0, w.event(plainSite, "page_view", 95*time.Second, "visitorId", "v3", "sessionId", "s3")}, // Names its visitor.
		{1, `[]`},
		w.crawler(35 * time.Second), w.crawler(60 * time.Second),
	}
	for i := range 10 { // More than fit into the hour's item.
		records = append(records, record{0, w.event(plainSite, "page_view", 45*time.Second, "visitorId", fmt.Sprint("more", i), "url",
			fmt.Sprint("/p", i))})
	}
	w.produce(records...)
}

// filled is the table after the first step of every chain and after the second.
func (w *world) filled() (one, two map[sinks.Key]sinks.Item) {
	w.t.Helper()
	w.first()
	w.pipeline()
	one = w.snapshot()
	w.second()
	w.pipeline()
	return one, w.snapshot()
}
