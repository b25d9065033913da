package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// End says how far a partition's log reaches, in offsets.
type End struct {
	High   int64 // the high watermark: what is below it is in the log to stay
	Stable int64 // the last stable offset: what is below it belongs to no open transaction, and can be read
	Start  int64 // the first offset that it has, where it is known
}

// further is the end as the later of two looks found it, in whatever order they come.
func (e End) further(f End) End {
	return End{High: max(e.High, f.High, f.Stable), Stable: max(e.Stable, f.Stable), Start: max(e.Start, f.Start)}
}

// Held is how many offsets an open transaction keeps from being read.
func (e End) Held() int64 { return e.High - e.Stable }

// MeasureEvery is how often the brokers are asked where the logs end.
const MeasureEvery = 10 * time.Second

// Ends asks the brokers how far the partitions of a topic reach. Partitions whose leader does not answer are left out.
func Ends(ctx context.Context, admin *kadm.Client, topic string) (map[int32]End, error) {
	high, err := admin.ListEndOffsets(ctx, topic)
	if err != nil && len(high) == 0 && !errors.Is(err, kerr.LeaderNotAvailable) {
		return nil, err
	}
	stable, err := admin.ListCommittedOffsets(ctx, topic) // Last, so that what comes between the two is no open transaction.
	if err != nil && len(stable) == 0 && !errors.Is(err, kerr.LeaderNotAvailable) {
		return nil, err
	}
	ends := make(map[int32]End)
	stable.Each(func(s kadm.ListedOffset) {
		if h, ok := high.Lookup(topic, s.Partition); ok && s.Err == nil && h.Err == nil {
			ends[s.Partition] = End{High: max(h.Offset, s.Offset), Stable: s.Offset}
		}
	})
	return ends, nil
}

// End is where the worker's log ends as far as is known. Safe for concurrent use.
func (q *Inbox) End() End {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.end
}

// QueuedTo is the offset after the last record that was queued, or the one that the worker started at. Safe for
// concurrent use.
func (q *Inbox) QueuedTo() int64 {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.fetched
}

// Published shows other goroutines that the record at an offset is folded next. Before the worker's start it only fills the window of
// duplicates.
func (q *Inbox) Published(next int64) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.nextOffset = max(q.nextOffset, next)
}

// NextToFold is the offset that is folded next, as it was published.
func (q *Inbox) NextToFold() int64 {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.nextOffset
}

// Behind reports whether more records wait than a chunk has, in the log and in the queue. expected is the next offset to fold.
func (q *Inbox) Behind(expected int64) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.end.Stable-expected > decoding.ChunkRecords
}

// Empty reports whether nothing was fetched that is not folded.
func (q *Inbox) Empty() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.QueuedBytes == 0
}

// Exhausted reports whether all records were taken that can be read, as far as is known. expected is the next offset to fold.
func (q *Inbox) Exhausted(expected int64) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.QueuedBytes == 0 && expected >= q.end.Stable
}
