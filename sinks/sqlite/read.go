package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// maxPageBytes bounds a page of Query, by the items' sizes; a page has one item at least.
const maxPageBytes = 1 << 20

// BatchGet implements sinks.Table. Every read is strong and of one moment, and it leaves no key.
func (t *Table) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	if err = checkBatchGet(g.Keys); err == nil {
		r.Items = make(map[sinks.Key]sinks.Item, len(g.Keys))
		err = t.read(ctx, func(c *conn) error {
			return c.transact("BEGIN", func() error {
				for _, k := range g.Keys {
					it, err := c.load(k)
					if err != nil {
						return err
					}
					if it != nil {
						r.Items[k] = it
					}
					r.Units += sinks.ReadUnits(it.Size(), g.Consistent)
				}
				return nil
			})
		})
	}
	if err != nil {
		return sinks.BatchResult{}, t.wrap(err, "read a batch of %d items", len(g.Keys))
	}
	return r, nil
}

func checkBatchGet(keys []sinks.Key) error {
	if len(keys) > sinks.MaxBatchGet {
		return fmt.Errorf("a batch has %d keys at most: split it", sinks.MaxBatchGet)
	}
	seen := make(map[sinks.Key]bool, len(keys))
	for _, k := range keys {
		if err := checkKey(k); err != nil {
			return err
		}
		if seen[k] {
			return fmt.Errorf("key %s / %s is in the batch twice", k.PK, k.SK)
		}
		seen[k] = true
	}
	return nil
}

// Query implements sinks.Table. Items of an index that have the same sort key there come in the order of their own
// keys.
func (t *Table) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	s, err := newSelection(q)
	if err == nil {
		err = t.read(ctx, func(c *conn) error {
			return c.page(s, &p)
		})
	}
	if err != nil {
		return sinks.Page{}, t.wrap(err, "query %s", q.PK)
	}
	return p, nil
}

// selection is a query as SQL.
type selection struct {
	q    sinks.Query
	text string
	args []driver.Value
}

// columns are what a query of each index reads: the attributes its order goes by, and then, of the table, the rest.
var columns = [...]struct{ pk, order, rest, from string }{
	sinks.Base: {"pk", "sk", ", attrs", "items"},
	sinks.GSI1: {"gsi1pk", "gsi1sk, pk, sk", "", "items INDEXED BY gsi1"},
}

func newSelection(q sinks.Query) (*selection, error) {
	switch {
	case int(q.Index) >= len(columns):
		return nil, fmt.Errorf("there is no index %d", q.Index)
	case q.Index != sinks.Base && q.Consistent:
		return nil, errors.New("an index has no strong reads: leave Consistent out")
	case q.Prefix != "" && (q.From != "" || q.To != ""):
		return nil, errors.New("a query goes by a prefix or by bounds: leave one of them out")
	case q.Limit < 0:
		return nil, fmt.Errorf("limit %d is negative: 0 asks for as many as fit", q.Limit)
	}
	if err := checkKeyText(sinks.AttrPK, q.PK, sinks.MaxPartitionKey); err != nil {
		return nil, err
	}
	col := columns[q.Index]
	sk, _, _ := strings.Cut(col.order, ",")
	var b strings.Builder
	args := []driver.Value{q.PK}
	fmt.Fprintf(&b, "SELECT %s%s FROM %s WHERE %s = ? AND %s IS NOT NULL", col.order, col.rest, col.from, col.pk, sk)
	bound := func(op, value string) {
		fmt.Fprintf(&b, " AND %s %s ?", sk, op)
		args = append(args, value)
	}
	if q.From != "" {
		bound(">=", q.From)
	}
	if q.To != "" {
		bound("<=", q.To)
	}
	if q.Prefix != "" {
		bound(">=", q.Prefix)
		if end := prefixEnd(q.Prefix); end != "" {
			bound("<", end)
		}
	}
	direction, beyond := "ASC", ">"
	if q.Desc {
		direction, beyond = "DESC", "<"
	}
	if q.After != "" {
		at, err := readCursor(q)
		if err != nil {
			return nil, err
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(at)), ", ")
		fmt.Fprintf(&b, " AND (%s) %s (%s)", col.order, beyond, marks)
		for _, s := range at {
			args = append(args, s)
		}
	}
	fmt.Fprintf(&b, " ORDER BY %s %s", strings.ReplaceAll(col.order, ",", " "+direction+","), direction)
	return &selection{q: q, text: b.String(), args: args}, nil
}

// prefixEnd returns the least text that is greater than all that begin with prefix; "" when there is none.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 && b[len(b)-1] == 0xff {
		b = b[:len(b)-1]
	}
	if len(b) > 0 {
		b[len(b)-1]++
	}
	return string(b)
}

// page reads what the selection finds until the page is full, and one item more, to know whether there is one.
func (c *conn) page(s *selection, p *sinks.Page) error {
	var last cursor
	bytes := 0
	err := c.query(s.text, func(r []driver.Value) (bool, error) {
		it, at, err := s.item(r)
		if err != nil {
			return false, err
		}
		size := it.Size()
		if len(p.Items) > 0 && (len(p.Items) == s.q.Limit || bytes+size > maxPageBytes) {
			p.Next = last.write(s.q)
			return false, nil
		}
		p.Items, last = append(p.Items, it), at
		bytes += size
		return true, nil
	}, s.args...)
	p.Units = sinks.ReadUnits(bytes, s.q.Consistent)
	return err
}

// item makes an item of a row, and says where the row stands.
func (s *selection) item(r []driver.Value) (sinks.Item, cursor, error) {
	text := func(i int) string {
		v, _ := r[i].(string)
		return v
	}
	if s.q.Index == sinks.Base {
		k := sinks.Key{PK: s.q.PK, SK: text(0)}
		b, _ := r[1].([]byte)
		it, err := readItem(k, b)
		return it, cursor{k.SK}, err
	}
	return sinks.Item{
		sinks.AttrGSI1PK: sinks.Str(s.q.PK), sinks.AttrGSI1SK: sinks.Str(text(0)),
		sinks.AttrPK: sinks.Str(text(1)), sinks.AttrSK: sinks.Str(text(2)),
	}, cursor{text(0), text(1), text(2)}, nil
}
