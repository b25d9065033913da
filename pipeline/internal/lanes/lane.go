package lanes

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// Lane is one chain of a partition with what it accumulates: its next step, and the step that is being applied.
// While step k is applied, k+1 accumulates in memory; there is never a third.
type Lane struct {
	Name     string
	N        int // its place among Lanes
	Interval time.Duration
	Longest  time.Duration // longest interval while the lane is calm; at least Interval
	Pace     time.Duration // over which a step's writes are spread, when there is no hurry
	Chain    requests.Chain

	BehindMax time.Duration // longest interval while the worker is behind; at least Interval

	Epoch int64 // of the chain, as this worker took it over
	Fold  aggregate.Fold

	Admission aggregate.Admission

	Settings checkpoint.Settings // of the accumulating step
	Own      checkpoint.Settings // the process's, taken on when a redo under recorded ones is over
	terms    terms
	Rules    sites.View // of the accumulating step; of the one before it while no record has come

	Step    int64 // that accumulates
	Base    int64 // position = offset + base
	Durable int64 // the position up to which everything is in the table
	Pos     int64 // the lane's next position; records below are folded already
	Redo    bool  // the accumulating step is the head, done again: it ends exactly at the head's To
	Taken   Taken // by the accumulating step
	Through int64 // Taken.Dated of the step before, which is complete once the next is begun
	Open    *Open
	Due     bool      // the interval is over
	Overdue bool      // it was already over when the previous owner died in a flush: what waits in the log is flushed at once
	Next    time.Time // the next tick
}

// Taken is what a step has accumulated beside its fold. Every step begins with newTaken.
type Taken struct {
	Records int             // rejected ones included
	Repeats int64           // of them, duplicates
	Dated   int64           // the greatest Kafka timestamp among them that the step believes; 0: none
	Tally   *outgoing.Tally // raw and failed events
	Packs   *pack.Builder   // raw events, if they are packed

	// Of the first record, when Records > 0.
	from    int64     // its position
	window  int64     // position from which its window of duplicates needs the log; 0: it has none
	waiting time.Time // when it was folded
	Arrived time.Time // when it was first seen in the log
}

func newTaken() Taken { return Taken{Tally: new(outgoing.Tally), Packs: new(pack.Builder)} }

// FirstTick is how long after its takeover the lane ticks first: at most an interval, and for each partition at another time, so
// that ticks of many do not fall together.
func (l *Lane) FirstTick(topic string, partition int32) time.Duration {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%s", topic, partition, l.Name)
	return l.Interval - time.Duration(h.Sum64()%uint64(l.Interval))
}

// Late reports whether the interval after the head's last flush is over.
func (l *Lane) Late(now time.Time) bool {
	at := l.Chain.Head.FlushedAt
	return at > 0 && now.Sub(time.UnixMilli(at)) > max(l.Interval, l.Longest)
}

// Position is the record's position in the lane.
func (l *Lane) Position(r *decoding.Record) int64 { return r.Raw.Offset + l.Base }

// StaleSince is when the oldest of the folded records came that are not in the table yet; zero when there is none.
func (l *Lane) StaleSince() time.Time {
	switch {
	case l.Open != nil && !l.Open.Finish:
		return l.Open.First
	case l.Taken.Records > 0:
		return l.Taken.Arrived
	}
	return time.Time{}
}

// Take notes that the accumulating step has the record. arrived is when it was first seen in the log.
func (l *Lane) Take(r *decoding.Record, arrived time.Time) {
	t, pos := &l.Taken, l.Position(r)
	if t.Records == 0 {
		t.from, t.waiting, t.Arrived, t.window = pos, time.Now(), arrived, 0
		if !l.Settings.Duplicates.Off() {
			t.window = r.Window + l.Base
		}
	}
	l.Pos = pos + 1
	if r.Span != nil {
		l.Pos = r.Span.Next + l.Base
	}
	if at := r.Raw.Timestamp.UnixMilli(); at > t.Dated && (l.Settings.NotAfter == 0 || at <= l.Settings.NotAfter) {
		t.Dated = at
	}
	t.Records++
}

// Reached reports whether the redo has come to the end of the head's positions.
func (l *Lane) Reached() bool { return l.Redo && l.Pos >= l.Chain.Head.To }

