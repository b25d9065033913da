package sitetable

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A Head is a sequence with its next value in hand, for walks through several at once. The zero head has ended.
type Head[T any] struct {
	Value T
	Ok    bool // there is a value; not before the first advance, nor at the end
	pull  func() (T, error, bool)
	end   func()
}

// HeadOf makes a Head of a sequence; nothing is in hand yet.
func HeadOf[T any](values iter.Seq2[T, error]) *Head[T] {
	h := new(Head[T])
	h.pull, h.end = iter.Pull2(values)
	return h
}

// Advance takes the next value in hand.
func (h *Head[T]) Advance() (err error) {
	h.Value, err, h.Ok = h.pull()
	return err
}

// Stop ends the sequence.
func (h *Head[T]) Stop() {
	if h.end != nil {
		h.end()
	}
}

// A Scan walks the items of one partition key in order, a page of the store at a time.
type Scan struct {
	raw   *RawScan // of raw events; nil: of items as they are
	Q     sinks.Query
	items []sinks.Item // of the page in hand, those not yet taken
	units float64      // read units consumed so far
	end   bool         // the store has no more pages
}

// fill makes sure that the next item is in hand, or that there is none.
func (s *Scan) fill(ctx context.Context, t *Store) (err error) {
	if s.raw != nil {
		if len(s.items) == 0 && !s.end {
			s.items, s.end, err = s.raw.next(ctx, t)
			s.units = s.raw.units()
		}
		return err
	}
	if s.Q.To != "" && s.Q.From > s.Q.To {
		s.end = true // A cursor at the end; stores refuse such bounds.
	}
	for len(s.items) == 0 && !s.end {
		page, err := t.Query(ctx, s.Q)
		if err != nil {
			return err
		}
		s.items, s.Q.After, s.end = page.Items, page.Next, page.Next == ""
		s.units += page.Units
	}
	return nil
}

// A Merge walks several partition keys at once in the order of their sort keys, those of equal items by their
// number. It is how a list that is spread over shards becomes one list again.
type Merge struct {
	T       *Store
	Scans   []*Scan
	KeyAttr string                 // the attribute that holds the sort key
	Order   func(sk string) string // the part of it that decides the order; nil: all of it
	Desc    bool
	after   Position // items up to here are skipped

	same func(a, b sinks.Item) bool // items of one sort key that are one; nil: none are
	met  []sinks.Item               // with same: the items of the present sort key
}

// Distinct makes a walk that has not begun one that passes over an item which is the same as another with its sort key, in another shard.
func (m *Merge) Distinct(same func(a, b sinks.Item) bool) { m.same = same }

// repeats reports whether an item is the same as one before it.
func (m *Merge) repeats(it sinks.Item) bool {
	if m.same == nil {
		return false
	}
	if len(m.met) > 0 && m.keyOf(m.met[0]) != m.keyOf(it) {
		m.met = m.met[:0]
	}
	if slices.ContainsFunc(m.met, func(before sinks.Item) bool { return m.same(before, it) }) {
		return true
	}
	m.met = append(m.met, it)
	return false
}

// Walk makes a merge over the partition keys, each asked as q says, that begins after a position. want is how many rows are wanted
// of all together.
func (t *Store) Walk(q sinks.Query, want int, after Position, pks ...string) *Merge {
	m := &Merge{T: t, KeyAttr: sinks.AttrSK, Desc: q.Desc, after: after}
	if q.Index == sinks.GSI1 {
		m.KeyAttr = sinks.AttrGSI1SK
	}
	switch {
	case after.Start():
	case q.Desc && q.To == "":
		q.To = after.Key
	case q.Desc:
		q.To = min(q.To, after.Key)
	default:
		q.From = max(q.From, after.Key)
	}
	// Hashes spread a list evenly; twice a shard's share makes a second request rare. One item more than is wanted
	// shows whether there is another page.
	q.Limit = min(MaxPage, max(16, 2*want/len(pks))+1)
	if len(pks) == 1 {
		q.Limit = min(MaxPage, want+1)
	}
	for _, pk := range pks {
		q.PK = pk
		m.Scans = append(m.Scans, &Scan{Q: q})
	}
	return m
}

