package memory

import (
	"encoding/binary"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/internal/localtable"
)

// The orders that rows are kept in, each in partitions: by key, by key in GSI1, and by expiry, which has one partition.
const (
	byKey    = int(sinks.Base)
	byIndex  = int(sinks.GSI1)
	byExpiry = byIndex + 1
	orders   = byExpiry + 1
)

// row is an item.
type row struct {
	places [orders]sinks.Key // the partition and what sorts it there, by order; zero: it has no place in the order
	attrs  []byte            // all attributes but pk and sk, encoded; no caller has a part of them
}

// expiryPlace is the place by expiry of a time to live.
func expiryPlace(ttl int64) sinks.Key {
	b := binary.BigEndian.AppendUint64(nil, uint64(ttl)^1<<63) // Sorted as text, negative numbers come first.
	return sinks.Key{PK: "expiry", SK: string(b)}
}

func placesOf(as sinks.Attrs) (places [orders]sinks.Key) {
	for i := range as {
		switch v := as[i].Value; as[i].Name {
		case sinks.AttrPK:
			places[byKey].PK = v.Str()
		case sinks.AttrSK:
			places[byKey].SK = v.Str()
		case sinks.AttrGSI1PK:
			places[byIndex].PK = v.Str()
		case sinks.AttrGSI1SK:
			places[byIndex].SK = v.Str()
		case sinks.AttrTTL:
			if v.Kind() == sinks.Number {
				places[byExpiry] = expiryPlace(v.Int())
			}
		}
	}
	if k := places[byIndex]; k.PK == "" || k.SK == "" {
		places[byIndex] = sinks.Key{}
	}
	return places
}

// compare orders the rows of a partition. Only a row and itself are equal.
func (r *row) compare(order int, with *row) int {
	if by := strings.Compare(r.places[order].SK, with.places[order].SK); by != 0 {
		return by
	}
	return r.places[byKey].Compare(with.places[byKey])
}

// item makes an item of the row, nil if the row is nil.
func (r *row) item() sinks.Item {
	if r == nil {
		return nil
	}
	it, err := localtable.ReadItem(r.places[byKey], r.attrs)
	if err != nil {
		panic(err) // put has written these bytes.
	}
	return it
}

// answer makes what a query in that order finds: the item, or its entry in GSI1.
func (r *row) answer(order int) sinks.Item {
	if order == byIndex {
		return localtable.IndexEntry(r.places[byKey], r.places[byIndex])
	}
	return r.item()
}

// rows are the items of a table.
type rows struct {
	lists   [orders]map[string]*list // by partition; no list is empty
	items   int64                    // how many there are
	bytes   int64                    // of their keys and attributes
	encoded []byte                   // room that put uses
}

func newRows() *rows {
	s := new(rows)
	for order := range s.lists {
		s.lists[order] = make(map[string]*list)
	}
	return s
}

// find returns an item's row, nil if there is none.
func (s *rows) find(k sinks.Key) *row {
	for r := range s.lists[byKey][k.PK].ascend(func(r *row) bool { return r.places[byKey].SK >= k.SK }) {
		if r.places[byKey].SK == k.SK {
			return r
		}
		break
	}
	return nil
}

// attrsOf is an item as a list.
func attrsOf(it sinks.Item) sinks.Attrs {
	as := make(sinks.Attrs, 0, len(it))
	for name, v := range it {
		as = append(as, sinks.Attr{Name: name, Value: v})
	}
	return as
}

