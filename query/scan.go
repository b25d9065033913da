package query

import (
	"cmp"
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// maxPage bounds how many items one request asks for, so that a fan-out of small pages stays small.
const maxPage = 500

// A head is a sequence with its next value in hand, for walks through several at once. The zero head has ended.
type head[T any] struct {
	value T
	ok    bool // there is a value; not before the first advance, nor at the end
	pull  func() (T, error, bool)
	end   func()
}

func headOf[T any](values iter.Seq2[T, error]) *head[T] {
	h := new(head[T])
	h.pull, h.end = iter.Pull2(values)
	return h
}

// advance takes the next value in hand.
func (h *head[T]) advance() (err error) {
	h.value, err, h.ok = h.pull()
	return err
}

// stop ends the sequence.
func (h *head[T]) stop() {
	if h.end != nil {
		h.end()
	}
}

// A scan walks the items of one partition key in order, a page of the store at a time.
type scan struct {
	raw   *rawScan // of raw events; nil: of items as they are
	q     sinks.Query
	items []sinks.Item // of the page in hand, those not yet taken
	units float64      // read units consumed so far
	end   bool         // the store has no more pages
}

// fill makes sure that the next item is in hand, or that there is none.
func (s *scan) fill(ctx context.Context, t *store) (err error) {
	if s.raw != nil {
		if len(s.items) == 0 && !s.end {
			s.items, s.end, err = s.raw.next(ctx, t)
			s.units = s.raw.units()
		}
		return err
	}
	if s.q.To != "" && s.q.From > s.q.To {
		s.end = true // A cursor at the end; stores refuse such bounds.
	}
	for len(s.items) == 0 && !s.end {
		page, err := t.query(ctx, s.q)
		if err != nil {
			return err
		}
		s.items, s.q.After, s.end = page.Items, page.Next, page.Next == ""
		s.units += page.Units
	}
	return nil
}

// A merge walks several partition keys at once in the order of their sort keys, those of equal items by their
// number. It is how a list that is spread over shards becomes one list again.
type merge struct {
	t       *store
	scans   []*scan
	keyAttr string                 // the attribute that holds the sort key
	order   func(sk string) string // the part of it that decides the order; nil: all of it
	desc    bool
	after   position // items up to here are skipped
}

// walk makes a merge over the partition keys, each asked as q says, that begins after a position. want is how many rows are wanted
// of all together.
func (t *store) walk(q sinks.Query, want int, after position, pks ...string) *merge {
	m := &merge{t: t, keyAttr: sinks.AttrSK, desc: q.Desc, after: after}
	if q.Index == sinks.GSI1 {
		m.keyAttr = sinks.AttrGSI1SK
	}
	switch {
	case after.start():
	case q.Desc && q.To == "":
		q.To = after.Key
	case q.Desc:
		q.To = min(q.To, after.Key)
	default:
		q.From = max(q.From, after.Key)
	}
	// Hashes spread a list evenly; twice a shard's share makes a second request rare. One item more than is wanted
	// shows whether there is another page.
	q.Limit = min(maxPage, max(16, 2*want/len(pks))+1)
	if len(pks) == 1 {
		q.Limit = min(maxPage, want+1)
	}
	for _, pk := range pks {
		q.PK = pk
		m.scans = append(m.scans, &scan{q: q})
	}
	return m
}

// rawEvents makes a walk that has not begun one over raw events, in shards. skip says which packs have nothing that is asked for; nil:
// none.
func (m *merge) rawEvents(kinds rawKinds, skip func(sinks.Item) bool) {
	for _, s := range m.scans {
		s.raw = newRawScan(s.q, kinds, skip)
	}
}

// A listed item is one that a walk found.
type listed struct {
	sinks.Item
	at position
}

// all yields the items in order.
func (m *merge) all(ctx context.Context) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		for {
			least, at, err := m.least(ctx)
			if err != nil {
				yield(listed{}, err)
			}
			if least == nil || err != nil {
				return
			}
			it := least.items[0]
			least.items = least.items[1:]
			if !m.after.start() && m.compare(at, m.after) <= 0 {
				continue
			}
			if !yield(listed{it, at}, nil) {
				return
			}
		}
	}
}

// units returns the read units that the walk has consumed so far.
func (m *merge) units() (sum float64) {
	for _, s := range m.scans {
		sum += s.units
	}
	return sum
}

// least returns the scan whose next item is the first in order, nil at the end.
func (m *merge) least(ctx context.Context) (least *scan, pos position, err error) {
	if err := m.fill(ctx); err != nil {
		return nil, position{}, err
	}
	for n, s := range m.scans {
		if len(s.items) == 0 {
			continue
		}
		if p := (position{m.keyOf(s.items[0]), n}); least == nil || m.compare(p, pos) < 0 {
			least, pos = s, p
		}
	}
	return least, pos, nil
}

// keyOf returns what orders an item.
func (m *merge) keyOf(it sinks.Item) string {
	sk := it[m.keyAttr].Str()
	if m.order != nil {
		return m.order(sk)
	}
	return sk
}

// fill puts the next item of every scan in hand.
func (m *merge) fill(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for _, s := range m.scans {
		if len(s.items) == 0 && !s.end {
			group.Go(func() error { return s.fill(ctx, m.t) })
		}
	}
	return group.Wait()
}

// compare orders positions as the walk meets them.
func (m *merge) compare(a, b position) int {
	c := cmp.Compare(a.Key, b.Key)
	if m.desc {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a.N, b.N))
}

// A page is what collect took from a walk.
type page struct {
	items   []sinks.Item
	expired int      // items left out since their time to live has passed
	last    position // of the last item taken or left out
	more    bool     // there may be another item after last
}

// collect takes the first items of the walk that have not expired and that keep accepts, until it has limit of
// them and knows that there is another, or until the walk ends. Passing over too many ends the page early.
func (m *merge) collect(ctx context.Context, limit int, keep func(sinks.Item) bool) (p page, err error) {
	scanned := 0
	for it, err := range m.all(ctx) {
		if err != nil {
			return p, err
		}
		expired := m.t.expired(it.Item)
		wanted := !expired && keep(it.Item)
		if wanted && len(p.items) == limit || scanned == maxScanned {
			p.more = true
			return p, nil
		}
		scanned++
		p.last = it.at
		if expired {
			p.expired++
		}
		if wanted {
			p.items = append(p.items, it.Item)
		}
	}
	return p, nil
}

// definitions reads a page of a list of definitions, such as goals, which never expire.
func definitions[T any](ctx context.Context, walk *merge, list listing, keep func(sinks.Item) bool,
	read func(sinks.Item) (T, error)) (rows []T, cursor string, err error) {
	found, err := walk.collect(ctx, list.limit, keep)
	if err != nil {
		return nil, "", err
	}
	rows = []T{}
	for _, it := range found.items {
		row, err := read(it)
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, row)
	}
	if found.more {
		cursor = list.next(found.last, calendar.Span{})
	}
	return rows, cursor, nil
}

// all accepts every item.
func all(sinks.Item) bool { return true }
