package rulebook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// Rules of sites come in revisions, which all workers of a process learn of through one book. A lane's step is folded under
// the revision that was the latest when its first record came, and names it; a redo is folded under the one that its step
// names. So what a record comes to depends on when a rule was learnt only through a number that is in the chain.

// Book is a process's copy of the log of rules. Safe for concurrent use.
type Book struct {
	send *requests.Sender

	Known     atomic.Pointer[sites.Log]
	refreshed atomic.Int64 // the instant of the last answer; 0: none yet

	turn chan struct{} // holds one while the log is being read: by one goroutine at a time
}

// New makes an empty book. Refresh fills it.
func New(send *requests.Sender) *Book {
	return &Book{send: send, turn: make(chan struct{}, 1)}
}

const (
	// rulesEvery is how often the log is polled, which is the least read if there is nothing new. A revision is known within 30 seconds.
	rulesEvery = 15 * time.Second
	// rulesStale is how long a process may continue without an answer. What is decided holds from 24 hours ahead: twelve of
	// them are left to those that write raw events under the rules before.
	rulesStale = 12 * time.Hour
)

// Latest returns all that is known.
func (b *Book) Latest() *sites.Log { return b.Known.Load() }

// Refresh reads what was appended since.
func (b *Book) Refresh(ctx context.Context, p *requests.Pulse) error {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := b.send.Send(ctx, p, "read the site settings", func() error {
		log, err := sites.ReadLog(ctx, b.send.Table, sinks.Keys{}, b.Known.Load())
		if err == nil {
			b.Known.Store(log)
		}
		return err
	})
	if err == nil {
		b.refreshed.Store(requests.Instant(time.Now()))
		b.send.Metrics.RulesRevision.Set(float64(b.Latest().Rev()))
	}
	return err
}

// publish makes what was decided about sites after rev visible to readers: the command that decided may have ended before it did.
// What they see already is looked at, and not written again.
func (b *Book) publish(ctx context.Context, log *sites.Log, rev int64) error {
	changes := make(map[sinks.Key]sites.Revision)
	for c := range log.Since(rev) {
		if !c.Rules.Empty() {
			changes[sinks.Keys{}.Metadata(c.Site)] = c
		}
	}
	for keys := range slices.Chunk(slices.Collect(maps.Keys(changes)), sinks.MaxBatchGet) {
		found, err := b.send.BatchGet(ctx, nil, keys)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if found[key][sinks.AttrRev].Int() >= changes[key].Rev {
				continue
			}
			err := b.send.Send(ctx, nil, "put a site's metadata", func() error {
				return sites.PublishSite(ctx, b.send.Table, sinks.Keys{}, changes[key].Site, log.History(changes[key].Site))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// At returns the rules as of a revision that a chain names, and reads on where it is not known yet.
func (b *Book) At(ctx context.Context, rev int64) (sites.View, error) {
	if b.Latest().Rev() < rev {
		if err := b.Refresh(ctx, nil); err != nil {
			return sites.View{}, err
		}
	}
	if have := b.Latest().Rev(); have < rev {
		return sites.View{}, fmt.Errorf("the last flush used revision %d of the site settings, and the table has %d: "+
			"%w: was the table restored, or a revision deleted? restore what belongs together", rev, have, checkpoint.ErrForeignTable)
	}
	return b.Latest().At(rev), nil
}

// First makes the first rules of a site known, which `site create` has listed. Where that was cut short before it decided any, a
// revision without rules says that the site is counted from now on: of two who append at once one is refused.
func (b *Book) First(ctx context.Context, p *requests.Pulse, site string) error {
	for len(b.Latest().History(site)) == 0 {
		if err := b.Refresh(ctx, p); err != nil {
			return err
		}
		log := b.Latest()
		if len(log.History(site)) > 0 {
			return nil
		}
		c := sites.Revision{At: time.Now().UnixMilli(), Site: site, Rules: new(sites.Rules)}
		err := b.send.Send(ctx, p, "append a revision of the site settings", func() error {
			_, err := sites.AppendLog(ctx, b.send.Table, sinks.Keys{}, log, c) // Behind this log alone: a later one may have the site's rules.
			return err
		})
		if err != nil && !errors.Is(err, sites.ErrBehind) {
			return err
		}
	}
	return nil
}

// Follow keeps the book up to date until ctx ends. It ends the process with fail when the log cannot be read at all, or has
// not been for too long.
func (b *Book) Follow(ctx context.Context, fail func(error)) {
	var reading sync.WaitGroup
	defer reading.Wait()
	busy := make(chan struct{}, 1)
	published := int64(0)
	tick := time.NewTicker(rulesEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			since := requests.Since(now, b.refreshed.Load())
			b.send.Metrics.RulesAge.Set(max(0, since.Seconds()))
			if since > rulesStale {
				fail(fmt.Errorf("the site settings could not be read for %v, since %s: newer settings may apply soon, and "+
					"this process would not know: see why the table does not answer queries of %q, and start again",
					since.Round(time.Second), now.Add(-since).UTC().Format(time.RFC3339), sinks.Keys{}.Rules(1).PK))
				return
			}
			select {
			case busy <- struct{}{}:
				reading.Go(func() {
					err := b.Refresh(ctx, nil)
					if log := b.Latest(); err == nil && log.Rev() > published {
						err = b.publish(ctx, log, published)
						published = log.Rev()
					}
					if err != nil && ctx.Err() == nil {
						fail(err)
					}
					<-busy
				})
			default: // The last read has not been answered.
			}
		case <-ctx.Done():
			return
		}
	}
}