// Begin starts accumulating the step after the one that was cut, under the process's own settings and the bound on record
// time of the step before, until Date raises it.
func (l *Lane) Begin(step int64) {
	last := l.Settings.NotAfter
	l.Settings = l.Own
	l.Settings.NotAfter = last
	l.followScript()
	l.Settings.Maps = l.terms.maps
	l.terms.ver = l.Settings.String()
	l.Step, l.Redo, l.Taken = step, false, newTaken()
	l.Fold.Begin(step, &l.Settings)
}

// BeginAgain starts accumulating the head once more, under the settings that it was begun with.
func (l *Lane) BeginAgain() {
	l.Step, l.terms.ver, l.Taken = l.Chain.Head.Step, l.Chain.Head.Ver, newTaken()
	l.Fold.Begin(l.Step, &l.Settings)
	l.Rules = l.Rules.As(l.Settings.Rules).CountedAt(l.Settings.Counted)
	l.Fold.Under(l.Rules)
}

// FixRules takes the latest rules for a step whose first record may be about to come: they stay the step's own.
func (l *Lane) FixRules(latest *sites.Log) {
	rev := l.Rules.Rev
	if l.Taken.Records == 0 && !l.Redo {
		rev = max(rev, latest.Rev())
	}
	l.Rules = latest.At(rev).As(l.Settings.Rules).CountedAt(l.Settings.Counted)
	l.Fold.Under(l.Rules)
}

// AdoptFirstRules takes the first rules of newly met sites, which hold under every revision. The step's revision stays.
func (l *Lane) AdoptFirstRules(latest *sites.Log) {
	l.Rules = latest.At(l.Rules.Rev).As(l.Settings.Rules).CountedAt(l.Settings.Counted)
	l.Fold.Under(l.Rules)
}

// Over reports whether the accumulating step has grown to that number of items, or of bytes.
func (l *Lane) Over(items, bytes int) bool {
	haveItems, haveBytes := l.Fold.Size()
	haveItems += l.Admission.Size() + l.Taken.Packs.Len()
	haveBytes += l.Taken.Packs.Held()
	return haveItems >= items || haveBytes >= bytes
}

// Settled is the last step that is in the table as a whole.
func (l *Lane) Settled() int64 {
	if l.Open != nil && !l.Open.Finish {
		return l.Step - 2
	}
	return l.Step - 1
}

// Checkpoint says what the accumulating step's intent records, and up to which step there is history then.
func (l *Lane) Checkpoint(topicID string, totals checkpoint.Totals) (next checkpoint.Head, hist int64) {
	head := l.Chain.Head
	next = checkpoint.Head{From: l.Taken.from, To: l.Pos, TopicID: topicID, Base: l.Base, Ver: l.terms.ver, Rev: l.Rules.Rev, Totals: totals,
		Repeats: l.Taken.Repeats, Win: l.Taken.window, Through: l.Through}
	hist = l.Chain.Hist
	if head.Step == 0 || head.Ver != next.Ver || head.Rev != next.Rev || head.Base != next.Base || head.TopicID != next.TopicID ||
		head.ForgotAt(head.Step+1) != nil {
		hist = head.Step + 1
	}
	return next, hist
}

// History is the write of the step's history item, if it has one.
func (l *Lane) History(keys sinks.Keys, tp sinks.TP, c checkpoint.Head, step, hist int64) []plan.Write {
	if hist != step {
		return nil
	}
	h := checkpoint.History{Step: step, From: c.From, Ver: c.Ver, Rev: c.Rev, Base: c.Base, TopicID: c.TopicID,
		Forgot: l.Chain.Head.ForgotAt(step)}
	return []plan.Write{{Kind: sinks.EntityHistory, Item: h.Item(keys.History(tp, l.Name, step))}}
}

// Accumulated is what the lane's accumulating step takes in memory, with the states that it may change.
func (l *Lane) Accumulated() int { return l.Fold.Held() + l.Taken.Packs.Held() }

// ReachesBack is the offset from which a window of duplicates needs the log where the lane continues.
func (l *Lane) ReachesBack(of checkpoint.Duplicates) int64 {
	head := l.Chain.Head
	if head.Win > 0 && head.Base == l.Base && checkpoint.RecordedDuplicates(head.Ver) == of {
		return head.Win - l.Base
	}
	return of.Start(l.Pos - l.Base)
}
