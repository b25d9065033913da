package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// past is what all processes of a simulation have done to its chains.
type past struct {
	cover *testpipeline.Coverage
	tell  func(process, line string) // what a process logs, for people

	problem func(format string, args ...any)

	mu        sync.Mutex           // covers all below
	takeovers map[string][2]int64  // by mark: the open step and how often it was taken over
	putFirst  map[sinks.Key]string // who put an item first, of those whose repetition is looked for

	conversions map[sinks.Key]string // who put them first
}

// eye looks at what one process asks of its table and at the answers that reach it, at its log and its metrics.
type eye struct {
	sinks.Table
	*past
	name     string
	settings string // the process's own, as a checkpoint spells them
	limits   pipeline.Limits
	metrics  *pipeline.Metrics

	mu       sync.Mutex // covers all below
	owner    string
	topic    int64 // its number in the generation that the process counts into
	stopping bool
	heads    map[string]*eyeHead // by mark
	selves   map[int64]bool      // partitions that its own acquire fenced it from
	others   map[int64]bool      // partitions that another's did
}

// eyeHead is a chain as the process took it over.
type eyeHead struct {
	newer          bool // there are newer rules than those of its last step
	step, position int64
	from, to       int64  // of the step
	first          bool   // the process has not owned the chain before: no request of an earlier ownership is under way
	ver            string // the settings of the step
	accumulating   bool   // it does the step again, and has not cut it
	other          bool   // under other settings than its own
	again          bool   // which an owner before had already begun to do again
}

func (p *past) eye(name string, table sinks.Table, o *pipeline.Options) *eye {
	e := &eye{Table: table, past: p, name: name, settings: undated(o.Settings.String()), limits: o.Limits,
		heads: make(map[string]*eyeHead), selves: make(map[int64]bool), others: make(map[int64]bool),
		metrics: pipeline.NewMetrics(prometheus.NewRegistry())}
	o.Table, o.Metrics, o.Log = e, e.metrics, slog.New(ear{e})
	return e
}

func (e *eye) Unwrap() sinks.Table { return e.Table }

// markOf is the mark of the chain whose checkpoint has this key.
func markOf(key sinks.Key) (mark string, partition int64) {
	var p int32
	f := strings.Split(key.SK, "#")
	fmt.Sscan(f[1], &p)
	topic, _ := testpipeline.TopicOf(key.PK)
	return sinks.AttrMark(f[2], sinks.TP{Topic: topic, Partition: p}), int64(p)
}

func (e *eye) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := e.Table.Update(ctx, u)
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if kindOf(u) == "item" {
			e.item(u, r)
		} else {
			e.checkpoint(u, r)
		}
	}
	return r, err
}

func (e *eye) checkpoint(u sinks.Update, r sinks.Result) {
	mark, partition := markOf(u.Key)
	switch kindOf(u) {
	case "acquire":
		e.owner = attr(u.Set, "own").Str()
		e.topic, _ = testpipeline.TopicOf(u.Key.PK)
		e.acquired(u.Key, mark, r.Item)
	case "intend":
		switch {
		case !r.Refused:
			if h := e.heads[mark]; h != nil {
				h.accumulating = false
			}
		case r.Item["k"].Int() == attr(u.Set, "k").Int() && r.Item["ep"].Int() == u.If[0].Value.Int():
			e.cover.Hit(onRecognised)
		default:
			e.fenced(onFencedIntent, partition, r.Item)
		}
	case "finish":
		if attr(u.Set, "seen").Kind() != sinks.None && !r.Refused {
			e.cover.Hit(onNoted)
			return
		}
		switch {
		case r.Refused:
			e.fenced(onFencedFinish, partition, r.Item)
		case e.stopping:
			e.cover.Hit(onDrainDone)
		default:
			e.cover.Hit(onIdleDone)
		}
	}
}

func (e *eye) acquired(key sinks.Key, mark string, it sinks.Item) {
	c, err := checkpoint.ReadHead(it)
	if err != nil {
		panic(err) // A checkpoint that no pipeline wrote.
	}
	newer := c.Rev < int64(testutil.ToFloat64(e.metrics.RulesRevision))
	h := &eyeHead{step: c.Step, from: c.From, to: c.To, position: c.Position(), ver: c.Ver, newer: newer, first: e.heads[mark] == nil}
	e.heads[mark] = h
	if stats := e.heads["ws"+mark[2:]]; mark[:2] == "wr" && stats != nil && stats.position != h.position {
		e.cover.Hit(onApart)
	}
	if c.Step == 0 {
		return
	}
	if c.Done {
		if undated(c.Ver) != e.settings {
			e.cover.Hit(onNewSettings)
		}
		if newer {
			e.cover.Hit(onNewRules)
		}
		return
	}
	h.accumulating, h.other = true, undated(c.Ver) != e.settings
	e.yesterdays(c.Ver)
	e.past.mu.Lock()
	defer e.past.mu.Unlock()
	t := e.takeovers[mark]
	if t[0] != c.Step {
		t = [2]int64{c.Step, 0}
	}
	h.again = t[1] > 0
	t[1]++
	e.takeovers[mark] = t
}

