package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// door is a table some of whose requests wait until it is opened.
type door struct {
	sinks.Table
	shut   string // which: takeovers, reads, queries
	opened chan struct{}
}

func (d *door) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if d.shut == "takeovers" && testpipeline.KindOf(u) == "acquire" {
		<-d.opened
	}
	defer time.Sleep(time.Second) // What is sent beside it is answered first.
	return d.Table.Update(ctx, u)
}

func (d *door) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if d.shut == "reads" && strings.HasPrefix(g.Keys[0].PK, "SITE") {
		<-d.opened
	}
	return d.Table.BatchGet(ctx, g)
}

func (d *door) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if d.shut == "queries" && strings.HasPrefix(q.PK, "CHAIN") {
		<-d.opened
	}
	return d.Table.Query(ctx, q)
}

// TestChainBegunByALaterOwnerIsNotForeign: a process that took over a chain before its first step, and looks at its
// history when another has taken it and begun it, is fenced like any other.
func TestChainBegunByALaterOwnerIsNotForeign(t *testing.T) {
	t.Parallel()
	records := traffic(52, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		d := &door{s, "queries", make(chan struct{})}
		first := w.Start(w.With(d, 0))
		time.Sleep(10 * time.Second) // It has taken the chains.
		o := w.With(s, 0)
		o.Group = "other"
		later := w.Start(o)
		produce(30)
		time.Sleep(20 * time.Second)
		close(d.opened)
		time.Sleep(time.Minute)
		first.Drain()
		later.Drain()
	}}.rows(t), want)
}

// TestOwnerAtWorkUntilTheTakeoverLeavesNoGap: what the owner before folded between the look at the log and the
// takeover of its chains is no gap.
func TestOwnerAtWorkUntilTheTakeoverLeavesNoGap(t *testing.T) {
	t.Parallel()
	records := traffic(50, 1, 120, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		owner := w.Start(w.With(s, 0))
		produce(40)
		w.Settled()
		d := &door{s, "takeovers", make(chan struct{})}
		o := w.With(d, 0)
		o.Group = "other"
		next := w.Start(o)
		time.Sleep(10 * time.Second) // It has looked at the log.
		produce(40)
		w.Settled()
		owner.Drain()
		close(d.opened)
		time.Sleep(10 * time.Second)
		produce(40)
		w.Settled()
		next.Drain()
	}}.rows(t), want)
}

// TestOvertakenRedoKeepsSessionsListed: a process that does a step again, while another has done so and gone on,
// takes no session of the step for one that was there before.
func TestOvertakenRedoKeepsSessionsListed(t *testing.T) {
	t.Parallel()
	event := func(session string, n int) record {
		return record{Key: "s", At: bubbleStart, Value: fmt.Appendf(nil,
			`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v","sessionId":%q,"id":"%d"}`, bubbleStart.UnixMilli(), session, n)}
	}
	records := []record{event("a", 0), event("b", 1), event("c", 2), event("a", 3)}
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		g := &gate{Table: s, match: func(k sinks.Key) bool { return k.PK == "SITE#s" }, answer: throttled}
		g.shut.Store(true)
		first := w.Start(w.With(g, 0))
		produce(3)
		time.Sleep(15 * time.Second)
		first.Drain()
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Step != 1 || c.Done {
			w.T.Errorf("stats checkpoint %+v, want step 1 open", c)
		}
		d := &door{s, "reads", make(chan struct{})}
		o := w.With(d, 0)
		o.Group = "other"
		overtaken := w.Start(o)
		time.Sleep(10 * time.Second) // It has taken the chains and waits for the states.
		run := w.Start(w.With(s, 0))
		w.Settled()
		produce(1)
		w.Settled()
		run.Drain()
		close(d.opened)
		time.Sleep(time.Minute)
		w.Settled()
		overtaken.Drain()
	}}.rows(t), want)
}
