// Package kept joins generations of items: what lies before a date may be kept in the generation before a rebuild, because the topic no
// longer had its records. Readers see one set of items, under the keys of the later generation.
//
// Hours, days, and lists by time are split at the date. A session belongs to the date on which it was opened: see get.go for one that both
// generations have. The month that the date lies in is never closed: its days come from both. What belongs to all generations is not split:
// settings, the list of sites, raw events.
//
//	table.go   Join; Query: lists, and the parts of a session
//	months.go  Query: the stats of months
//	get.go     BatchGet
package kept

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Table reads the items of two generations as one. Other items, and writes, pass through.
type Table struct {
	sinks.Table
	earlier, later sinks.Keys
	from           int64 // the first date of the later generation, ms since the epoch
}

// Join returns the table as readers of a generation see it: with the generations that keep earlier dates for it, one inside the other.
func Join(t sinks.Table, has sinks.Generations, generation int) sinks.Table {
	before, ok := has.KeptBefore(generation)
	if !ok {
		return t
	}
	return &Table{Join(t, has, before.From), sinks.KeysOfGeneration(before.From), sinks.KeysOfGeneration(generation), before.Date}
}

// A half is the part of a query that one generation answers.
type half struct {
	tag string // that its cursors begin with
	q   sinks.Query
}

const (
	earlierTag = "e"
	laterTag   = "l"
)

// Query reads a page of the list, of one generation after the other.
func (t *Table) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if sinks.KeysOf(q.PK) != t.later {
		return t.Table.Query(ctx, q)
	}
	prefix := q.Prefix
	if prefix == "" {
		prefix = common(q.From, q.To)
	}
	split, ok := sinks.SplitAt(q.PK, prefix, t.from)
	switch {
	case !ok && strings.HasPrefix(prefix, sinks.SessionPrefix):
		return t.sessions(ctx, q)
	case !ok:
		return t.Table.Query(ctx, q)
	case strings.HasPrefix(prefix, sinks.MonthStatsPrefix):
		return t.months(ctx, q, split)
	}
	halves := t.halves(q, split)
	i := 0
	if q.After != "" {
		i = slices.IndexFunc(halves, func(h half) bool { return strings.HasPrefix(q.After, h.tag) })
	}
	switch {
	case i < 0:
		return sinks.Page{}, fmt.Errorf("%q is no page of this query", q.After)
	case len(halves) == 0:
		return sinks.Page{}, nil
	}
	h := halves[i]
	h.q.After = strings.TrimPrefix(q.After, h.tag)
	page, err := t.Table.Query(ctx, h.q)
	if err != nil {
		return page, err
	}
	t.rename(page.Items, q)
	if page.Next != "" {
		page.Next = h.tag + page.Next
	} else if i+1 < len(halves) {
		page.Next = halves[i+1].tag
	}
	return page, nil
}

// halves are the parts of a query that may have items, in the order in which they are read.
func (t *Table) halves(q sinks.Query, split sinks.Split) (halves []half) {
	if q.Prefix != "" {
		q.Prefix, q.From, q.To = "", q.Prefix, q.Prefix+"~"
	}
	q.After = ""
	if split.Last != "" && q.From <= split.Last {
		e := q
		e.PK = sinks.Rekey(q.PK, t.earlier)
		if q.To == "" || q.To > split.Last {
			e.To = split.Last
		}
		halves = append(halves, half{earlierTag, e})
	}
	if split.First != "" && (q.To == "" || q.To >= split.First) {
		l := q
		l.From = max(q.From, split.First)
		halves = append(halves, half{laterTag, l})
	}
	if q.Desc {
		slices.Reverse(halves)
	}
	return halves
}

// common returns what two texts, and all between them, begin with.
func common(from, to string) string {
	n := 0
	for n < min(len(from), len(to)) && from[n] == to[n] {
		n++
	}
	return from[:n]
}

// rename gives items the partition key that was asked for. Those of an index have the key of the item that they name.
func (t *Table) rename(items []sinks.Item, q sinks.Query) {
	if q.Index != sinks.Base {
		return
	}
	for i, it := range items {
		items[i] = renamed(it, q.PK)
	}
}

func renamed(it sinks.Item, pk string) sinks.Item {
	if it[sinks.AttrPK].Str() == pk {
		return it
	}
	it = maps.Clone(it)
	it[sinks.AttrPK] = sinks.Str(pk)
	return it
}

// sessions reads the parts of a session, one for each partition that has seen it. They are few: all are in one page.
func (t *Table) sessions(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	var all sinks.Page
	for _, keys := range []sinks.Keys{t.earlier, t.later} {
		part := q
		part.PK = sinks.Rekey(q.PK, keys)
		items, err := t.all(ctx, part, &all.Units)
		if err != nil {
			return sinks.Page{}, err
		}
		for _, it := range items {
			s, err := state.SessionOf(it) // A damaged one is its reader's error.
			if earlier := s.OpenedAt < t.from; err != nil || earlier == (keys == t.earlier) {
				all.Items = append(all.Items, renamed(it, q.PK))
			}
		}
	}
	slices.SortFunc(all.Items, func(a, b sinks.Item) int { return a.Key().Compare(b.Key()) })
	if q.Desc {
		slices.Reverse(all.Items)
	}
	return all, nil
}

// all reads all pages of a query.
func (t *Table) all(ctx context.Context, q sinks.Query, units *float64) (items []sinks.Item, err error) {
	q.Limit, q.After = 0, ""
	for page, err := range sinks.Pages(ctx, t.Table, q) {
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		*units += page.Units
	}
	return items, nil
}