func (e *eye) fenced(where happening, partition int64, it sinks.Item) {
	e.cover.Hit(where)
	if it["own"].Str() == e.owner {
		e.selves[partition] = true
	} else {
		e.others[partition] = true
	}
}

func (e *eye) item(u sinks.Update, r sinks.Result) {
	e.quarantined(u, r)
	if len(u.If) == 0 || u.If[0].Op != sinks.AbsentOrLess {
		return
	}
	if h := e.heads[u.If[0].Attr]; h != nil {
		h.accumulating = false
	}
	switch attr(u.Set, sinks.AttrEntity).Str() {
	case sinks.EntityVisitor:
		e.visitor(u)
	case sinks.EntityArrival:
		e.arrival(u)
	case sinks.EntitySession, sinks.EntityNewSites:
		e.sites(u)
		e.times(u)
	case sinks.EntityStats:
		e.budgets(u)
	case sinks.EntityBudget:
		if r.Refused && r.Item[u.If[0].Attr].Int() == u.If[0].Value.Int() {
			e.cover.Hit(onBudgetKnown)
		}
	}
	if attr(u.Set, sinks.AttrErased).Kind() != sinks.None {
		if r.Refused {
			e.cover.Hit(onErasedAgain)
		} else {
			e.cover.Hit(onErasedFolded)
		}
	}
	if !r.Refused {
		return
	}
	if have, step := r.Item[u.If[0].Attr].Int(), u.If[0].Value.Int(); have == step {
		e.cover.Hit(onRepeated)
	} else if have > step {
		e.cover.Hit(onFencedItem)
	}
}

func (e *eye) visitor(u sinks.Update) {
	prev, err1 := state.DecodeVisitor(attr(u.Set, sinks.AttrPrev).Bytes())
	cur, err2 := state.DecodeVisitor(attr(u.Set, sinks.AttrCur).Bytes())
	if err1 != nil || err2 != nil {
		panic(errors.Join(err1, err2)) // States that the pipeline itself does not read.
	}
	if strings.HasPrefix(u.Key.SK, sinks.VisitorPrefix+"~erased-") {
		e.cover.Hit(onAlias)
	}
	if cur.Erased > 0 {
		e.cover.Hit(onBegunAnew)
	}
	for _, v := range prev.Visits() {
		if !slices.ContainsFunc(cur.Visits(), func(o state.Visit) bool { return o.Pos == v.Pos }) {
			e.cover.Hit(onVisitForgotten)
		}
	}
}

func (e *eye) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := e.Table.BatchGet(ctx, g)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, it := range r.Items {
		for mark, h := range e.heads {
			if !h.accumulating || it[mark].Int() != h.step {
				continue
			}
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntitySession:
				e.cover.Hit(onPrev)
				e.reached(it)
				e.preceded(it)
				e.lingered(it)
			case sinks.EntityVisitor:
				e.cover.Hit(onVisitorPrev)
			case sinks.EntityArrival:
				e.cover.Hit(onArrivalPrev)
			case sinks.EntityRealtime:
				e.cover.Hit(onMinuteSkipped)
			case sinks.EntitySiteEntry:
				e.cover.Hit(onAdmitted)
			case sinks.EntityNewSites:
				e.cover.Hit(onNewSitesPrev)
			}
		}
	}
	return r, err
}

func (e *eye) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := e.Table.Put(ctx, p)
	if p.Item[sinks.AttrEntity].Str() == sinks.EntityConversion && err == nil {
		e.conversion(p.Item)
	}
	if p.Item[sinks.AttrEntity].Str() == sinks.EntityRecent && !strings.HasSuffix(p.Item.Key().SK, "#0") {
		e.cover.Hit(onRecentMore)
	}
	if p.Item[sinks.AttrEntity].Str() == sinks.EntityVisitorSessions && !strings.HasPrefix(p.Item.Key().SK, "0#") {
		e.cover.Hit(onBuckets)
	}
	switch p.Item[sinks.AttrEntity].Str() {
	case sinks.EntityNewSessions:
		e.cover.Hit(onNewSessions)
		if e.putByOther(p.Item.Key()) && err == nil {
			e.cover.Hit(onNewSessionsAgain)
		}
	case sinks.EntityHistory:
		if e.putByOther(p.Item.Key()) && err == nil {
			e.cover.Hit(onHistoryAgain)
		}
	}
	return r, err
}

