package pipeline_test

import (
	"context"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// request is what a pipeline asks of its table.
type request struct {
	keys   []sinks.Key
	update *sinks.Update // of an Update; else nil
	read   bool
}

// via is a table whose requests all pass through one function. Deletes go to the table as
// they are.
type via struct {
	sinks.Table
	do func(ctx context.Context, r request, pass func(context.Context) error) error
}

func (v *via) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{u.Key}, update: &u}, func(ctx context.Context) (err error) {
		r, err = v.Table.Update(ctx, u)
		return err
	})
	return r, err
}

func (v *via) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{p.Item.Key()}}, func(ctx context.Context) (err error) {
		r, err = v.Table.Put(ctx, p)
		return err
	})
	return r, err
}

func (v *via) BatchPut(ctx context.Context, items []sinks.Attrs) (r sinks.BatchResult, err error) {
	err = v.do(ctx, request{keys: testpipeline.KeysOf(items)}, func(ctx context.Context) (err error) {
		r, err = v.Table.BatchPut(ctx, items)
		return err
	})
	return r, err
}

func (v *via) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	err = v.do(ctx, request{keys: g.Keys, read: true}, func(ctx context.Context) (err error) {
		r, err = v.Table.BatchGet(ctx, g)
		return err
	})
	return r, err
}

func (v *via) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{{PK: q.PK}}, read: true}, func(ctx context.Context) (err error) {
		p, err = v.Table.Query(ctx, q)
		return err
	})
	return p, err
}

// mortal returns a table whose user is dead once dead is set: it drops all it has and writes nothing more.
func mortal(table sinks.Table, dead *atomic.Bool) sinks.Table {
	return &via{table, func(ctx context.Context, _ request, pass func(context.Context) error) error {
		if dead.Load() {
			return errKilled
		}
		return pass(ctx)
	}}
}

// recounts verifies the table against the log, which holds n records: no difference, and the totals add up.
func (w *world) recounts(n int) {
	w.T.Helper()
	r, err := w.Verify(w.Options())
	if err != nil {
		w.T.Fatal(err)
	}
	if r.DifferenceCount != 0 || r.UnsettledCount != 0 || len(r.Behind) != 0 || r.ComparedCount == 0 {
		w.T.Errorf("%d differences, first %+v; %d unsettled; behind %v; %d compared", r.DifferenceCount,
			r.Differences[:min(3, len(r.Differences))], r.UnsettledCount, r.Behind, r.ComparedCount)
	}
	if r.Records != int64(n) {
		w.T.Errorf("%d records were recounted, want %d", r.Records, n)
	}
	if have := w.judged(); have != int64(n) {
		w.T.Errorf("the totals have %d records, want %d", have, n)
	}
}

// judged is how many records the totals of all partitions have.
func (w *world) judged() (n int64) {
	w.T.Helper()
	topics, err := kadm.NewClient(w.Client).ListTopics(w.T.Context(), w.Topic)
	if err != nil {
		w.T.Fatal(err)
	}
	for p := range topics[w.Topic].Partitions {
		n += w.Checkpoint(sinks.TP{Topic: 1, Partition: p}, checkpoint.LaneStats).Totals.Records()
	}
	return n
}
