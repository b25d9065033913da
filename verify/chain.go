package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// chainID names a chain of the topic.
type chainID struct {
	partition int32
	lane      string
}

// chain is a chain as the table tells it, and the recount of its records.
type chain struct {
	chainID
	tp      sinks.TP
	head    pipeline.Checkpoint // that the recount stands at
	eras    []era               // in order; the last step's own is the head's
	current *pipeline.Settings  // of the last step

	first int64  // position of the chain's first record
	next  int64  // position of the next record to recount
	lost  string // why its items cannot be recounted; "": they can

	seen     sightings
	stats    *statsRecount    // of the stats lane
	realtime *realtimeRecount // of the realtime lane
}

// era says which settings held from a position on.
type era struct {
	from     int64
	settings *pipeline.Settings
}

// settingsAt returns the settings of the step that a position belongs to.
func (c *chain) settingsAt(position int64) *pipeline.Settings {
	if position >= c.head.From {
		return c.current
	}
	for _, e := range slices.Backward(c.eras) {
		if e.from <= position {
			return e.settings
		}
	}
	return c.current
}

// cutOf says as of which end of the last step an item with this mark is. An absent mark is 0. ahead means that the
// mark is of a step that the chain has not begun.
func (c *chain) cutOf(mark int64) (when cut, ahead bool) {
	switch {
	case mark > c.head.Step:
		return atEnd, true
	case mark == c.head.Step, c.head.Done:
		return atEnd, false
	}
	return atBegin, false
}

// settled is the position below which nothing of the chain is on its way any more.
func (c *chain) settled() int64 {
	if c.head.Done {
		return c.head.To
	}
	return c.head.From
}

func (c *chain) settle() {
	if c.stats != nil {
		c.stats.settle()
	} else {
		c.realtime.settle()
	}
}

// heads are the checkpoints of a topic with their histories, at one moment.
type heads map[chainID]told

type told struct {
	head    pipeline.Checkpoint
	history []pipeline.History // by step
}

// sameHead reports whether a and b agree in what a comparison depends on.
func sameHead(a, b pipeline.Checkpoint) bool {
	return a.Step == b.Step && a.From == b.From && a.To == b.To && a.Done == b.Done && a.Base == b.Base && a.TopicID == b.TopicID
}