// putByOther reports whether another process has put the item before.
func (e *eye) putByOther(key sinks.Key) bool {
	e.past.mu.Lock()
	defer e.past.mu.Unlock()
	first, ok := e.putFirst[key]
	if !ok {
		e.putFirst[key] = e.name
	}
	return ok && first != e.name
}

func (e *eye) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopping = true
}

// watch looks at the gauges until the process ends, and then at its counters.
func (e *eye) watch(ended <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if n := testutil.ToFloat64(e.metrics.QueueBytes); e.limits.QueueBytes > 0 && n >= float64(e.limits.QueueBytes) {
				e.cover.Hit(onPaused)
			}
		case <-ended:
			e.cover.Add(onAhead, int(testutil.ToFloat64(e.metrics.Ahead)))
			e.cover.Add(onReleased, int(testutil.ToFloat64(e.metrics.Memory.Released)))
			e.cover.Add(onGoalsFull, int(testutil.ToFloat64(e.metrics.GoalsFull)))
			e.cover.Add(onDuplicate, int(testutil.ToFloat64(e.metrics.Records.WithLabelValues("duplicate"))))
			for by, on := range map[aggregate.Bot]happening{aggregate.BotAgent: onBotAgent, aggregate.BotReferrer: onBotReferrer,
				aggregate.BotRate: onBotRate} {
				e.cover.Add(on, int(testutil.ToFloat64(e.metrics.Bots.WithLabelValues(string(by)))))
			}
			for reason, on := range map[event.Reason]happening{event.UnknownSite: onUnknown, event.TooManySites: onTooMany,
				event.BadRecordTime: onMisdated} {
				e.cover.Add(on, int(testutil.ToFloat64(e.metrics.Rejected.WithLabelValues(string(reason)))))
			}
			for _, kind := range []string{sinks.EntityRealtime, sinks.EntityStats, sinks.EntityEvent} {
				e.cover.Add(onExpired, int(testutil.ToFloat64(e.metrics.Expired.WithLabelValues(kind))))
			}
			return
		}
	}
}

// ear listens to a process's log.
type ear struct{ *eye }

func (ear) Enabled(context.Context, slog.Level) bool { return true }
func (h ear) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h ear) WithGroup(string) slog.Handler          { return h }

func (h ear) Handle(_ context.Context, r slog.Record) error {
	e := h.eye
	attrs := make(map[string]slog.Value)
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value
		line += " " + a.String()
		return true
	})
	e.tell(e.name, line)
	number := func(name string) int64 {
		if v, ok := attrs[name]; ok {
			return v.Int64()
		}
		return -1
	}
	cause := ""
	if v, ok := attrs["cause"]; ok {
		cause = v.String()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	partition := number("partition")
	switch r.Message {
	case "flush repeated after a takeover":
		switch n := number("repeated"); {
		case n == 0:
			e.cover.Hit(onRedoScratch)
		case n < number("updates"):
			e.cover.Hit(onRedoPart)
		default:
			e.cover.Hit(onRedoWhole)
		}
		mark := sinks.AttrMark(attrs["lane"].String(), sinks.TP{Topic: e.topic, Partition: int32(partition)})
		if head := e.heads[mark]; head != nil && head.step == number("step") {
			if head.other {
				e.cover.Hit(onRedoSettings)
			}
			if head.newer {
				e.cover.Hit(onRedoRules)
			}
			if head.again {
				e.cover.Hit(onRedoRedo)
			}
		}
	case "partition acquired":
		if e.selves[partition] {
			e.cover.Hit(onFencedSelf)
		}
		if e.others[partition] {
			e.cover.Hit(onFencedBack)
		}
		delete(e.selves, partition)
		delete(e.others, partition)
	case "partition drained":
		e.cover.Hit(onDrained)
	case "partition taken over by another owner":
		e.cover.Hit(onTakenOver)
	case "partition let go":
		if strings.HasSuffix(cause, "partition lost") {
			e.cover.Hit(onLost)
		}
	default:
		if strings.HasPrefix(r.Message, "drain cut short") {
			e.cover.Hit(onDrainCut)
		}
	}
	return nil
}
