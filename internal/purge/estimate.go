package purge

import (
	"context"
	"fmt"
	"sync"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Estimate is what a purge would delete, and what that consumes.
type Estimate struct {
	Items      int64   `json:"items"`
	Bytes      int64   `json:"bytes"`
	WriteUnits float64 `json:"writeUnits"`
	ReadUnits  float64 `json:"readUnits"` // of both sweeps; the estimate itself has taken about half of them
	Tokens     int64   `json:"tokens"`    // tokens and share links that name the site
}

// Count reads all items of a site and says what a purge would delete. It changes nothing. An unknown site is an error.
func Count(ctx context.Context, o Options) (Estimate, error) {
	r, log, err := open(ctx, o)
	if err != nil {
		return Estimate{}, err
	}
	e, err := r.estimate(ctx)
	if err == nil && e.Items == 0 && len(log.History(o.Site)) == 0 {
		err = fmt.Errorf("site %q is %w: `footfall site list --deleted` lists all sites", o.Site, sites.ErrUnknown)
	}
	return e, err
}

func (r *run) estimate(ctx context.Context) (e Estimate, err error) {
	var mu sync.Mutex // covers e
	add := func(x Estimate) {
		mu.Lock()
		defer mu.Unlock()
		e.Items, e.Bytes, e.WriteUnits, e.ReadUnits = e.Items+x.Items, e.Bytes+x.Bytes, e.WriteUnits+x.WriteUnits, e.ReadUnits+x.ReadUnits
	}
	const sweeps = 2
	err = r.each(ctx, 0, false, func(_ context.Context, it sinks.Item) error {
		size := it.Size()
		add(Estimate{Items: 1, Bytes: int64(size), WriteUnits: consumed.WriteUnits(size) +
			consumed.IndexUnits(it.Key(), consumed.IndexKeyOf(it), sinks.Key{}),
			ReadUnits: -consumed.ReadUnits(size, false) / sweeps}) // The last sweep finds next to nothing.
		return nil
	}, func(units float64) { add(Estimate{ReadUnits: 2 * sweeps * units}) })
	if err == nil {
		e.Tokens, err = r.tokens(ctx, false)
	}
	e.ReadUnits = max(e.ReadUnits, 0)
	return e, err
}
