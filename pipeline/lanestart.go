package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// resume finds the position where the lane continues. If records are missing, it makes the gap durable and returns it instead.
func (t *taker) resume(ctx context.Context, w *worker, l *lane, log checkpoint.Extent) (*checkpoint.Gap, error) {
	c, past := l.chain, checkpoint.Lineage{Table: chainTable{send: t.send}, Keys: t.keys, TP: w.tp, Lane: l.name}
	if _, err := t.rules.at(ctx, c.Seen); err != nil { // No step that is begun from now on may have an older one.
		return nil, foreignRevision(c.Key, checkpoint.AttrSeen, err)
	}
	l.settings.NotAfter = checkpoint.RecordedNotAfter(c.Head.Ver)
	if c.Head.Step == 0 {
		l.pos = log.Start
		return nil, past.Unbegun(ctx)
	}
	if g := c.Head.Gap; g != nil && g.Accepted != "" { // The command that accepted it was cut short.
		if err := c.Pass(ctx, t.keys, w.tp, l.name, *g); err != nil {
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
	if l.rules, err = t.rules.at(ctx, c.Head.Rev); err != nil { // Never older than the rules that the chain has had.
		return nil, foreignRevision(c.Key, checkpoint.AttrRules, err)
	}
	l.base, l.pos = c.Head.Base, c.Head.Position()
	if c.Head.TopicID != w.topicHex {
		l.base, l.pos = c.Head.To, c.Head.To // The new topic's offset 0.
		t.log.Warn("the topic was created again: its positions continue", "partition", w.partition, "lane", l.name, "position", c.Head.To)
	}
	if c.Head.Done {
		return nil, nil
	}
	l.redo = true
	l.settings, err = checkpoint.ParseSettings(c.Head.Ver)
	return nil, checkpoint.DamagedSettings(c.Key, err)
}

// foreignRevision returns the error of a checkpoint that names a revision of the rules which the table does not have.
func foreignRevision(key sinks.Key, attr string, err error) error {
	if errors.Is(err, checkpoint.ErrForeignTable) {
		return sinks.Damaged(key, attr, err)
	}
	return err
}
