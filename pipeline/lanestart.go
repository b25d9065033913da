package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// resume finds the position where the lane continues. If records are missing, it makes the gap durable and returns it instead.
func (p *Pipeline) resume(ctx context.Context, w *worker, l *lane, log checkpoint.Extent) (*checkpoint.Gap, error) {
	c, past := l.chain, lineage{p.send, p.keys, w.tp, l.name}
	if _, err := p.rules.at(ctx, c.seen); err != nil { // No step that is begun from now on may have an older one.
		return nil, foreignRevision(c.key, checkpoint.AttrSeen, err)
	}
	l.settings.NotAfter = checkpoint.RecordedNotAfter(c.head.Ver)
	if c.head.Step == 0 {
		l.pos = log.Start
		return nil, past.unbegun(ctx)
	}
	if g := c.head.Gap; g != nil && g.Accepted != "" { // The command that accepted it was cut short.
		if err := c.pass(ctx, p.keys, w.tp, l.name, *g); err != nil {
			return nil, err
		}
	}
	if c.head.TopicID != w.topicHex {
		if err := checkTopicID(c.head.TopicID); err != nil {
			return nil, sinks.Damaged(c.key, checkpoint.AttrTopic, err)
		}
		if err := past.unseen(ctx, c.head, w.topicHex); err != nil {
			return nil, err
		}
	}
	if g := c.head.Gap.Standing(c.head, w.topicHex); g != nil {
		return g, nil
	}
	if g := checkpoint.FindGap(c.head, w.topicHex, log, time.Now()); g != nil && !(plant.GapPassed && c.head.Done) {
		return g, c.leave(ctx, *g)
	}
	if c.head.Gap != nil {
		if err := c.forget(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if l.rules, err = p.rules.at(ctx, c.head.Rev); err != nil { // Never older than the rules that the chain has had.
		return nil, foreignRevision(c.key, checkpoint.AttrRules, err)
	}
	l.base, l.pos = c.head.Base, c.head.Position()
	if plant.GapPassed && c.head.Done {
		l.pos = max(l.pos, log.Start+l.base)
	}
	if c.head.TopicID != w.topicHex {
		l.base, l.pos = c.head.To, c.head.To // The new topic's offset 0.
		p.log.Warn("the topic was created again: its positions continue", "partition", w.partition, "lane", l.name, "position", c.head.To)
	}
	if plant.NoRedo && !c.head.Done {
		l.pos = c.head.To
		return nil, nil
	}
	if c.head.Done {
		return nil, nil
	}
	l.redo = true
	if plant.RedoNewRules {
		l.rules = p.rules.latest().At(p.rules.latest().Rev())
	}
	l.settings, err = checkpoint.ParseSettings(c.head.Ver)
	if plant.RedoOwnRules {
		l.settings = l.own
	}
	return nil, damagedSettings(c.key, err)
}

// foreignRevision returns the error of a checkpoint that names a revision of the rules which the table does not have.
func foreignRevision(key sinks.Key, attr string, err error) error {
	if errors.Is(err, ErrForeignTable) {
		return sinks.Damaged(key, attr, err)
	}
	return err
}

// damagedSettings returns the error of a checkpoint whose settings cannot be parsed. Settings of another release are not damaged.
func damagedSettings(key sinks.Key, err error) error {
	if _, other := errors.AsType[*checkpoint.ReleaseError](err); other || err == nil {
		return err
	}
	return sinks.Damaged(key, checkpoint.AttrVer, err)
}
