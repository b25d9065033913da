package embedded

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// publisher is a transactional producer that publishes to partition 0.
func publisher(t *testing.T, addr, id string) *kgo.Client {
	t.Helper()
	return client(t, addr, kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic("events"))
}

// begin publishes records in a transaction and leaves it open.
func begin(t *testing.T, cl *kgo.Client, name string) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := cl.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint(name, i))).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t *testing.T, cl *kgo.Client) {
	t.Helper()
	if err := cl.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
}

// committed reads partition 0 as the pipeline does, up to where its last transaction ended.
func committed(t *testing.T, addr string) (values []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cl := client(t, addr, kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"events": {0: kgo.NewOffset().AtStart()}}))
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, "events")
	if err != nil {
		t.Fatal(err)
	}
	for next := int64(0); next < ends["events"][0].Offset; {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("at offset %d of %d, after %q: %v", next, ends["events"][0].Offset, values, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			next = r.Offset + 1
			if !r.Attrs.IsControl() {
				values = append(values, string(r.Value))
			}
		})
	}
	return values
}

// A transaction that is open when the broker is killed stays aborted, and the next one of the same producer counts,
// however often the broker is started and killed after that.
func TestTransactionsOpenAtAKillAreAborted(t *testing.T) {
	dir := t.TempDir()
	addr, kill := startChild(t, dir)
	other := publisher(t, addr, "other")
	begin(t, other, "ended")
	commit(t, other)
	begin(t, publisher(t, addr, "one"), "lost")
	begin(t, other, "lost too")
	kill()

	want := []string{"ended0", "ended1", "ended2", "next0", "next1", "next2"}
	addr, kill = startChild(t, dir)
	next := publisher(t, addr, "one")
	begin(t, next, "next")
	commit(t, next)
	if got := committed(t, addr); !slices.Equal(got, want) {
		t.Errorf("after a kill: %q, want %q", got, want)
	}
	kill()

	for _, when := range []string{"after a second kill", "after it was closed"} {
		b, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := committed(t, b.Addr()); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
