package rebuild_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/footfall/footfall/internal/rawlog"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// readUnits counts the read units of a table.
type readUnits struct {
	sinks.Table
	units atomic.Int64
}

func (r *readUnits) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := r.Table.Query(ctx, q)
	r.units.Add(int64(page.Units))
	return page, err
}

// TestEstimateOfRawEvents: what a rebuild from raw events takes is within a fifth of what was said, also if the topic has no record.
func TestEstimateOfRawEvents(t *testing.T) {
	for _, packed := range []bool{false, true} {
		for _, gone := range []int{4, days} {
			losesRecords(t, packed, nil, func(l *losing) {
				l.lose(gone)
				_, e, err := new(l.job()).Estimate(l.t.Context(), new(memory.Table))
				if err != nil {
					l.t.Fatal(err)
				}
				job := l.job()
				job.Compared = nil
				r, err := job.Run(l.t.Context())
				if err != nil {
					l.t.Fatal(err)
				}
				within := func(what string, said, became float64) {
					if said < 0.8*became || said > 1.2*became {
						l.t.Errorf("packed %v, %d days gone: %s: %.0f were said, and %.0f it took", packed, gone, what, said, became)
					}
				}
				within("write units", e.WriteUnits, r.WriteUnits)
				within("raw events", float64(e.RawEvents), float64(r.Comparison.Raw.Read))

				log, err := sites.ReadLog(l.t.Context(), l.Table, sinks.Keys{}, nil)
				if err != nil {
					l.t.Fatal(err)
				}
				reads := &readUnits{Table: l.Table}
				of := rawlog.Source{Table: reads, Topic: l.Topic, Sites: log, Spans: map[int32]rawlog.Span{0: {To: 1 << 40}, 1: {To: 1 << 40}}}
				said, err := of.Estimate(l.t.Context(), l.Live())
				if err != nil {
					l.t.Fatal(err)
				}
				estimating := reads.units.Load()
				raw, err := rawlog.Collect(l.t.Context(), of)
				if err != nil {
					l.t.Fatal(err)
				}
				raw.Close()
				within("read units", said.ReadUnits, float64(reads.units.Load()))
				within("all raw events", float64(said.Events), float64(raw.Events[0]+raw.Events[1]))
				l.t.Logf("%v, %d to estimate, %d", said.ReadUnits, estimating, reads.units.Load())
				l.stop()
			})
		}
	}
}