// store stores a whole item in its row, nil if there is none. The list is the store's.
func (s *rows) store(r *row, as sinks.Attrs) {
	places := placesOf(as)
	if r == nil {
		r = new(row)
		s.items, s.bytes = s.items+1, s.bytes+keyBytes(places[byKey])
	}
	for order, place := range places {
		if place != r.places[order] {
			s.leave(order, r)
			// The texts may be parts of much longer ones.
			r.places[order] = sinks.Key{PK: strings.Clone(place.PK), SK: strings.Clone(place.SK)}
			s.enter(order, r)
		}
	}
	s.encoded = localtable.AppendAttrs(s.encoded[:0], as)
	s.bytes += int64(len(s.encoded) - len(r.attrs))
	r.attrs = r.attrs[:0]
	if n := len(s.encoded); cap(r.attrs) < n || cap(r.attrs) > n+n/4 {
		r.attrs = make([]byte, 0, n)
	}
	r.attrs = append(r.attrs, s.encoded...)
}

// delete removes a row, nil if there is none.
func (s *rows) delete(r *row) {
	if r != nil {
		for order := range orders {
			s.leave(order, r)
		}
		s.items, s.bytes = s.items-1, s.bytes-keyBytes(r.places[byKey])-int64(len(r.attrs))
	}
}

func keyBytes(k sinks.Key) int64 { return int64(len(k.PK) + len(k.SK)) }

// enter gives a row its place in an order, if it has one.
func (s *rows) enter(order int, r *row) {
	pk := r.places[order].PK
	if pk == "" {
		return
	}
	l := s.lists[order][pk]
	if l == nil {
		l = new(list)
		s.lists[order][pk] = l
	}
	l.insert(r, func(with *row) bool { return with.compare(order, r) >= 0 })
}

// leave takes a row from its place in an order, if it has one.
func (s *rows) leave(order int, r *row) {
	pk := r.places[order].PK
	if pk == "" {
		return
	}
	l := s.lists[order][pk]
	if l.remove(func(with *row) bool { return with.compare(order, r) >= 0 }); len(l.blocks) == 0 {
		delete(s.lists[order], pk)
	}
}

// query reads a page of what q finds after a cursor, which is nil at the start.
func (s *rows) query(q sinks.Query, after localtable.Cursor) sinks.Page {
	order, low, page := int(q.Index), max(q.From, q.Prefix), localtable.Page{Query: q}
	// Of the rows in order, begun becomes true at the first to answer with, and past after the last.
	begun := func(r *row) bool { return r.places[order].SK >= low }
	past := func(r *row) bool {
		sk := r.places[order].SK
		return q.To != "" && sk > q.To || sk > q.Prefix && !strings.HasPrefix(sk, q.Prefix)
	}
	if after != nil {
		last := &row{places: [orders]sinks.Key{byKey: {PK: q.PK, SK: after[0]}}}
		if order == byIndex {
			last = &row{places: [orders]sinks.Key{byKey: {PK: after[1], SK: after[2]}, byIndex: {PK: q.PK, SK: after[0]}}}
		}
		if first, end := begun, past; q.Desc {
			past = func(r *row) bool { return r.compare(order, last) >= 0 || end(r) }
		} else {
			begun = func(r *row) bool { return r.compare(order, last) > 0 && first(r) }
		}
	}
	l := s.lists[order][q.PK]
	found, done := l.ascend(begun), past
	if q.Desc {
		found, done = l.descend(past), func(r *row) bool { return !begun(r) }
	}
	for r := range found {
		if done(r) || !page.Add(r.answer(order)) {
			break
		}
	}
	return page.Answer()
}

// sweep deletes up to n rows that have expired at now, the longest expired first, and returns how many.
func (s *rows) sweep(now int64, n int) int {
	var expired []*row
	last := expiryPlace(now)
	for r := range s.lists[byExpiry][last.PK].ascend(func(*row) bool { return true }) {
		if r.places[byExpiry].SK > last.SK || len(expired) == n {
			break
		}
		expired = append(expired, r)
	}
	for _, r := range expired {
		s.delete(r)
	}
	return len(expired)
}

// all iterates over the items.
func (s *rows) all(yield func(sinks.Item) bool) {
	for _, l := range s.lists[byKey] {
		for r := range l.ascend(func(*row) bool { return true }) {
			if !yield(r.item()) {
				return
			}
		}
	}
}
