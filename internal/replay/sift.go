package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// sift returns the entry if a record of the failed-events topic is one to publish. It counts the others.
func (r *run) sift(ctx context.Context, p *position, k *kgo.Record, chosen selection, next map[class]int64) (*entry, error) {
	e, err := readEntry(k)
	switch {
	case err != nil:
		r.sum.pass("", Unreadable)
	case e.topic != r.o.Topic:
		r.sum.pass(e.class.Reason, OtherTopic)
	case !chosen.takes(e.class):
		if k.Offset >= next[e.class] {
			r.sum.pass(e.class.Reason, chosen.why(e.class))
		}
	case k.Offset < next[e.class]: // Another class has not come as far as this one.
	case e.truncated:
		r.sum.pass(e.class.Reason, Truncated)
	case e.lacking && r.mapped(e.source.Partition):
		r.sum.pass(e.class.Reason, LacksHeaders)
	case e.time < chosen.From:
		r.sum.pass(e.class.Reason, TooOld)
	default:
		return r.judge(ctx, p, e)
	}
	return nil, nil
}

// judge returns the entry if the chain has rejected its record, and counts it if not, or if it is there a second time.
func (r *run) judge(ctx context.Context, p *position, e *entry) (*entry, error) {
	why, err := r.fate(ctx, e)
	if err != nil {
		return nil, err
	}
	p.waits = p.waits || why == NotDecided
	switch {
	case p.waits: // Not seen: the next run meets it again, or finds it repeated elsewhere.
		r.sum.pass(e.class.Reason, NotDecided)
	case why == LeftBehind: // Not seen: the step's own entry is another.
		r.sum.pass(e.class.Reason, why)
	case !r.seen.add(e.source):
		r.sum.pass(e.class.Reason, Repeated)
	case why != "":
		r.sum.pass(e.class.Reason, why)
	default:
		return e, nil
	}
	return nil, nil
}

// fate returns why the record of an entry may not be published, "" if it may. An entry is published before its record's step begins. A
// process that ends in between leaves the entry on the topic, and the next process may begin the step under settings that accept the
// record. If settings or rules of sites decide, fate judges the record again under those of its step. A step keeps them once it has
// begun, so every run decides the same. The exception is a gap that is accepted in between: none of its records is published.
func (r *run) fate(ctx context.Context, e *entry) (Skipped, error) {
	chain := r.chains[checkpoint.ChainID{Partition: e.source.Partition, Lane: checkpoint.LaneStats}]
	ofRecord := true // The reason follows from the record alone, unless a mapping has read it.
	switch e.class.Reason {
	case event.BadRecordTime, event.TooLate, event.TooEarly, event.UnknownSite, event.TooManySites, event.NotMapped, event.UnknownSchema:
		ofRecord = false
	}
	held, err := chain.HeldOf(e.source, r.topics.source.ID)
	switch {
	case errors.Is(err, checkpoint.ErrNotFolded):
		return NotDecided, nil
	case err != nil && ofRecord && !r.mapped(e.source.Partition):
		return "", nil
	case err != nil:
		return NotKnown, nil
	case ofRecord && (len(held.Settings.Maps) == 0 || e.class.Reason == event.Panicked):
		return "", nil // This release may read what the flush's could not.
	}
	decode, err := r.decoder(held.Settings.Maps, e.source.Offset)
	if err != nil {
		return NotKnown, nil
	}
	r.schemas.asFlushed(chain.Head.Known, held.Position)
	var decoded event.Event
	if reason, _ := decode(e.rejected(), &decoded); reason == event.Accepted {
		site := string(decoded.SiteID)
		if held.Rev <= r.rules.Rev() && r.rules.At(r.rules.Rev()).Purged(site) > r.viewOf(held).Counted() {
			return Purged, nil
		}
		if held.Settings.Judge(&decoded, e.time) == event.Accepted {
			if why, err := r.siteCounts(ctx, site, e.source.Partition, held); why != "" || err != nil {
				return why, err
			}
		}
	}
	// The step has an entry of its own, or has found a repetition, which has none.
	if e.window != "" && e.window != held.Settings.Duplicates.Text() {
		return LeftBehind, nil
	}
	return "", nil
}

// mapped reports whether a mapping may have read the records of a partition, or may read them once they are published.
func (r *run) mapped(partition int32) bool {
	if r.o.Settings != nil && len(r.o.Settings.Maps) > 0 {
		return true
	}
	chain := r.chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	return len(checkpoint.RecordedMaps(chain.Head.Ver)) > 0 || slices.ContainsFunc(chain.History, func(h checkpoint.History) bool {
		return len(checkpoint.RecordedMaps(h.Ver)) > 0
	})
}

// lookFor finds out which entries of an open batch are in the source topic. A batch is one transaction: if one of its entries is
// there, all are.
func (r *run) lookFor(ctx context.Context, p *position, entries []*entry) (map[event.Source]bool, error) {
	wanted := make(map[string]event.Source)
	for _, e := range entries {
		wanted[e.source.String()] = e.source
		if _, ok := p.ends[e.source.Partition]; !ok {
			return nil, p.lacksEnd(e.source.Partition)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	there, gone, err := r.publishedAfter(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	switch {
	case gone == "":
		return there, nil
	case len(there) > 0 || r.o.Open == Published:
		for _, e := range entries {
			there[e.source] = true
		}
		return there, nil
	case r.o.Open == Unpublished:
		return there, nil
	}
	return nil, fmt.Errorf("an earlier run ended while it published %d entries, offsets [%d,%d) of partition %d of topic %q. It is no "+
		"longer known whether they were published: %s. Decide with --open published, which leaves them out, or with --open unpublished, "+
		"which publishes them", len(entries), p.from, p.to, p.partition, r.o.Failed, gone)
}

// publishedAfter returns which of the wanted records are in the source topic after the ends that the open batch noted. gone says why a
// record that is not found may have been there; "": it was not.
func (r *run) publishedAfter(ctx context.Context, p *position, wanted map[string]event.Source) (there map[event.Source]bool, gone string,
	err error) {
	there = make(map[event.Source]bool)
	if p.sourceID != r.topics.source.HexID() {
		return there, fmt.Sprintf("topic %q was created again since", r.o.Topic), nil
	}
	now, err := r.topics.source.list(ctx)
	if err != nil {
		return nil, "", err
	}
	for partition, end := range p.ends {
		s := now[partition]
		switch {
		case end > s.to:
			gone = fmt.Sprintf("partition %d of topic %q ends at offset %d, and the batch would begin at %d", partition, r.o.Topic, s.to, end)
		case end < s.from:
			gone = fmt.Sprintf("partition %d of topic %q begins at offset %d by now, and the batch would begin at %d", partition, r.o.Topic, s.from,
				end)
		}
		err := r.topics.source.read(ctx, partition, span{max(end, s.from), s.to}, func(k *kgo.Record) error {
			for _, h := range k.Headers {
				if source, ok := wanted[string(h.Value)]; ok && h.Key == event.HeaderSource {
					there[source] = true
				}
			}
			return nil
		})
		if err != nil {
			return nil, "", err
		}
	}
	return there, gone, nil
}
