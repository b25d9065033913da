package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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
	if d.shut == "takeovers" && kindOf(u) == "acquire" {
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
		first := w.start(w.with(d, 0))
		time.Sleep(10 * time.Second) // It has taken the chains.
		o := w.with(s, 0)
		o.Group = "other"
		later := w.start(o)
		produce(30)
		time.Sleep(20 * time.Second)
		close(d.opened)
		time.Sleep(time.Minute)
		first.drain()
		later.drain()
	}}.rows(t), want)
}

// TestOwnerAtWorkUntilTheTakeoverLeavesNoGap: what the owner before folded between the look at the log and the
// takeover of its chains is no gap.
func TestOwnerAtWorkUntilTheTakeoverLeavesNoGap(t *testing.T) {
	t.Parallel()
	records := traffic(50, 1, 120, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		owner := w.start(w.with(s, 0))
		produce(40)
		w.settled()
		d := &door{s, "takeovers", make(chan struct{})}
		o := w.with(d, 0)
		o.Group = "other"
		next := w.start(o)
		time.Sleep(10 * time.Second) // It has looked at the log.
		produce(40)
		w.settled()
		owner.drain()
		close(d.opened)
		time.Sleep(10 * time.Second)
		produce(40)
		w.settled()
		next.drain()
	}}.rows(t), want)
}

// TestOvertakenRedoKeepsSessionsListed: a process that does a step again, while another has done so and gone on,
// takes no session of the step for one that was there before.
func TestOvertakenRedoKeepsSessionsListed(t *testing.T) {
	t.Parallel()
	event := func(session string, n int) record {
		return record{key: "s", at: bubbleStart, value: fmt.Appendf(nil,
			`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v","sessionId":%q,"id":"%d"}`, bubbleStart.UnixMilli(), session, n)}
	}
	records := []record{event("a", 0), event("b", 1), event("c", 2), event("a", 3)}
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		g := &gate{Table: s, match: func(k sinks.Key) bool { return k.PK == "SITE#s" }, answer: throttled}
		g.shut.Store(true)
		first := w.start(w.with(g, 0))
		produce(3)
		time.Sleep(15 * time.Second)
		first.drain()
		if c := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Step != 1 || c.Done {
			w.t.Errorf("stats checkpoint %+v, want step 1 open", c)
		}
		d := &door{s, "reads", make(chan struct{})}
		o := w.with(d, 0)
		o.Group = "other"
		overtaken := w.start(o)
		time.Sleep(10 * time.Second) // It has taken the chains and waits for the states.
		run := w.start(w.with(s, 0))
		w.settled()
		produce(1)
		w.settled()
		run.drain()
		close(d.opened)
		time.Sleep(time.Minute)
		w.settled()
		overtaken.drain()
	}}.rows(t), want)
}
