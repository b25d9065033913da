package direct

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
)

// cut ends the step, and writes what it amounts to.
func (p *partition) cut(ctx context.Context) error {
	if p.taken == 0 {
		return nil
	}
	made := p.fold.Cut(time.Now().Unix())
	history, err := p.intend(ctx)
	if err != nil {
		return err
	}
	made.Writes = append(append(made.Writes, history...), p.admission.Cut(p.keys, p.tp, p.step)...)
	for _, list := range [][]plan.Write{made.Writes, made.Days} {
		if err := p.writeAll(ctx, list); err != nil {
			return err
		}
	}
	for _, key := range made.Deletes {
		if _, err := p.Table.Delete(ctx, sinks.Delete{Key: key}); err != nil {
			return err
		}
	}
	p.admission.Settled()
	p.fold.Settled(p.step)
	p.begin()
	return p.forget(ctx)
}

// writers is how many writes are made at the same time: a table in a file commits those that meet together.
const writers = 8

// writeAll makes writes of the step, in no order.
func (p *partition) writeAll(ctx context.Context, list []plan.Write) error {
	g, gctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(writers, len(list)) {
		g.Go(func() error {
			for i := next.Add(1); i <= int64(len(list)); i = next.Add(1) {
				if err := p.write(gctx, &list[i-1]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range list {
		if w := &list[i]; w.Kind == sinks.EntitySession && p.Forget > 0 {
			p.written.add(w.Update.Key, p.step, p.newest)
		}
	}
	return nil
}

// write makes one write of the step.
func (p *partition) write(ctx context.Context, w *plan.Write) error {
	if w.Item != nil {
		_, err := p.Table.Put(ctx, sinks.Put{Item: w.Item})
		return err
	}
	r, err := p.Table.Update(ctx, w.Update)
	if err == nil && r.Refused {
		return fmt.Errorf("item %s / %s refused step %d: the table was not empty", w.Update.Key.PK, w.Update.Key.SK, p.step)
	}
	return err
}
