package adopt_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/adopt"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

const partitions = 2

// inTwoWorlds runs f with an old cluster and a new one, which share a table. Both have the topic.
func inTwoWorlds(t *testing.T, f func(t *testing.T, old, mirror *testpipeline.World)) {
	slow.Unraced(t)
	testpipeline.InBubble(t, 1, partitions, func(t *testing.T, old *testpipeline.World, net *kfake.VirtualNetwork) {
		f(t, old, testpipeline.SecondCluster(t, old, net, partitions, old.Table))
	})
}

// copying says how a mirror is made.
type copying struct {
	skip         int                               // records of each partition that came before it began
	transactions int                               // records in each; 0: none
	change       func([]*kgo.Record) []*kgo.Record // of a partition; nil: nothing
}

// copyTo mirrors what a cluster has.
func (c copying) copyTo(t *testing.T, old, mirror *testpipeline.World) {
	t.Helper()
	client := mirror.Client
	if c.transactions > 0 {
		client = testworld.Client(t, append(mirror.Kafka(), kgo.TransactionalID("mirror")))
	}
	for n := range int32(partitions) {
		list := recordsOf(t, old, n)
		list = list[min(c.skip, len(list)):]
		if c.change != nil {
			list = c.change(list)
		}
		for part := range slices.Chunk(list, max(c.transactions, 1)) {
			if c.transactions > 0 {
				if err := client.BeginTransaction(); err != nil {
					t.Fatal(err)
				}
			}
			if err := client.ProduceSync(t.Context(), part...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if c.transactions > 0 {
				if err := client.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// recordsOf reads a partition.
func recordsOf(t *testing.T, w *testpipeline.World, partition int32) (list []*kgo.Record) {
	t.Helper()
	ends, err := kadm.NewClient(w.Client).ListEndOffsets(t.Context(), w.Topic)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := ends.Lookup(w.Topic, partition)
	client, err := kgo.NewClient(append(w.Kafka(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		w.Topic: {partition: kgo.NewOffset().At(0)}}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for int64(len(list)) < end.Offset {
		for _, r := range client.PollFetches(t.Context()).Records() {
			list = append(list, &kgo.Record{Topic: w.Topic, Partition: partition, Key: r.Key, Value: r.Value, Headers: r.Headers,
				Timestamp: r.Timestamp})
		}
	}
	return list
}

// events are the records of a pipeline's traffic. Every third has no id, so that its raw event is known by where its record lies.
func events(n int, start time.Time) []testpipeline.Record {
	all := testpipeline.Traffic(1, partitions, n, start)
	for i := range all {
		var e map[string]any
		if err := json.Unmarshal(all[i].Value, &e); err == nil && i%3 == 0 {
			delete(e, "id")
			all[i].Value = testpipeline.MustJSON(e)
		}
	}
	return all
}

func job(old, mirror *testpipeline.World) *adopt.Job {
	return &adopt.Job{Old: old.Kafka(), Mirror: mirror.Kafka(), Topic: old.Topic, Group: "g-" + old.Topic, Table: old.Table, Records: 1000}
}

// adopted runs the job.
func adopted(t *testing.T, old, mirror *testpipeline.World) adopt.Adopted {
	t.Helper()
	a, err := job(old, mirror).Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// answers are the figures of all sites by hour, and their sessions, as a reader has them.
func answers(t *testing.T, table sinks.Table) (all []string) {
	t.Helper()
	r := query.New(table, time.Now)
	from := time.Now().Truncate(24*time.Hour).AddDate(0, 0, -2)
	for i := range 2 {
		site := fmt.Sprint("site-", i)
		s, err := r.Stats(t.Context(), query.StatsParams{Site: site, From: from, To: from.AddDate(0, 0, 4), By: query.Hour})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.Buckets {
			all = append(all, b.Start.String()+string(testpipeline.MustJSON(b.Figures)))
		}
		for _, d := range []string{"page", "referrer"} {
			top, err := r.Top(t.Context(), query.TopParams{Site: site, From: from, To: from.AddDate(0, 0, 4), Dimension: d, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(testpipeline.MustJSON(top.Rows)))
		}
	}
	return all
}

// control counts all of a cluster's topic into a table of its own.
func control(t *testing.T, w *testpipeline.World, o pipeline.Options) sinks.Table {
	t.Helper()
	it := other(t, w)
	o.Table, o.Group = it.Table, "control"
	it.Folded(o, nil)
	return it.Table
}

// other is a world with a table of its own.
func other(t *testing.T, w *testpipeline.World) *testpipeline.World {
	t.Helper()
	it := *w
	it.Table = testworld.Table(t)
	it.Begin()
	return &it
}

// trim deletes all records of a partition.
func trim(t *testing.T, w *testpipeline.World, partition int32) {
	t.Helper()
	offsets := make(kadm.Offsets)
	offsets.AddOffset(w.Topic, partition, int64(len(recordsOf(t, w, partition))), -1)
	if _, err := kadm.NewClient(w.Client).DeleteRecords(t.Context(), offsets); err != nil {
		t.Fatal(err)
	}
}
