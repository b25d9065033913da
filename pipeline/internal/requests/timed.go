package requests

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
)

// timedTable is a table whose requests are timed, one by one: each try counts, whatever its answer is. Safe for concurrent use.
type timedTable struct {
	sinks.Table
	update, put, remove, batchPut, batchGet, query prometheus.Observer
}

func newTimedTable(table sinks.Table, seconds prometheus.ObserverVec) timedTable {
	of := func(operation string) prometheus.Observer { return seconds.WithLabelValues(operation) }
	return timedTable{table, of(telemetry.OpUpdate), of(telemetry.OpPut), of(telemetry.OpDelete),
		of(telemetry.OpBatchPut), of(telemetry.OpBatchGet), of(telemetry.OpQuery)}
}

func observe(o prometheus.Observer, start time.Time) { o.Observe(time.Since(start).Seconds()) }

func (t timedTable) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	defer observe(t.update, time.Now())
	return t.Table.Update(ctx, u)
}

func (t timedTable) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	defer observe(t.put, time.Now())
	return t.Table.Put(ctx, p)
}

func (t timedTable) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	defer observe(t.remove, time.Now())
	return t.Table.Delete(ctx, d)
}

func (t timedTable) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	defer observe(t.batchPut, time.Now())
	return t.Table.BatchPut(ctx, items)
}

func (t timedTable) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	defer observe(t.batchGet, time.Now())
	return t.Table.BatchGet(ctx, g)
}

func (t timedTable) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	defer observe(t.query, time.Now())
	return t.Table.Query(ctx, q)
}
