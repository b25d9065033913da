package pipeline

import (
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// lane is one chain of a partition with what it accumulates: its next step, and the step that is being applied.
// While step k is applied, k+1 accumulates in memory; there is never a third.
type lane struct {
	name     string
	n        int // its place among Lanes
	interval time.Duration
	longest  time.Duration // of an interval while the lane is calm; below interval: that
	pace     time.Duration // over which a step's writes are spread, when there is no hurry
	chain    laneChain

	behindMax time.Duration // of an interval while the worker is behind; below interval: that

	epoch int64 // of the chain, as this worker took it over
	fold  aggregate.Fold

	admission aggregate.Admission

	settings checkpoint.Settings // of the accumulating step
	ver      string
	own      checkpoint.Settings // the process's, taken on when a redo under recorded ones is over
	rules    sites.View          // of the accumulating step; of the one before it while no record has come

	step    int64         // that accumulates
	base    int64         // position = offset + base
	durable int64         // the position up to which everything is in the table
	pos     int64         // the lane's next position; records below are folded already
	from    int64         // position of the accumulating step's first record, when records > 0
	records int           // accumulated, rejected ones included
	repeats int64         // of them, duplicates
	dated   int64         // the greatest Kafka timestamp among them that the step believes; 0: none
	through int64         // dated of the step before, which is complete once the next is begun
	window  int64         // position from which the accumulating step's window of duplicates needs the log; 0: it has none
	redo    bool          // the accumulating step is the head, done again: it ends exactly at the head's To
	tally   *tally        // raw and failed events of the accumulating step
	packs   *pack.Builder // raw events of the accumulating step, if they are packed
	open    *openStep
	due     bool      // the interval is over
	overdue bool      // it was over when another owner died in a flush: what waits in the log is flushed without waiting for a tick
	next    time.Time // the next tick
	waiting time.Time // when the accumulating step's first record was folded, when records > 0
	arrived time.Time // when it was first seen in the log
}

// openStep is a step that was cut and whose items have not all answered, or the marking of the last one as done.
type openStep struct {
	number int64
	redo   bool
	finish bool      // no step: the head is being marked as done
	since  time.Time // when it was cut
	first  time.Time // when its first record was first seen in the log
	tally  *tally
	bytes  int                        // that its writes take in memory
	flush  *Flush                     // for traces; nil: not reported
	result atomic.Pointer[stepResult] // set once by the goroutine that applies the step
}

type stepResult struct {
	err     error
	applied time.Time // when its work was over
}

// tally counts what a step has under way beside its items: raw events and failed events, which go out as records
// arrive. The step is not settled before it is zero.
type tally struct{ pending atomic.Int64 }

// firstTick is how long after its takeover the lane ticks first: at most an interval, and for each partition at another time, so
// that ticks of many do not fall together.
func (l *lane) firstTick(topic string, partition int32) time.Duration {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%s", topic, partition, l.name)
	return l.interval - time.Duration(h.Sum64()%uint64(l.interval))
}

// late reports whether the interval after the head's last flush is over.
func (l *lane) late(now time.Time) bool {
	at := l.chain.Head.FlushedAt
	return at > 0 && now.Sub(time.UnixMilli(at)) > max(l.interval, l.longest)
}

// position is the record's position in the lane.
func (l *lane) position(r *record) int64 { return r.raw.Offset + l.base }

// staleSince is when the oldest of the folded records came that are not in the table yet; zero when there is none.
func (l *lane) staleSince() time.Time {
	switch {
	case l.open != nil && !l.open.finish:
		return l.open.first
	case l.records > 0:
		return l.arrived
	}
	return time.Time{}
}

// take notes that the accumulating step has the record. arrived is when it was first seen in the log.
func (l *lane) take(r *record, arrived time.Time) {
	pos := l.position(r)
	if l.records == 0 {
		l.from, l.waiting, l.arrived, l.window = pos, time.Now(), arrived, 0
		if !l.settings.Duplicates.Off() {
			l.window = r.window + l.base
		}
	}
	l.pos = pos + 1
	if r.span != nil {
		l.pos = r.span.Next + l.base
	}
	if at := r.raw.Timestamp.UnixMilli(); at > l.dated && (l.settings.NotAfter == 0 || at <= l.settings.NotAfter) {
		l.dated = at
	}
	l.records++
}

// reached reports whether the redo has come to the end of the head's positions.
func (l *lane) reached() bool { return l.redo && l.pos >= l.chain.Head.To }

// begin starts accumulating the step after the one that was cut, under the process's own settings and the bound on record
// time of the step before, until date raises it.
func (l *lane) begin(step int64) {
	last := l.settings.NotAfter
	l.settings = l.own
	l.settings.NotAfter = last
	l.ver = l.settings.String()
	l.step, l.records, l.repeats, l.dated, l.redo, l.tally, l.packs = step, 0, 0, 0, false, new(tally), new(pack.Builder)
	l.fold.Begin(step, &l.settings)
}

// beginAgain starts accumulating the head once more, under the settings that it was begun with.
func (l *lane) beginAgain() {
	l.step = l.chain.Head.Step
	l.ver, l.records, l.repeats, l.dated, l.tally, l.packs = l.chain.Head.Ver, 0, 0, 0, new(tally), new(pack.Builder)
	l.fold.Begin(l.step, &l.settings)
	l.fold.Under(l.rules)
}

// fixRules takes the latest rules for a step whose first record may be about to come: they stay the step's own.
func (l *lane) fixRules(latest *sites.Log) {
	rev := l.rules.Rev
	if l.records == 0 && !l.redo {
		rev = max(rev, latest.Rev())
	}
	l.rules = latest.At(rev)
	l.fold.Under(l.rules)
}

// adoptFirstRules takes the first rules of newly met sites, which hold under every revision. The step's revision stays.
func (l *lane) adoptFirstRules(latest *sites.Log) {
	l.rules = latest.At(l.rules.Rev)
	l.fold.Under(l.rules)
}

// over reports whether the accumulating step has grown to times the bound of a step.
func (l *lane) over(b Limits, times int) bool {
	items, bytes := l.fold.Size()
	items += l.admission.Size() + l.packs.Len()
	bytes += l.packs.Held()
	return items >= times*b.StepItems || bytes >= times*b.StepBytes
}

// settled is the last step that is in the table as a whole.
func (l *lane) settled() int64 {
	if l.open != nil && !l.open.finish {
		return l.step - 2
	}
	return l.step - 1
}

// checkpoint says what the accumulating step's intent records, and up to which step there is history then.
func (l *lane) checkpoint(topicID string, totals checkpoint.Totals) (next checkpoint.Head, hist int64) {
	head := l.chain.Head
	next = checkpoint.Head{From: l.from, To: l.pos, TopicID: topicID, Base: l.base, Ver: l.ver, Rev: l.rules.Rev, Totals: totals,
		Repeats: l.repeats, Win: l.window, Through: l.through}
	hist = l.chain.Hist
	if head.Step == 0 || head.Ver != next.Ver || head.Rev != next.Rev || head.Base != next.Base || head.TopicID != next.TopicID ||
		head.ForgotAt(head.Step+1) != nil {
		hist = head.Step + 1
	}
	return next, hist
}

// history is the write of the step's history item, if it has one.
func (l *lane) history(keys sinks.Keys, tp sinks.TP, c checkpoint.Head, step, hist int64) []plan.Write {
	if hist != step {
		return nil
	}
	h := checkpoint.History{Step: step, From: c.From, Ver: c.Ver, Rev: c.Rev, Base: c.Base, TopicID: c.TopicID,
		Forgot: l.chain.Head.ForgotAt(step)}
	return []plan.Write{{Kind: sinks.EntityHistory, Item: h.Item(keys.History(tp, l.name, step))}}
}