// loadHeads reads all checkpoints and histories of the topic. A checkpoint is read before its histories: only the
// history of its last step may be missing.
func (v *verifier) loadHeads(ctx context.Context) (heads, error) {
	all := make(heads)
	pk, prefix := v.keys.Checkpoints(v.number)
	err := v.query(ctx, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}, func(it sinks.Item) error {
		key := it.Key()
		part := strings.Split(key.SK, "#")
		if len(part) < 3 {
			return fmt.Errorf("item %s / %s: not the key of a checkpoint or a history", key.PK, key.SK)
		}
		n, err := strconv.ParseInt(part[1], 10, 32)
		if err != nil {
			return fmt.Errorf("item %s / %s: the partition is not a number", key.PK, key.SK)
		}
		id := chainID{int32(n), part[2]}
		t := all[id]
		if len(part) > 3 {
			t.history = append(t.history, pipeline.ReadHistory(it))
		} else if t.head, err = pipeline.ReadCheckpoint(it); err != nil {
			return err
		}
		all[id] = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	return all, nil
}

// meet takes over what the checkpoints say now. The recounts then stand behind their chains until they are advanced.
func (v *verifier) meet(all heads) error {
	for id, t := range all {
		if t.head.Step == 0 || !slices.Contains(pipeline.Lanes, id.lane) {
			continue
		}
		c := v.chains[id]
		if c == nil {
			c = &chain{chainID: id, tp: sinks.TP{Topic: v.number, Partition: id.partition}}
			if id.lane == pipeline.LaneStats {
				c.stats = newStatsRecount(v, c)
			} else {
				c.realtime = newRealtimeRecount(v, c)
			}
			if err := v.learn(c, t); err != nil {
				return err
			}
			v.begin(c, t)
			v.chains[id] = c
			continue
		}
		if old := c.head; t.head.Step < old.Step {
			return fmt.Errorf("partition %d, lane %s: the checkpoint went back from step %d to %d while it was verified: "+
				"was the table restored?", id.partition, id.lane, old.Step, t.head.Step)
		} else if t.head.Step > old.Step {
			c.settle()
			if t.head.TopicID != old.TopicID {
				c.lost = "the topic was created again"
			}
		}
		if err := v.learn(c, t); err != nil {
			return err
		}
	}
	v.order()
	return nil
}

// learn parses the settings that a chain was folded under.
func (v *verifier) learn(c *chain, t told) (err error) {
	c.head = t.head
	if c.current, err = v.settingsOf(t.head.Ver); err != nil {
		return err
	}
	c.seen.widen(c.current.Duplicates)
	c.eras = c.eras[:0]
	for _, h := range t.history {
		if h.Step > t.head.Step {
			break // Newer than the checkpoint that was read.
		}
		s, err := v.settingsOf(h.Ver)
		if err != nil {
			return err
		}
		c.eras = append(c.eras, era{h.From, s})
		c.seen.widen(s.Duplicates)
	}
	return nil
}

func (v *verifier) settingsOf(ver string) (*pipeline.Settings, error) {
	if s := v.settings[ver]; s != nil {
		return s, nil
	}
	s, err := pipeline.ParseSettings(ver)
	if err != nil {
		return nil, err
	}
	v.settings[ver] = &s
	return &s, nil
}

// begin finds out where a chain begins and how much of it the log still holds.
func (v *verifier) begin(c *chain, t told) {
	c.first = c.head.From
	switch history := t.history; {
	case len(history) > 0 && history[0].Step == 1:
		c.first = history[0].From
	case c.head.Step > 1 || c.head.Done:
		key := v.keys.History(c.tp, c.lane, 1)
		v.differ(Difference{Kind: kindHistory, PK: key.PK, SK: key.SK, Attribute: whole, Table: absent, Recount: "the chain's first step"})
		c.lost = "where it begins is not known"
	}
	start, ok := v.starts[c.partition]
	switch held := start + c.head.Base; {
	case !ok:
		c.lost, c.next = "the topic has no such partition", c.head.To
	case c.head.TopicID != v.log.hexID():
		c.lost, c.next = "the topic was created again", c.head.To
	case held > c.first:
		c.lost = fmt.Sprintf("the log begins at position %d, the chain at %d", held, c.first)
		c.next = held
	default:
		c.next = held
	}
}

// checkHead compares the checkpoint itself: its totals with those of the recount, which must stand at its end, and
// its settings with the last history.
func (v *verifier) checkHead(c *chain, t told) {
	if c.lost != "" {
		if c.stats != nil {
			v.leaveOut(becauseLog)
		}
		return
	}
	key := v.keys.Checkpoint(c.tp, c.lane)
	if n := len(t.history); n > 0 && t.head.Done {
		v.count(kindHistory)
		for _, a := range []struct{ name, head, history string }{
			{"ver", t.head.Ver, t.history[n-1].Ver},
			{"base", strconv.FormatInt(t.head.Base, 10), strconv.FormatInt(t.history[n-1].Base, 10)},
			{"tid", t.head.TopicID, t.history[n-1].TopicID},
		} {
			if a.head != a.history && t.history[n-1].Step <= t.head.Step {
				v.differ(Difference{Kind: kindHistory, PK: key.PK, SK: key.SK, Attribute: a.name, Table: a.head,
					Recount: "the last history has " + a.history})
			}
		}
	}
	if c.stats == nil {
		return
	}
	v.count(kindCheckpoint)
	have, want := t.head.Totals, c.stats.totals
	differ := func(name string, have, want int64) {
		if have != want {
			v.differ(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "totals." + name,
				Table: strconv.FormatInt(have, 10), Recount: strconv.FormatInt(want, 10)})
		}
	}
	differ("counted", have.Counted, want.Counted)
	differ("duplicate", have.Duplicate, want.Duplicate)
	differ("sessionless", have.Sessionless, want.Sessionless)
	reasons := make(map[pipeline.Reason]bool)
	for _, totals := range []pipeline.Totals{have, want} {
		for r := range totals.Rejected {
			reasons[r] = true
		}
	}
	for r := range reasons {
		differ("rejected."+string(r), have.Rejected[r], want.Rejected[r])
	}
}
