package purge

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
)

// sweep deletes all items of the site.
func (r *run) sweep(ctx context.Context, p *progress) error {
	var err error
	if _, r.has, err = sinks.CheckFormat(ctx, r.table); err != nil { // A rebuild may have begun since.
		return err
	}
	if _, err := r.tokens(ctx, true); err != nil {
		return err
	}
	var mu sync.Mutex // covers items and units; not held across I/O
	items, units := int64(0), 0.0
	err = r.each(ctx, p.FirstDay, true, func(ctx context.Context, it sinks.Item) error {
		took, err := r.delete(ctx, it.Key())
		mu.Lock()
		defer mu.Unlock()
		units += took
		if err == nil {
			items++
		}
		return err
	}, func(float64) {})
	p.Items, p.Units = p.Items+items, p.Units+int64(math.Ceil(units))
	return err
}

// delete deletes an item when there are units for it. Those beyond one are owed: the next deletion waits for them.
func (r *run) delete(ctx context.Context, key sinks.Key) (units float64, err error) {
	if r.units != nil {
		if err := r.units.Wait(ctx); err != nil {
			return 0, fmt.Errorf("wait for write units: %w", err)
		}
	}
	answer, err := r.table.Delete(ctx, sinks.Delete{Key: key})
	if err != nil {
		return 0, err
	}
	if r.units != nil {
		for n := int(math.Ceil(answer.Units)) - 1; n > 0; n -= r.units.Burst() {
			r.units.ReserveN(time.Now(), min(n, r.units.Burst()))
		}
	}
	return answer.Units, nil
}
