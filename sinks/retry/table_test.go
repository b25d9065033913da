package retry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/sinktest"
)

// failing fails each request as often as it says, and takes two items of a batch at a time.
type failing struct {
	request
	sinks.Table
}

func (f *failing) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{Units: 1}, f.try()
}

func (f *failing) Put(context.Context, sinks.Put) (sinks.Result, error) {
	return sinks.Result{Units: 2}, f.try()
}

func (f *failing) Delete(context.Context, sinks.Delete) (sinks.Result, error) {
	return sinks.Result{Units: 3}, f.try()
}

func (f *failing) BatchPut(_ context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if err := f.try(); err != nil {
		return sinks.BatchResult{}, err
	}
	r := sinks.BatchResult{Units: 2}
	for _, it := range items[min(2, len(items)):] {
		r.Left = append(r.Left, it.Key())
	}
	return r, nil
}

func (f *failing) BatchGet(_ context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if err := f.try(); err != nil {
		return sinks.BatchResult{}, err
	}
	n := min(2, len(g.Keys))
	r := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item), Left: g.Keys[n:], Units: 2}
	for _, k := range g.Keys[:n] {
		r.Items[k] = item(k.SK)
	}
	return r, nil
}

func (f *failing) Query(context.Context, sinks.Query) (sinks.Page, error) {
	return sinks.Page{Next: "answered"}, f.try()
}

func item(sk string) sinks.Item {
	return sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str(sk)}
}

var (
	keys  = []sinks.Key{{PK: "p", SK: "a"}, {PK: "p", SK: "b"}, {PK: "p", SK: "c"}, {PK: "p", SK: "d"}, {PK: "p", SK: "e"}}
	items = []sinks.Item{item("a"), item("b"), item("c"), item("d"), item("e")}
)

// requests runs each verb and reports whether it was answered in full.
var requests = []struct {
	name   string
	writes bool
	rounds int // of a table that takes two items of a batch at a time
	run    func(ctx context.Context, t sinks.Table) error
}{
	{"Update", true, 1, func(ctx context.Context, t sinks.Table) error {
		r, err := t.Update(ctx, sinks.Update{})
		return wrong(err, r.Units == 1)
	}},
	{"Put", true, 1, func(ctx context.Context, t sinks.Table) error {
		r, err := t.Put(ctx, sinks.Put{})
		return wrong(err, r.Units == 2)
	}},
	{"Delete", true, 1, func(ctx context.Context, t sinks.Table) error {
		r, err := t.Delete(ctx, sinks.Delete{})
		return wrong(err, r.Units == 3)
	}},
	{"BatchPut", true, 3, func(ctx context.Context, t sinks.Table) error {
		r, err := t.BatchPut(ctx, sinktest.Batch(items...))
		return wrong(err, r.Units == 6 && len(r.Left) == 0)
	}},
	{"BatchGet", false, 3, func(ctx context.Context, t sinks.Table) error {
		r, err := t.BatchGet(ctx, sinks.BatchGet{Keys: slices.Clone(keys)})
		return wrong(err, r.Units == 6 && len(r.Left) == 0 && len(r.Items) == 5)
	}},
	{"Query", false, 1, func(ctx context.Context, t sinks.Table) error {
		page, err := t.Query(ctx, sinks.Query{})
		return wrong(err, page.Next == "answered")
	}},
}

var errWrong = errors.New("not the whole answer")

func wrong(err error, whole bool) error {
	if err == nil && !whole {
		return errWrong
	}
	return err
}

func TestTableRepeatsEveryRequest(t *testing.T) {
	for _, r := range requests {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{request: request{failures: 4, with: sinks.ErrUnknownOutcome}}
				if err := r.run(t.Context(), retry.Policy{}.Table(f)); err != nil || f.tries != 4+r.rounds {
					t.Errorf("%v after %d tries of a table that fails 4 times, want an answer after %d", err, f.tries, 4+r.rounds)
				}
			})
		})
	}
}

func TestReadsLeavesWritesAlone(t *testing.T) {
	for _, r := range requests {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{request: request{failures: 4, with: sinks.ErrThrottled}}
				err := r.run(t.Context(), retry.Policy{}.Reads(f))
				if r.writes && (!errors.Is(err, sinks.ErrThrottled) || f.tries != 1) {
					t.Errorf("%v after %d tries, want the first failure", err, f.tries)
				}
				if !r.writes && (err != nil || f.tries != 4+r.rounds) {
					t.Errorf("%v after %d tries, want an answer after %d", err, f.tries, 4+r.rounds)
				}
			})
		})
	}
}

// TestLeftOverNamesTheRest holds what a batch that had no more tries says: what was read, and what was not.
func TestLeftOverNamesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := retry.Policy{Tries: 2}.Reads(&failing{}).BatchGet(t.Context(), sinks.BatchGet{Keys: slices.Clone(keys)})
		if !errors.Is(err, sinks.ErrThrottled) || len(r.Items) != 4 || fmt.Sprint(r.Left) != "[{p e}]" {
			t.Errorf("BatchGet = %d items, left %v, %v, want four items, the fifth left, and ErrThrottled", len(r.Items), r.Left, err)
		}
	})
}

// TestOneLayerRepeats: wrapping a table that repeats already does not multiply its tries.
func TestOneLayerRepeats(t *testing.T) {
	three, five := retry.Policy{Tries: 3}, retry.Policy{Tries: 5}
	for _, c := range []struct {
		name  string
		wrap  func(sinks.Table) sinks.Table
		tries int
	}{
		{"reads of reads", func(t sinks.Table) sinks.Table { return five.Reads(three.Reads(t)) }, 3},
		{"reads of all", func(t sinks.Table) sinks.Table { return five.Reads(three.Table(t)) }, 3},
		{"all of reads", func(t sinks.Table) sinks.Table { return five.Table(three.Reads(t)) }, 5},
		{"all of all", func(t sinks.Table) sinks.Table { return five.Table(three.Table(t)) }, 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{request: request{failures: forever, with: sinks.ErrThrottled}}
			if _, err := c.wrap(f).Query(t.Context(), sinks.Query{}); !errors.Is(err, sinks.ErrThrottled) || f.tries != c.tries {
				t.Errorf("%s: %v after %d tries, want a throttle after %d", c.name, err, f.tries, c.tries)
			}
		})
	}
}
