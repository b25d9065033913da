package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
	"github.com/footfall/footfall/sinks/internal/localtable"
)

// BatchGet implements sinks.Table. Every read is strong and of one moment, and it leaves no key.
func (t *Table) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	if err = localtable.CheckBatchGet(g.Keys); err == nil {
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
					r.Units += consumed.ReadUnits(it.Size(), g.Consistent)
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

// Query implements sinks.Table. Items of an index that have the same sort key there come in the order of their own
// keys.
func (t *Table) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	s, err := newSelection(q)
	if err == nil {
		err = t.read(ctx, func(c *conn) (err error) {
			p, err = c.page(s)
			return err
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
	after, err := localtable.CheckQuery(q)
	if err != nil {
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
	if after != nil {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(after)), ", ")
		fmt.Fprintf(&b, " AND (%s) %s (%s)", col.order, beyond, marks)
		for _, s := range after {
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
func (c *conn) page(s *selection) (sinks.Page, error) {
	p := localtable.Page{Query: s.q}
	err := c.query(s.text, func(r []driver.Value) (bool, error) {
		it, err := s.item(r)
		return err == nil && p.Add(it), err
	}, s.args...)
	return p.Answer(), err
}

// item makes an item of a row.
func (s *selection) item(r []driver.Value) (sinks.Item, error) {
	text := func(i int) string {
		v, _ := r[i].(string)
		return v
	}
	if s.q.Index == sinks.Base {
		b, _ := r[1].([]byte)
		return localtable.ReadItem(sinks.Key{PK: s.q.PK, SK: text(0)}, b)
	}
	return localtable.IndexEntry(sinks.Key{PK: text(1), SK: text(2)}, sinks.Key{PK: s.q.PK, SK: text(0)}), nil
}
