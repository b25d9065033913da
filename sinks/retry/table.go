package retry

import (
	"context"
	"fmt"
	"maps"

	"github.com/footfall/footfall/sinks"
)

// Reads returns a table that repeats reads, and asks again for what a BatchGet leaves over. Writes pass through: whether one may be
// repeated depends on the write. A table that repeats its reads already stays as it is, since tries within tries would multiply.
func (p Policy) Reads(t sinks.Table) sinks.Table {
	switch t.(type) {
	case *reads, *all:
		return t
	}
	return &reads{Table: t, policy: p}
}

// Table returns a table that repeats every request, and asks again for what a batch leaves over. Each write must be one that may be
// repeated: an Update needs a condition on what it changes. The policy takes the place of one that t has.
func (p Policy) Table(t sinks.Table) sinks.Table {
	switch own := t.(type) {
	case *reads:
		t = own.Table
	case *all:
		t = own.Table
	}
	return &all{reads{Table: t, policy: p}}
}

type reads struct {
	sinks.Table
	policy Policy
}

// Unwrap returns the table that answers.
func (r *reads) Unwrap() sinks.Table { return r.Table }

func (r *reads) Query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = r.policy.Do(ctx, func() (err error) {
		page, err = r.Table.Query(ctx, q)
		return err
	})
	return page, err
}

func (r *reads) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	var sum sinks.BatchResult
	err := r.policy.Do(ctx, func() error {
		found, err := r.Table.BatchGet(ctx, g)
		if err != nil {
			return err
		}
		sum.Units += found.Units
		if sum.Items == nil {
			sum.Items = found.Items
		} else {
			maps.Copy(sum.Items, found.Items)
		}
		g.Keys, sum.Left = found.Left, found.Left
		return leftOver(found)
	})
	return sum, err
}

// leftOver returns the error that asks again for what a batch has left over. One hot key, or the size of an answer, leaves keys
// over, too.
func leftOver(r sinks.BatchResult) error {
	if len(r.Left) == 0 {
		return nil
	}
	return fmt.Errorf("%d items left over: %w", len(r.Left), sinks.ErrThrottled)
}

type all struct{ reads }

func (a *all) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = a.policy.Do(ctx, func() (err error) {
		r, err = a.Table.Update(ctx, u)
		return err
	})
	return r, err
}

func (a *all) Put(ctx context.Context, put sinks.Put) (r sinks.Result, err error) {
	err = a.policy.Do(ctx, func() (err error) {
		r, err = a.Table.Put(ctx, put)
		return err
	})
	return r, err
}

func (a *all) Delete(ctx context.Context, d sinks.Delete) (r sinks.Result, err error) {
	err = a.policy.Do(ctx, func() (err error) {
		r, err = a.Table.Delete(ctx, d)
		return err
	})
	return r, err
}

func (a *all) BatchPut(ctx context.Context, items []sinks.Attrs) (sum sinks.BatchResult, err error) {
	err = a.policy.Do(ctx, func() error {
		r, err := a.Table.BatchPut(ctx, items)
		sum.Units += r.Units
		if err != nil {
			return err
		}
		items, sum.Left = Unwritten(items, r.Left), r.Left
		return leftOver(r)
	})
	return sum, err
}

// Unwritten returns the items that a BatchPut has left over.
func Unwritten(items []sinks.Attrs, left []sinks.Key) []sinks.Attrs {
	if len(left) == 0 {
		return nil
	}
	named := make(map[sinks.Key]bool, len(left))
	for _, k := range left {
		named[k] = true
	}
	rest := make([]sinks.Attrs, 0, len(named))
	for _, it := range items {
		if named[it.Key()] {
			rest = append(rest, it)
		}
	}
	return rest
}
