package direct

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Options say what is counted, and into what.
type Options struct {
	Table      sinks.Table // empty
	Topic      string      // what items name as the source of their records
	TopicID    [16]byte
	Owner      string // what checkpoints name as their owner
	Partitions int
	Settings   checkpoint.Settings // but for those of new sites, whose number is not bounded
	HashKey    []byte              // 16 bytes, the key of the visitors' hash; nil: a random one
	SiteZone   string              // of new sites; "": UTC

	// Forget is how long before the greatest event time sessions that no record has touched since leave the table, if they began before
	// Keep; 0: never. Records of such a session that come later begin it again.
	Forget time.Duration
	Keep   time.Time
}

// Record is a record to be counted.
type Record struct {
	Key, Value []byte
	Time       time.Time
	From       Line // where it comes from
}

// Line is a line of a file.
type Line struct {
	File   string
	Number int64
}

// Counter counts records. Add, Flush, Close and Stop belong to one goroutine.
type Counter struct {
	partitioner kgo.TopicPartitioner
	keyed       kgo.Record // what it is asked about
	partitions  []*partition
	filling     []*handful // by partition; nil: empty
	added       int64
	handfuls    sync.Pool // of *handful, in no use
	running     *errgroup.Group
	failed      context.Context // ends with the first error, and with Stop
	stop        context.CancelFunc
}

// New begins a count: it records the settings of the table, and starts a goroutine for each partition. They end with Close, with ctx, or
// with Stop, which must be called in any case.
func New(ctx context.Context, o Options) (*Counter, error) {
	settings, err := sinks.EnsureTableSettings(ctx, o.Table, sinks.Keys{}, o.HashKey)
	if err != nil {
		return nil, err
	}
	hash, err := sketch.NewHasher(settings.HashKey)
	if err != nil {
		return nil, err
	}
	topic, err := sinks.EnsureTopic(ctx, o.Table, settings.Keys(), o.Topic)
	if err != nil {
		return nil, err
	}
	o.Settings.Fold, o.Settings.Sites, o.Settings.NewSites = sinks.FoldOf(settings.Format), checkpoint.SitesAny, 0
	c := &Counter{partitioner: kgo.StickyKeyPartitioner(nil).ForTopic(o.Topic)}
	c.filling, c.handfuls.New = make([]*handful, o.Partitions), func() any { return new(handful) }
	ctx, c.stop = context.WithCancel(ctx)
	c.running, c.failed = errgroup.WithContext(ctx)
	for n := range o.Partitions {
		p := newPartition(&o, settings, sinks.TP{Topic: topic, Partition: int32(n)}, hash)
		p.handfuls = &c.handfuls
		if err := p.acquire(ctx); err != nil {
			c.Stop()
			return nil, err
		}
		c.partitions = append(c.partitions, p)
		c.running.Go(func() error {
			if err := p.run(c.failed); err != nil {
				return fmt.Errorf("partition %d: %w", n, err)
			}
			return nil
		})
	}
	return c, nil
}

// Add counts a record, in the partition that Kafka's own producers choose for its key. The record's bytes are the caller's again then.
func (c *Counter) Add(r Record) error {
	c.keyed.Key = r.Key
	n := c.partitioner.Partition(&c.keyed, len(c.partitions))
	h := c.filling[n]
	if h == nil {
		h = c.handfuls.Get().(*handful)
		c.filling[n] = h
	}
	h.add(r, c.added)
	c.added++
	if len(h.raws) < decoding.ChunkRecords {
		return nil
	}
	return c.hand(n)
}

// hand hands a partition the records that wait for it.
func (c *Counter) hand(n int) error {
	if c.filling[n] == nil {
		return nil
	}
	select {
	case c.partitions[n].records <- c.filling[n]:
	case <-c.failed.Done():
		return c.running.Wait()
	}
	c.filling[n] = nil
	return nil
}

// Flush returns what became of all that was added, once it is in the table.
func (c *Counter) Flush() (out Outcome, err error) {
	for n, p := range c.partitions {
		if err = c.hand(n); err != nil {
			return out, err
		}
		select {
		case p.records <- nil:
		case <-c.failed.Done():
			return out, c.running.Wait()
		}
	}
	for _, p := range c.partitions {
		select {
		case <-p.flushed:
			out.add(&p.outcome)
		case <-c.failed.Done():
			return out, c.running.Wait()
		}
	}
	slices.SortFunc(out.FirstRejected, func(a, b Rejection) int { return cmp.Compare(a.Added, b.Added) })
	out.FirstRejected = out.FirstRejected[:min(len(out.FirstRejected), MaxListed)]
	return out, nil
}

// Stop ends the count where it is. Once it returns, nothing uses the table any more. After Close there is nothing to end.
func (c *Counter) Stop() {
	c.stop()
	_ = c.running.Wait() // Add or Close has returned the error.
}

// Close counts what is left, and returns once all is in the table.
func (c *Counter) Close() (out Outcome, err error) {
	if out, err = c.Flush(); err != nil {
		return out, err
	}
	for _, p := range c.partitions {
		close(p.records)
	}
	return out, c.running.Wait()
}
