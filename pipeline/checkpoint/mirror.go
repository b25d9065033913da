package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// A topic may be mirrored to another cluster, where it has another id and its records other offsets. A chain continues there by a step
// that folds nothing, and that stays in its history as a gap of the cause GapMirrored: positions below it are of the old topic.

// ErrMoved reports that a chain has moved since it was looked at.
var ErrMoved = errors.New("the chain has moved in between: a member is at work")

// Mirroring lets a chain continue in a mirror of its topic.
type Mirroring struct {
	Table sinks.Table
	Key   sinks.Key // of the checkpoint
	Keys  sinks.Keys
	TP    sinks.TP
	Lane  string

	Seen    Head   // as it was looked at; its step is done
	TopicID string // of the mirror, in hex
	Next    int64  // offset in the mirror of the record after the chain's last one
	Same    bool   // all records of the mirror before Next have the offsets that they had
}

// Gap is what the chain's history says of the mirroring. Positions never become less than offsets: a mirror may have markers of
// transactions that the topic does not have. They jump then.
func (m *Mirroring) Gap(now time.Time) Gap {
	at, from := now.UTC().Format(time.RFC3339), m.Seen.To
	to := max(from, m.Next)
	return Gap{Cause: GapMirrored, Step: m.Seen.Step, UndecidedFrom: from, UndecidedTo: from, UnreadFrom: from, UnreadTo: to,
		TopicID: m.TopicID, Base: to - m.Next, Same: m.Same && to-m.Next == m.Seen.Base, Found: at, Accepted: at}
}

// ContinueInMirror makes the step. It may be called again at any point of it, and does nothing if the chain is in the mirror. A chain that
// is not as it was seen is an error that wraps [ErrMoved]. If it is cut short, the next takeover completes it.
func ContinueInMirror(ctx context.Context, m Mirroring) error {
	return asOwner(ctx, NewClient(m.Table), m.Key, Owner{Name: ownerMirror + OwnerName()}, func(c *Chain) error {
		if g := c.Head.Gap; g != nil && g.Accepted != "" { // It was cut short.
			if err := c.Pass(ctx, m.Keys, m.TP, m.Lane, *g); err != nil {
				return err
			}
		}
		g := m.Gap(time.Now())
		switch head := c.Head; {
		case head.TopicID == m.TopicID && head.Base == g.Base && head.To == g.UnreadTo:
			return nil
		case head.Step != m.Seen.Step, head.TopicID != m.Seen.TopicID, !head.Done, head.Park != nil, head.Gap != nil && head.Gap.Accepted == "":
			return fmt.Errorf("partition %d, lane %s: %w: stop all members, and run this again", m.TP.Partition, m.Lane, ErrMoved)
		}
		return c.Pass(ctx, m.Keys, m.TP, m.Lane, g)
	})
}

// Unmirrored returns an error if another chain of the topic continues in a mirror, with this id, in which the lineage's chain does not: the
// command that moves them was cut short. The mirror's first records are folded already.
func (l *Lineage) Unmirrored(ctx context.Context, topicID string) error {
	all := make(ChainStates)
	pk, prefix := l.Keys.Checkpoints(l.TP.Topic)
	for it, err := range l.Table.Items(ctx, "read the chains", sinks.Query{PK: pk, Prefix: prefix}) {
		if err == nil {
			err = all.Add(it)
		}
		if err != nil {
			return err
		}
	}
	for id, s := range all {
		for _, h := range s.eras() { // The step may have no history yet.
			if h.mirrored() && h.TopicID == topicID {
				return fmt.Errorf("partition %d, lane %s continues in this topic, id %s, as a mirror of the former one, and this lane does not: "+
					"footfall topic adopt was cut short: run it again", id.Partition, id.Lane, topicID)
			}
		}
	}
	return nil
}

// mirrored reports whether the chain continued in a mirror of its topic with the step.
func (h History) mirrored() bool { return h.Gap != nil && h.Gap.Cause == GapMirrored }
