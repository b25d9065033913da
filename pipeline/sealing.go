package pipeline

import (
	"context"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/pipeline/internal/rulebook"
	"github.com/footfall/footfall/sinks"
)

// sealPartition is the partition whose owner seals the days and months of all sites. That makes it one process without a
// lock: while the partition changes hands there may be two, or none, which does no harm.
const sealPartition = 0

// Seals reports whether this process owns the partition whose owner does what concerns all sites, also if it is parked. Safe for concurrent
// use.
func (p *Pipeline) Seals() bool { return p.roster.has(sealPartition) }

// sealAll makes passes over all sites until ctx ends. No number depends on it: see package seal.
func sealAll(ctx context.Context, p *Pipeline) {
	// A limiter of its own: what is throttled here does not slow the steps down.
	send := requests.NewSender(p.options.Table, 1, p.metrics)
	book := rulebook.New(send)
	seal.New(seal.Options{
		Table: sealTable{send}, Keys: p.keys, After: p.options.Seal.After, Interval: p.options.Seal.Interval,
		Now: p.now, Metrics: p.options.Metrics.seal, Log: p.log,
		DaySpan: func(site string, zone sites.Zone, day int64) (from, to int64) {
			return book.Latest().DaySpan(site, zone, day)
		},
		Drops:   func(site string) []sites.Drop { return book.Latest().At(book.Latest().Rev()).Erased(site).Drops() },
		Gone:    func(site string) bool { return sites.Gone(book.Latest().History(site)) > 0 },
		Refresh: func(ctx context.Context) error { return book.Refresh(ctx, nil) },
		Mine:    p.Seals,
	}).Run(ctx)
}

// sealTable is the table as the sealer sees it, through the sender. It keeps promise "nothing competes
// with the flush" by one request at a time.
type sealTable struct{ send *requests.Sender }

func (t sealTable) Put(ctx context.Context, put sinks.Put) (sinks.Result, error) {
	return t.send.Put(ctx, nil, put.Item[sinks.AttrEntity].Str(), put)
}

func (t sealTable) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	found, err := t.send.BatchGet(ctx, nil, g.Keys)
	return sinks.BatchResult{Items: found}, err
}

func (t sealTable) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	return t.send.Querier(nil, "look what is to be sealed").Query(ctx, q)
}
