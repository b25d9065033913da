package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// resume finds the position where the lane continues. If records are missing, it makes the gap durable and returns it instead.
func (t *taker) resume(ctx context.Context, w *worker, l *lanes.Lane, log checkpoint.Extent) (*checkpoint.Gap, error) {
	c, past := l.Chain, checkpoint.Lineage{Table: requests.ChainTable{Send: t.send}, Keys: t.keys, TP: w.tp, Lane: l.Name}
	if _, err := t.rules.At(ctx, c.Seen); err != nil { // No step that is begun from now on may have an older one.
		return nil, foreignRevision(c.Key, checkpoint.AttrSeen, err)
	}
	l.Settings.NotAfter = checkpoint.RecordedNotAfter(c.Head.Ver)
	if c.Head.Step == 0 {
		l.Pos = log.Start
		return nil, past.Unbegun(ctx)
	}
	if g := c.Head.Gap; g != nil && g.Accepted != "" { // The command that accepted it was cut short.
		if err := c.Pass(ctx, t.keys, w.tp, l.Name, *g); err != nil {
			return nil, err
		}
	}
	if c.Head.TopicID != w.topicHex {
		if err := checkpoint.CheckTopicID(c.Head.TopicID); err != nil {
			return nil, sinks.Damaged(c.Key, checkpoint.AttrTopic, err)
		}
		if err := past.Unseen(ctx, c.Head, w.topicHex); err != nil {
			return nil, err
		}
		if err := past.Unmirrored(ctx, w.topicHex); err != nil {
			return nil, err
		}
	}
	if g := c.Head.Gap.Standing(c.Head, w.topicHex); g != nil {
		return g, nil
	}
	if g := checkpoint.FindGap(c.Head, w.topicHex, log, time.Now()); g != nil {
		return g, c.Leave(ctx, *g)
	}
	if c.Head.Gap != nil {
		if err := c.Forget(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if l.Rules, err = t.rules.At(ctx, c.Head.Rev); err != nil { // Never older than the rules that the chain has had.
		return nil, foreignRevision(c.Key, checkpoint.AttrRules, err)
	}
	l.Base, l.Pos = c.Head.Base, c.Head.Position()
	if c.Head.TopicID != w.topicHex {
		l.Base, l.Pos = c.Head.To, c.Head.To // The new topic's offset 0.
		// Cause: The topic has another id than the checkpoint: it was deleted and created again, or lies on another cluster. Remedy: None for a
		// new topic. For a mirror, stop all members and do what the message says, as in upgrading.md.
		t.log.Warn("the topic was created again: its positions continue. If it is a mirror of the former one, its records count twice: stop all "+
			"members at once, restore the table and run footfall topic adopt", "partition", w.partition, "lane", l.Name, "position", c.Head.To)
	}
	if c.Head.Done {
		return nil, nil
	}
	l.Redo = true
	l.Settings, err = checkpoint.ParseSettings(c.Head.Ver)
	return nil, checkpoint.DamagedSettings(c.Key, err)
}

// foreignRevision returns the error of a checkpoint that names a revision of the rules which the table does not have.
func foreignRevision(key sinks.Key, attr string, err error) error {
	if errors.Is(err, checkpoint.ErrForeignTable) {
		return sinks.Damaged(key, attr, err)
	}
	return err
}
