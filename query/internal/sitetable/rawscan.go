package sitetable

import (
	"context"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/sinks"
)

// A RawScan reads the raw events of one shard, those that are items and those in packs, as if all were items. Of copies of an event,
// which have its ULID, it yields the one whose record comes first by topic, partition and offset: in packs a repetition beyond the
// window of duplicates and a change of mode leave more than one.
type RawScan struct {
	Items   Pages // raw events that are items
	Packs   Pages
	desc    bool
	decoder pack.Decoder
	skip    func(sinks.Item) bool // says which packs have nothing that is asked for; nil: none

	from, to string       // bounds of the sort keys of events
	open     []sinks.Item // events of packs that were unpacked, not yet taken, in order
	ready    int          // of these, how many no later pack precedes
}

// Pages is a query whose pages are taken one after the other.
type Pages struct {
	Q     sinks.Query
	items []sinks.Item
	End   bool
	units float64
}

// fill makes sure that an item is in hand, or that there is none.
func (p *Pages) fill(ctx context.Context, t *Store) error {
	if p.Q.To != "" && p.Q.From > p.Q.To {
		p.End = true // A cursor at the end; stores refuse such bounds.
	}
	for len(p.items) == 0 && !p.End {
		page, err := t.Query(ctx, p.Q)
		if err != nil {
			return err
		}
		p.items, p.Q.After, p.End = page.Items, page.Next, page.Next == ""
		p.units += page.Units
	}
	return nil
}

// NewRawScan makes the scan of a shard. The query's bounds are sort keys of raw events.
func NewRawScan(q sinks.Query, kinds RawKinds, skip func(sinks.Item) bool) *RawScan {
	s := &RawScan{Items: Pages{Q: q}, desc: q.Desc, skip: skip, from: q.From, to: q.To}
	q.From = pack.From(timeOf(q.From))
	q.To = sinks.PackPrefix + strings.TrimPrefix(q.To, sinks.EventPrefix) + "~"
	q.Limit = max(4, q.Limit/50)
	s.Packs.Q = q
	s.Items.End, s.Packs.End = !kinds.Items, !kinds.Packs
	return s
}

// timeOf returns the event time in the sort key of a raw event.
func timeOf(sk string) int64 {
	id, err := ulid.ParseStrict(strings.TrimPrefix(sk, sinks.EventPrefix))
	if err != nil {
		return 0 // A cursor that was made by hand: the range begins earlier than it must.
	}
	return int64(id.Time())
}

// next returns the next events in order, at least one unless the scan has ended.
func (s *RawScan) next(ctx context.Context, t *Store) (events []sinks.Item, end bool, err error) {
	for len(events) == 0 {
		if err := s.Items.fill(ctx, t); err != nil {
			return nil, false, err
		}
		if err := s.unpack(ctx, t); err != nil {
			return nil, false, err
		}
		if len(s.Items.items) == 0 && s.ready == 0 {
			return nil, true, nil
		}
		events = s.merge()
	}
	return events, false, nil
}

// merge takes events until either source has to be asked for more.
func (s *RawScan) merge() (events []sinks.Item) {
	items := &s.Items
	for {
		item, packed := len(items.items) > 0, s.ready > 0
		if !item && !items.End || !packed && !s.drained() || !item && !packed {
			return events
		}
		var it sinks.Item
		switch c := s.compareHeads(); {
		case c < 0:
			it, items.items = items.items[0], items.items[1:]
		case c > 0:
			it = s.takePacked()
		default:
			it, items.items = items.items[0], items.items[1:]
			if other := s.takePacked(); pack.Compare(other, it) <= 0 { // Of one record, the pack has what its flush makes of it.
				it = other
			}
		}
		events = append(events, it)
	}
}

// compareHeads compares the next item with the next event of a pack, in the order of the scan.
func (s *RawScan) compareHeads() int {
	switch {
	case s.ready == 0:
		return -1
	case len(s.Items.items) == 0:
		return 1
	}
	c := strings.Compare(s.Items.items[0][sinks.AttrSK].Str(), s.open[0][sinks.AttrSK].Str())
	if s.desc {
		c = -c
	}
	return c
}

// takePacked takes the next event of the packs, and drops its copies.
func (s *RawScan) takePacked() sinks.Item {
	n := 1
	for n < s.ready && s.open[n][sinks.AttrSK].Str() == s.open[0][sinks.AttrSK].Str() {
		n++
	}
	it := s.open[0]
	s.open, s.ready = s.open[n:], s.ready-n
	return it
}

// drained reports whether all events of packs were taken.
func (s *RawScan) drained() bool {
	return s.Packs.End && len(s.Packs.items) == 0 && len(s.open) == 0
}

// unpack unpacks packs until an event is ready, or all are taken.
func (s *RawScan) unpack(ctx context.Context, t *Store) error {
	for s.ready == 0 {
		if err := s.Packs.fill(ctx, t); err != nil {
			return err
		}
		if s.ready = s.before(); s.ready > 0 || len(s.Packs.items) == 0 {
			return nil
		}
		it := s.Packs.items[0]
		s.Packs.items = s.Packs.items[1:]
		if s.skip != nil && s.skip(it) {
			continue
		}
		p, err := s.decoder.Read(it)
		if err != nil {
			return err
		}
		for _, e := range p.Items() {
			if sk := e[sinks.AttrSK].Str(); s.from <= sk && sk <= s.to {
				s.open = append(s.open, e)
			}
		}
		slices.SortFunc(s.open, s.compare)
	}
	return nil
}

// compare orders events of packs as the scan meets them. Copies are in the order of the log either way.
func (s *RawScan) compare(a, b sinks.Item) int {
	c := strings.Compare(a[sinks.AttrSK].Str(), b[sinks.AttrSK].Str())
	if s.desc {
		c = -c
	}
	if c == 0 {
		c = pack.Compare(a, b)
	}
	return c
}

// before returns how many of the open events no event of a later pack precedes.
func (s *RawScan) before() int {
	if len(s.Packs.items) == 0 {
		return len(s.open)
	}
	first := sinks.EventPrefix + s.Packs.items[0][sinks.AttrSK].Str()[len(sinks.PackPrefix):][:ulid.EncodedSize]
	for n, it := range s.open {
		if sk := it[sinks.AttrSK].Str(); !s.desc && sk >= first || s.desc && timeOf(sk) < timeOf(first)+pack.Reach {
			return n
		}
	}
	return len(s.open)
}

func (s *RawScan) units() float64 { return s.Items.units + s.Packs.units }
