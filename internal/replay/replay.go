package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Run replays, and returns what became of the entries up to where it came, with or without an error. An error that wraps
// ErrFenced reports that another run has begun. Running it again is always safe.
func Run(ctx context.Context, o Options) (*Summary, error) {
	if o.Failed == "" {
		o.Failed = o.Topic + ".failed"
	}
	r := &run{o: o, sum: newSummary(o), seen: make(seen), decoders: make(map[string]checkpoint.Decode)}
	if err := r.open(ctx); err != nil {
		return r.sum, err
	}
	defer r.topics.close()
	err := r.run(ctx)
	return r.sum, err
}

// run is one replay.
type run struct {
	o      Options
	sum    *Summary
	topics *topics
	out    *publisher // nil in a dry run
	parts  []*position
	chosen selection
	seen   seen
	read   int64
	total  int64

	chains checkpoint.ChainStates // as they were when the run began
	rules  *sites.Log             // as it was then
	number int64                  // of the topic, in the generation
	listed map[string]sinks.Item
	// decoders make events of values, by the text of their mapping.
	decoders map[string]checkpoint.Decode
	schemas  entrySchemas
}

// decoder returns what makes events of the records that a flush with these maps has at an offset.
func (r *run) decoder(maps checkpoint.Maps, offset int64) (checkpoint.Decode, error) {
	text := maps.At(offset)
	if d := r.decoders[text]; d != nil {
		return d, nil
	}
	d, err := maps.Decoder(offset, r.schemas.find)
	r.decoders[text] = d
	return d, err
}

func (r *run) open(ctx context.Context) (err error) {
	number, ok, err := sinks.LoadTopic(ctx, r.o.Table, r.o.Keys, r.o.Topic)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("the table knows no topic %q: no pipeline has folded it into this table: name the table that one does (--table)",
			r.o.Topic)
	}
	if r.topics, err = openTopics(ctx, r.o); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.topics.close()
		}
	}()
	if r.chains, err = checkpoint.LoadChains(ctx, r.o.Table, r.o.Keys, number); err != nil {
		return err
	}
	if err = r.schemas.load(ctx, r.o, r.chains); err != nil {
		return err
	}
	if r.rules, err = sites.ReadLog(ctx, r.o.Table, r.o.Keys, nil); err != nil { // After the chains, which name revisions.
		return err
	}
	r.number, r.listed = number, make(map[string]sinks.Item)
	r.chosen = newSelection(r.o)
	first, err := r.firstNumber(ctx)
	if err != nil {
		return err
	}
	for p, s := range r.topics.failed.spans {
		if s.to == 0 {
			continue // There was never an entry.
		}
		key := r.o.Keys.Replay(sinks.TP{Topic: first, Partition: p}, r.o.Failed)
		r.parts = append(r.parts, newPosition(r.o, key, p, r.topics))
	}
	slices.SortFunc(r.parts, func(a, b *position) int { return int(a.partition) - int(b.partition) })
	return nil
}

// firstNumber returns the topic's number in the first generation of items, under which positions are kept whichever generation is live. A
// topic that was first counted into a later one is given such a number; in a dry run it has none, and no positions.
func (r *run) firstNumber(ctx context.Context) (int64, error) {
	switch {
	case r.o.Keys == sinks.Keys{}:
		return r.number, nil
	case r.o.DryRun:
		n, _, err := sinks.LoadTopic(ctx, r.o.Table, sinks.Keys{}, r.o.Topic)
		return n, err
	}
	return sinks.EnsureTopic(ctx, r.o.Table, sinks.Keys{}, r.o.Topic)
}

