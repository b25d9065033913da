package direct_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/direct"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

const partitions = 3

// keyed are records, some of them again and some that are rejected, each in the partition of its key.
func keyed(n int) (list []testpipeline.Record) {
	keyed := kgo.StickyKeyPartitioner(nil).ForTopic(testpipeline.TestTopic)
	for i, r := range testpipeline.Traffic(5, partitions, n, testpipeline.BubbleStart.Add(-24*time.Hour)) {
		r.Key = fmt.Sprint("key", r.Partition)
		r.Partition = int32(keyed.Partition(&kgo.Record{Key: []byte(r.Key)}, partitions))
		if list = append(list, r); i%9 == 0 {
			list = append(list, r)
		}
	}
	return list
}

// counted counts the records into the world's table as its topic.
func counted(t *testing.T, w *testpipeline.World, settings checkpoint.Settings, records []testpipeline.Record) direct.Outcome {
	t.Helper()
	topics, err := kadm.NewClient(w.Client).ListTopics(t.Context(), w.Topic)
	if err != nil {
		t.Fatal(err)
	}
	c, err := direct.New(t.Context(), direct.Options{Table: w.Table, Topic: w.Topic, TopicID: topics[w.Topic].ID, Owner: "test",
		Partitions: partitions, Settings: settings, HashKey: w.Options().HashKey})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := c.Add(direct.Record{Key: []byte(r.Key), Value: r.Value, Time: r.At}); err != nil {
			t.Fatal(err)
		}
	}
	outcome, err := c.Close()
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// What is counted without a pipeline is what verify recounts of a topic with the same records, and a pipeline continues from there.
func TestCountedAsAPipelineDoes(t *testing.T) {
	testpipeline.InBubble(t, 1, partitions, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		o := w.Options()
		o.Settings.Duplicates, o.Settings.RawEvents, o.Settings.NotAfter = testpipeline.Within(500), false, 0
		records := keyed(6000)
		w.Produce(records...)
		totals := counted(t, w, o.Settings, records).Totals
		if totals.Records() != int64(len(records)) || totals.Duplicate == 0 || totals.Sessionless == 0 || totals.Rejected == nil {
			t.Errorf("%+v of %d records, want all, some of them duplicates, rejected or without a session", totals, len(records))
		}
		if r := w.Agrees(o); r.Records != int64(len(records)) {
			t.Errorf("verify has recounted %d records of %d", r.Records, len(records))
		}
		more := keyed(6500)[len(records):]
		w.Folded(o, more)
		w.Exact(o)
	})
}

// A session that was let go is in no item; that it was counted is in all. One that has lines all the time stays.
func TestForgottenSessions(t *testing.T) {
	began := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	const days, each = 8, 3000                            // More than a step has.
	const rarely, forget = 40 * time.Hour, 85 * time.Hour // A step takes less than the first.
	count := func(o direct.Options) (sessions, items int64) {
		o.Table, o.Topic, o.Partitions = created(t), "events", 1
		o.Settings = checkpoint.DefaultSettings()
		o.Settings.LateMs, o.Settings.RawEvents, o.Settings.Retention.SessionDays = -1, false, checkpoint.Never
		c, err := direct.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		add := func(at time.Time, session string) {
			value := fmt.Sprintf(`{"siteId":"a","type":"page_view","timestamp":%d,"sessionId":%q,"visitorId":"v"}`, at.UnixMilli(), session)
			if err := c.Add(direct.Record{Value: []byte(value), Time: at}); err != nil {
				t.Fatal(err)
			}
		}
		next := began
		for n := range days * each {
			at := began.Add(time.Duration(n) * 24 * time.Hour / each)
			if add(at, fmt.Sprint("s", n)); !at.Before(next) {
				add(at, "long")
				next = at.Add(rarely)
			}
		}
		if _, err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for day := range days {
			key := sinks.Keys{}.DayStats("a", began.AddDate(0, 0, day).UnixMilli())
			found, err := o.Table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}})
			if err != nil {
				t.Fatal(err)
			}
			sessions += found.Items[key][sinks.AttrSessions].Int()
		}
		d, err := o.Table.(sinks.Admin).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sessions, d.Items
	}
	all, kept := count(direct.Options{})
	some, fewer := count(direct.Options{Forget: forget, Keep: began.AddDate(1, 0, 0)})
	if all != days*each+1 || some != all || fewer > kept*3/4 {
		t.Errorf("%d sessions in %d items; %d in %d items where sessions are let go, want %d in fewer", all, kept, some, fewer, days*each+1)
	}
	if _, late := count(direct.Options{Forget: forget, Keep: began}); late != kept {
		t.Errorf("%d items, want all %d: no session began before those that are kept", late, kept)
	}
}

