package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// partSizes notes how large the breakdowns are that are written through it, in bytes.
type partSizes struct {
	sinks.Table
	mu                sync.Mutex // covers all below
	count             int
	sum, most, before int // of the packed parts; before packing, of the largest
	err               error
}

func (p *partSizes) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	var part []byte
	breakdown := false
	for _, a := range u.Set {
		switch a.Name {
		case sinks.AttrEntity:
			breakdown = a.Value.Str() == sinks.EntityBreakdown
		case sinks.AttrPart:
			part = a.Value.Bytes()
		}
	}
	if breakdown {
		p.note(part)
	}
	return p.Table.Update(ctx, u)
}

func (p *partSizes) note(part []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	p.sum += len(part)
	if len(part) <= p.most {
		return
	}
	var b sketch.Breakdown
	if err := sketch.UnpackBreakdown(part, &b); err != nil {
		p.err = err
		return
	}
	p.most, p.before = len(part), b.Size()
}

// TestBreakdownItems tells what an hour's breakdown of one partition takes and costs by how busy the site is. It is
// written whole in each step that changes it.
func TestBreakdownItems(t *testing.T) {
	slow.Test(t)
	for _, c := range []struct {
		hourly int
		slow   bool
	}{{10, false}, {1000, false}, {100_000, true}} {
		if c.slow && !*loads {
			continue
		}
		var sizes partSizes
		l := load{sites: 1, partitions: 1, hourly: c.hourly, script: readers, think: 40 * time.Second}
		traffic := newTraffic(l, bubbleStart)
		u := simulate(t, l, func() *kgo.Record { return traffic.next("events") }, 0, time.Hour-time.Second,
			func(memory sinks.Table) sinks.Table {
				sizes.Table = memory
				return &sizes
			})
		if sizes.err != nil {
			t.Fatal(sizes.err)
		}
		kind := sinks.EntityBreakdown
		fmt.Fprintf(t.Output(), "%7d events an hour: %5.0f writes, %6.2f units each, %.3f units an event; %6d bytes on average, %6d at the "+
			"end of the hour, %d before compression\n",
			c.hourly, u.writes[kind], u.units[kind]/u.writes[kind], u.units[kind]/u.events, sizes.sum/sizes.count, sizes.most, sizes.before)
		if sizes.before > sketch.MaxBreakdownBytes {
			t.Errorf("%d bytes before compression, want at most %d", sizes.before, sketch.MaxBreakdownBytes)
		}
		if sizes.most >= sizes.before {
			t.Errorf("%d bytes are packed into %d: compression saves nothing", sizes.before, sizes.most)
		}
	}
}
