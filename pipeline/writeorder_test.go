package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

// sessionOrder notes the sessions in the order in which they are written. Each write takes five milliseconds.
type sessionOrder struct {
	sinks.Table
	mu   sync.Mutex // covers keys
	keys []sinks.Key
}

func (s *sessionOrder) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if strings.HasPrefix(u.Key.SK, "SESSION#") {
		s.mu.Lock()
		s.keys = append(s.keys, u.Key)
		s.mu.Unlock()
	}
	select {
	case <-time.After(tableLatency):
	case <-ctx.Done():
		return sinks.Result{}, context.Cause(ctx)
	}
	return s.Table.Update(ctx, u)
}

// With WritesByKey a flush writes its sessions in the order of their keys, but for those that are in flight at once.
func TestWritesByKeyGoInTheOrderOfTheirKeys(t *testing.T) {
	t.Parallel()
	const sessions, inFlight = 1000, 32
	inWorld(t, 1, func(t *testing.T, w *world) {
		table := &sessionOrder{Table: w.Table}
		o := w.Options()
		o.Table, o.WritesByKey = table, true
		var records []record
		for i := range sessions {
			records = append(records, record{Key: "k", At: bubbleStart, Value: mustJSON(map[string]any{"siteId": "s", "type": "click",
				"timestamp": bubbleStart.UnixMilli(), "sessionId": fmt.Sprintf("%08x", uint32(i)*2654435761)})})
		}
		w.Produce(records...)
		run := w.Start(o)
		w.Settled()
		run.Drain()
		w.Exact(o)
		sorted := slices.SortedFunc(slices.Values(table.keys), sinks.Key.Compare)
		if len(sorted) != sessions {
			t.Fatalf("%d writes of sessions, want one of each of %d", len(sorted), sessions)
		}
		for i, key := range table.keys {
			if rank, _ := slices.BinarySearchFunc(sorted, key, sinks.Key.Compare); rank < i-inFlight || rank > i+inFlight {
				t.Fatalf("write %d has the key of rank %d: more than %d in flight apart", i, rank, inFlight)
			}
		}
	})
}