func (r *run) run(ctx context.Context) error {
	for _, p := range r.parts {
		take := p.takeOver
		if r.o.DryRun {
			take = p.look
		}
		if err := take(ctx); err != nil {
			return err
		}
	}
	if err := r.remember(ctx); err != nil {
		return err
	}
	if !r.o.DryRun {
		var err error
		if r.out, err = newPublisher(ctx, r.o); err != nil {
			return err
		}
		defer r.out.client.Close()
		// Before anything new is begun, so that at any time one batch at most is open, and the set of what is seen is
		// as it was when it was begun.
		for _, p := range r.parts {
			if err := r.complete(ctx, p); err != nil {
				return err
			}
		}
	}
	if r.o.Again {
		r.seen = make(seen)
		for _, p := range r.parts { // All of them before the first entry, or a run that is killed would forget some.
			if err := p.restart(ctx, r.chosen, r.o.DryRun); err != nil {
				return err
			}
		}
		if err := r.remember(ctx); err != nil {
			return err
		}
	}
	for _, p := range r.parts {
		r.total += max(0, p.span.to-max(p.span.from, p.start(r.chosen)))
	}
	for _, p := range r.parts {
		if r.full(0) {
			return nil
		}
		if err := r.replay(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// remember fills the set of what the positions have passed.
func (r *run) remember(ctx context.Context) error {
	for _, p := range r.parts {
		err := r.topics.failed.read(ctx, p.partition, span{p.span.from, p.furthest()}, func(k *kgo.Record) error {
			e, err := readEntry(k)
			// One that was cut may come again as a whole: a step is done again after the topic's limit was raised.
			if err == nil && e.topic == r.o.Topic && !e.truncated && k.Offset < p.next[e.class] {
				why, err := r.fate(ctx, e)
				if err != nil {
					return err
				}
				if why != LeftBehind {
					r.seen.add(e.source)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Batches are small enough that the pipeline's reader, which waits for the end of a transaction, does not wait long.
const (
	batchRecords = 100
	batchBytes   = 4 << 20
)

// replay continues a partition of the failed-events topic at its position.
func (r *run) replay(ctx context.Context, p *position) error {
	var b batch
	b.from = max(p.span.from, p.start(r.chosen))
	flush := func(to int64) error {
		b.to = to
		err := r.flush(ctx, p, &b)
		b = batch{from: to}
		return err
	}
	err := r.topics.failed.read(ctx, p.partition, span{b.from, p.span.to}, func(k *kgo.Record) error {
		r.progress()
		waited := p.waits
		e, err := r.sift(ctx, p, k, r.chosen, p.next)
		if err != nil {
			return err
		}
		if e != nil {
			b.add(e)
		}
		switch {
		case waited: // The rest is only counted.
			return nil
		case p.waits:
			return flush(k.Offset)
		case r.full(len(b.entries)):
			if err := flush(k.Offset + 1); err != nil {
				return err
			}
			return errEnough
		case len(b.entries) >= batchRecords || b.bytes >= batchBytes:
			return flush(k.Offset + 1)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err == nil && !p.waits {
		err = flush(p.span.to)
	}
	return err
}

// errEnough ends a read at the limit.
var errEnough = errors.New("enough")

// full reports whether what was published, and what waits to be, reach the limit.
func (r *run) full(waiting int) bool {
	return r.o.Limit > 0 && r.sum.Published+int64(waiting) >= r.o.Limit
}

// batch is what one transaction publishes: the entries of a span of a partition of the failed-events topic.
type batch struct {
	from, to int64
	entries  []*entry
	bytes    int
}

func (b *batch) add(e *entry) {
	b.entries = append(b.entries, e)
	b.bytes += len(e.key) + len(e.value)
}

// flush publishes a batch and moves the position past it.
func (r *run) flush(ctx context.Context, p *position, b *batch) error {
	if len(b.entries) == 0 {
		if r.o.DryRun {
			return nil
		}
		return p.pass(ctx, r.chosen, b.to)
	}
	if ctx.Err() != nil { // What has begun is ended, and nothing more is begun.
		return context.Cause(ctx)
	}
	for _, e := range b.entries {
		if err := r.topics.accepts(e); err != nil {
			return fmt.Errorf("entry at offset %d of partition %d of topic %q: %w", e.offset, p.partition, r.o.Failed, err)
		}
	}
	if !r.o.DryRun {
		ends, err := r.topics.endsOf(ctx, b.entries)
		if err != nil {
			return err
		}
		if err := p.intend(ctx, r.chosen, b.from, b.to, ends); err != nil {
			return err
		}
		if err := r.out.publish(ctx, b.entries); err != nil {
			return err
		}
		if err := p.settle(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	r.sum.published(b.entries)
	r.predict(ctx, b.entries)
	return nil
}

// complete does what is left of a batch that an earlier run has begun.
func (r *run) complete(ctx context.Context, p *position) error {
	if p.done {
		return nil
	}
	var open batch
	summed := r.sum
	r.sum = newSummary(r.o) // What the batch passed over was counted by the run that began it.
	err := r.topics.failed.read(ctx, p.partition, span{max(p.from, p.span.from), p.to}, func(k *kgo.Record) error {
		e, err := r.sift(ctx, p, k, p.chosen, p.next)
		if e != nil {
			open.add(e)
		}
		return err
	})
	r.sum = summed
	if err != nil {
		return err
	}
	there, err := r.lookFor(ctx, p, open.entries)
	if err != nil {
		return err
	}
	var missing []*entry
	for _, e := range open.entries {
		if !there[e.source] {
			missing = append(missing, e)
		}
	}
	if len(missing) > 0 {
		if err := r.out.publish(ctx, missing); err != nil {
			return err
		}
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	r.sum.Found += int64(len(open.entries) - len(missing))
	r.sum.published(missing)
	r.predict(ctx, missing)
	return nil
}

func (r *run) progress() {
	r.read++
	if r.o.Progress != nil {
		r.o.Progress(r.read, r.total)
	}
}
