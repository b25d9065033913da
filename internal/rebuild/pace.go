package rebuild

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/footfall/footfall/sinks"
)

// paced is a table that takes so many write units a second, on average over a second. What a write has taken beyond the unit that it waited
// for is waited for by the next.
type paced struct {
	sinks.Table
	units *rate.Limiter
}

// pace bounds the write units a second of a table; 0: it does not.
func pace(table sinks.Table, units int) sinks.Table {
	if units <= 0 {
		return table
	}
	return &paced{table, rate.NewLimiter(rate.Limit(units), max(units, sinks.MaxBatchPut))}
}

// wait waits for units. Where the context would end before, the table refuses as a store does that lacks capacity.
func (p *paced) wait(ctx context.Context, units int) error {
	err := p.units.WaitN(ctx, units)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", sinks.ErrThrottled, err)
	}
	return err
}

// more accounts for units beyond those that were waited for. They are owed.
func (p *paced) more(units float64, waited int) {
	for n := int(math.Ceil(units)) - waited; n > 0; n -= p.units.Burst() {
		p.units.ReserveN(time.Now(), min(n, p.units.Burst()))
	}
}

func (p *paced) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if err := p.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := p.Table.Update(ctx, u)
	p.more(r.Units, 1)
	return r, err
}

func (p *paced) Put(ctx context.Context, put sinks.Put) (sinks.Result, error) {
	if err := p.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := p.Table.Put(ctx, put)
	p.more(r.Units, 1)
	return r, err
}

func (p *paced) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	if err := p.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := p.Table.Delete(ctx, d)
	p.more(r.Units, 1)
	return r, err
}

func (p *paced) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if err := p.wait(ctx, len(items)); err != nil {
		return sinks.BatchResult{}, err
	}
	r, err := p.Table.BatchPut(ctx, items)
	p.more(r.Units, len(items))
	return r, err
}