// created is an empty table.
func created(t *testing.T) *memory.Table {
	t.Helper()
	table := new(memory.Table)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	return table
}

// A record that is rejected is rejected alone, and listed with its line and the reason in the order of the lines.
func TestRejectedRecordsAreListed(t *testing.T) {
	o := direct.Options{Table: created(t), Topic: "events", Partitions: 2, Settings: checkpoint.DefaultSettings()}
	o.Settings.LateMs = -1
	c, err := direct.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var want []direct.Rejection
	for n := range 1000 {
		at := began.Add(time.Duration(n) * time.Second)
		value := fmt.Sprintf(`{"siteId":"a","type":"page_view","timestamp":%d,"visitorId":"v"}`, at.UnixMilli())
		line, reason := direct.Line{File: "log", Number: int64(n + 1)}, event.Accepted
		switch {
		case n%100 == 0:
			value, reason = "{}", event.MissingSite
		case n%100 == 37:
			value, reason = strings.Replace(value, fmt.Sprint(at.UnixMilli()), "1000", 1), event.TooLate
		}
		if err := c.Add(direct.Record{Key: fmt.Append(nil, n), Value: []byte(value), Time: at, From: line}); err != nil {
			t.Fatal(err)
		}
		if reason != event.Accepted {
			want = append(want, direct.Rejection{Line: line, Added: int64(n), Reason: reason})
		}
	}
	outcome, err := c.Close()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range outcome.FirstRejected {
		if outcome.FirstRejected[i].Detail = ""; r.Detail == "" {
			t.Errorf("%+v has no detail", r)
		}
	}
	if !slices.Equal(outcome.FirstRejected, want) || outcome.Counted != 980 || outcome.Rejected[event.MissingSite] != 10 {
		t.Errorf("%+v, want 980 counted, and of the others\n%+v", outcome, want)
	}
	if !outcome.First.Equal(began.Add(time.Second)) || !outcome.Last.Equal(began.Add(999*time.Second)) {
		t.Errorf("from %v to %v, want those of the second record and the last", outcome.First, outcome.Last)
	}
}

// The end of its context ends the count with an error.
func TestCountEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := direct.New(ctx, direct.Options{Table: created(t), Topic: "events", Partitions: 2, Settings: checkpoint.DefaultSettings()})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := c.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v, want that it was cancelled", err)
	}
}

// heldTable has a Put wait for the end of its context, from a call of hold on.
type heldTable struct {
	*memory.Table
	hold    atomic.Bool
	waiting chan struct{}
	ended   atomic.Bool
}

func (h *heldTable) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if h.hold.CompareAndSwap(true, false) {
		close(h.waiting)
		<-ctx.Done()
		defer h.ended.Store(true)
	}
	return h.Table.Put(ctx, p)
}

// A count that is stopped has no request under way, and Stop may be called after Close and Stop.
func TestStop(t *testing.T) {
	table := &heldTable{Table: created(t), waiting: make(chan struct{})}
	c, err := direct.New(t.Context(), direct.Options{Table: table, Topic: "events", Partitions: 1, Settings: checkpoint.DefaultSettings()})
	if err != nil {
		t.Fatal(err)
	}
	table.hold.Store(true)
	at := time.Now().Truncate(time.Millisecond)
	value := fmt.Sprintf(`{"siteId":"a","type":"page_view","timestamp":%d,"sessionId":"s","visitorId":"v"}`, at.UnixMilli())
	for range 256 {
		if err := c.Add(direct.Record{Value: []byte(value), Time: at}); err != nil {
			t.Fatal(err)
		}
	}
	<-table.waiting
	if c.Stop(); !table.ended.Load() {
		t.Error("Stop has returned before the last request did")
	}
	if _, err := c.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close after Stop = %v, want that it was cancelled", err)
	}
	c.Stop()
}
