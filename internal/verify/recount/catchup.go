package recount

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// meet takes over what the checkpoints say now. Until they are advanced, the recounts are at earlier positions than their chains.
func (v *Model) meet(all checkpoint.ChainStates) error {
	for id, t := range all {
		if t.Head.Step == 0 || !slices.Contains(checkpoint.Lanes, id.Lane) {
			continue
		}
		c := v.Chains[id]
		if c == nil {
			c = &Chain{ChainID: id, TP: sinks.TP{Topic: v.Number, Partition: id.Partition}, Last: -1, Began: -1, Admitted: &admissions{
				Sites: make(map[string]*count.Cell[*admission]), Hours: make(map[struct{}]*count.Cell[*count.LatestCount])}}
			if id.Lane == checkpoint.LaneStats {
				c.Stats = newStatsRecount(v, c)
			} else {
				c.Realtime = newRealtimeRecount(v, c)
			}
			if err := v.readEras(c, t); err != nil {
				return err
			}
			v.begin(c, t)
			v.Chains[id] = c
			continue
		}
		if old := c.Head; t.Head.Step < old.Step {
			return fmt.Errorf("partition %d, lane %s: the checkpoint went back from step %d to %d while it was verified: "+
				"was the table restored?", id.Partition, id.Lane, old.Step, t.Head.Step)
		} else if t.Head.Step > old.Step {
			c.settle()
			c.Repeats = 0
			if t.Head.TopicID != old.TopicID {
				c.NotRecounted = "the topic was created again"
			}
			if passed(t) != c.Gaps {
				c.NotRecounted = "the chain has passed a gap"
			}
		}
		if err := v.readEras(c, t); err != nil {
			return err
		}
	}
	for id, t := range all {
		c := v.Chains[id]
		v.Recreated = v.Recreated || t.Head.Base > 0 || t.Head.TopicID != "" && t.Head.TopicID != v.Log.HexID() || c != nil && c.mirrors != nil
	}
	v.order()
	return nil
}

// readEras parses the settings that a chain was folded under.
func (v *Model) readEras(c *Chain, t checkpoint.ChainState) (err error) {
	c.Head = t.Head
	if c.current, err = v.eraOf(t.Head.From, t.Head.Ver, t.Head.Rev); err != nil {
		return err
	}
	c.seen.Widen(c.current.settings.Duplicates)
	v.Log.BatchBytes = c.current.settings.BatchBytes
	c.Eras, c.Gaps, c.Skips, c.Forgotten = c.Eras[:0], passed(t), skippedBy(t), forgottenBy(t)
	c.mirrors = mirroredBy(t)
	c.Undecided = slices.ContainsFunc(t.History, func(h checkpoint.History) bool {
		return h.Gap != nil && h.Step <= t.Head.Step && h.Gap.UndecidedFrom < h.Gap.UndecidedTo
	})
	merged := false
	for _, h := range t.History {
		if h.Step > t.Head.Step {
			break // Newer than the checkpoint that was read.
		}
		if merged { // The one before covers others: steps before this one may have had any revision up to its own.
			v.UsedTo(h.Rev)
		}
		merged = h.Merged > h.From
		e, err := v.eraOf(h.From, h.Ver, h.Rev)
		if err != nil {
			return err
		}
		e.Step = h.Step
		c.Eras = append(c.Eras, e)
		c.seen.Widen(e.settings.Duplicates)
	}
	c.believe()
	return nil
}

func (v *Model) eraOf(from int64, ver string, rev int64) (e era, err error) {
	e.From = from
	if e.settings, err = v.SettingsOf(ver); err != nil {
		return e, err
	}
	if _, err = v.RulesOf(max(e.settings.Rules, 0)); err != nil {
		return e, err
	}
	e.rules, err = v.RulesOf(rev)
	e.rules = e.rules.As(e.settings.Rules).CountedAt(e.settings.Counted)
	return e, err
}

// begin finds out where a chain begins and how much of it the log still holds.
func (v *Model) begin(c *Chain, t checkpoint.ChainState) {
	c.First = c.Head.From
	switch history := t.History; {
	case len(history) > 0 && history[0].Step == 1:
		c.First = history[0].From
	case len(history) > 0 && undecidedFirst(history[0].Gap):
		c.First = history[0].Gap.UndecidedFrom
	case c.Head.Step > 1 || c.Head.Done:
		key := v.Keys.History(c.TP, c.Lane, 1)
		v.DifferOnce(finding.Difference{Kind: finding.KindHistory, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: finding.Absent,
			Recount: "the chain's first step"})
		c.NotRecounted = "where it begins is not known"
	}
	start, ok := v.Starts[c.Partition]
	switch held := start + c.Head.Base; {
	case !ok:
		c.NotRecounted, c.next = "the topic has no such partition", c.Head.To
	case c.Head.TopicID != v.Log.HexID():
		c.NotRecounted, c.next = "the topic was created again", c.Head.To
	case c.Gaps > 0:
		c.NotRecounted, c.next = "the chain has passed a gap", held
		for _, h := range t.History {
			if h.Gap != nil && h.Step <= t.Head.Step {
				c.First = h.Gap.UnreadTo
			}
		}
	case held > c.First:
		c.NotRecounted = fmt.Sprintf("the log begins at position %d, the chain at %d", held, c.First)
		c.next = held
	default:
		c.next = held
	}
}

// probe moves the recounts beyond positions that were passed and still cannot be read.
func (v *Model) probe(ctx context.Context) error {
	for _, c := range v.Chains {
		for _, f := range c.Forgotten {
			if c.next >= f.To || c.Head.TopicID != v.Log.HexID() {
				continue
			}
			err := v.Log.Read(ctx, c.Partition, f.From-c.Head.Base, f.To-c.Head.Base, func(*kgo.Record) error { return nil })
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil {
				continue
			}
			if c.NotRecounted == "" {
				c.NotRecounted = fmt.Sprintf("positions [%d,%d) are folded, and cannot be read any more", f.From, f.To)
			}
			c.next = f.To
			v.Starts[c.Partition] = max(v.Starts[c.Partition], f.To-c.Head.Base)
		}
	}
	return nil
}

// CatchUp advances the recounts to these checkpoints.
func (v *Model) CatchUp(ctx context.Context, all checkpoint.ChainStates) error {
	if err := v.meet(all); err != nil {
		return err
	}
	if err := v.loadSchemas(ctx, all); err != nil {
		return err
	}
	if err := v.probe(ctx); err != nil {
		return err
	}
	for {
		spans, err := v.spans(ctx)
		if err != nil {
			return err
		}
		err = v.readLog(ctx, spans)
		if gone, ok := errors.AsType[*topiclog.GoneError](err); ok {
			if err := v.trimmed(ctx, gone.Partition); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, c := range v.Chains {
			if s, ok := spans[c.Partition]; ok {
				c.next = max(c.next, min(c.upTo, s.To+c.Head.Base))
			}
		}
		if len(spans) > 0 {
			continue
		}
		for _, c := range v.Chains {
			c.next = max(c.next, c.Head.To)
		}
		return nil
	}
}