// RawEvents makes a walk that has not begun one over raw events, in shards. skip says which packs have nothing that is asked for; nil:
// none.
func (m *Merge) RawEvents(kinds RawKinds, skip func(sinks.Item) bool) {
	for _, s := range m.Scans {
		s.raw = NewRawScan(s.Q, kinds, skip)
	}
}

// A Listed item is one that a walk found.
type Listed struct {
	sinks.Item
	At Position
}

// All yields the items in order.
func (m *Merge) All(ctx context.Context) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		for {
			least, at, err := m.least(ctx)
			if err != nil {
				yield(Listed{}, err)
			}
			if least == nil || err != nil {
				return
			}
			it := least.items[0]
			least.items = least.items[1:]
			repeats := m.repeats(it) // Also of one that the page before ended with.
			if repeats || !m.after.Start() && m.compare(at, m.after) <= 0 {
				continue
			}
			if !yield(Listed{it, at}, nil) {
				return
			}
		}
	}
}

// Units returns the read units that the walk has consumed so far.
func (m *Merge) Units() (sum float64) {
	for _, s := range m.Scans {
		sum += s.units
	}
	return sum
}

// least returns the scan whose next item is the first in order, nil at the end.
func (m *Merge) least(ctx context.Context) (least *Scan, pos Position, err error) {
	if err := m.fill(ctx); err != nil {
		return nil, Position{}, err
	}
	for n, s := range m.Scans {
		if len(s.items) == 0 {
			continue
		}
		if p := (Position{m.keyOf(s.items[0]), n}); least == nil || m.compare(p, pos) < 0 {
			least, pos = s, p
		}
	}
	return least, pos, nil
}

// keyOf returns what orders an item.
func (m *Merge) keyOf(it sinks.Item) string {
	sk := it[m.KeyAttr].Str()
	if m.Order != nil {
		return m.Order(sk)
	}
	return sk
}

// fill puts the next item of every scan in hand.
func (m *Merge) fill(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(FanOut)
	for _, s := range m.Scans {
		if len(s.items) == 0 && !s.end {
			group.Go(func() error { return s.fill(ctx, m.T) })
		}
	}
	return group.Wait()
}

// compare orders positions as the walk meets them.
func (m *Merge) compare(a, b Position) int {
	c := cmp.Compare(a.Key, b.Key)
	if m.Desc {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a.N, b.N))
}

// A Page is what collect took from a walk.
type Page struct {
	Items   []sinks.Item
	Expired int      // items left out since their time to live has passed
	Last    Position // of the last item taken or left out
	More    bool     // there may be another item after last
}

// Collect takes the first items of the walk that have not expired and that keep accepts, until it has limit of
// them and knows that there is another, or until the walk ends. Passing over too many ends the page early.
func (m *Merge) Collect(ctx context.Context, limit int, keep func(sinks.Item) bool) (p Page, err error) {
	scanned := 0
	for it, err := range m.All(ctx) {
		if err != nil {
			return p, err
		}
		expired := m.T.Expired(it.Item)
		wanted := !expired && keep(it.Item)
		if wanted && len(p.Items) == limit || scanned == MaxScanned {
			p.More = true
			return p, nil
		}
		scanned++
		p.Last = it.At
		if expired {
			p.Expired++
		}
		if wanted {
			p.Items = append(p.Items, it.Item)
		}
	}
	return p, nil
}

// Definitions reads a page of a list of definitions, such as goals, which never expire. s is the range of the list; the zero span: it has
// none.
func Definitions[T any](ctx context.Context, walk *Merge, list Listing, s calendar.Span, keep func(sinks.Item) bool,
	read func(sinks.Item) (T, error)) (rows []T, cursor string, err error) {
	found, err := walk.Collect(ctx, list.Limit, keep)
	if err != nil {
		return nil, "", err
	}
	rows = []T{}
	for _, it := range found.Items {
		row, err := read(it)
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, row)
	}
	if found.More {
		cursor = list.Next(found.Last, s)
	}
	return rows, cursor, nil
}

// EveryItem accepts every item.
func EveryItem(sinks.Item) bool { return true }
