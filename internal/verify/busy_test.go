package verify_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// busy is a table in which a step of every chain happens before each batch of items is read, and before the first read of uniques.
type busy struct {
	sinks.Table
	step    func()
	began   atomic.Bool
	batches atomic.Int64
}

func (b *busy) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.Contains(q.PK, "#UNIQUES#") && !b.began.Swap(true) {
		b.step()
	}
	return b.Table.Query(ctx, q)
}

func (b *busy) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if b.began.Load() {
		b.batches.Add(1)
		b.step()
	}
	return b.Table.BatchGet(ctx, g)
}

// TestItemsOfChainsThatAlwaysMoveAreCompared lets every chain write every item of a site between any two reads of the checkpoints.
func TestItemsOfChainsThatAlwaysMoveAreCompared(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		w.pipeline()
		steps := 0
		b := &busy{Table: w.table.Table, step: func() {
			steps++
			for p := range int32(2) {
				w.produce(record{p, w.event(plainSite, "page_view", time.Minute, "visitorId", fmt.Sprint("busy", steps), "url", "/a")})
			}
			w.pipeline()
		}}
		r := w.verify(func(o *scope.Options) { o.Table, o.Site = b, plainSite })
		wantEqual(t, "while every chain moves", r)
		if b.batches.Load() == 0 {
			t.Error("nothing was read again: the steps came too late to be noticed")
		}
	})
}
