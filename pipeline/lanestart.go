package pipeline

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/sinks"
)

// resume finds the position where the lane continues. If records are missing, it makes the gap durable and returns it instead.
func (p *Pipeline) resume(ctx context.Context, w *worker, l *lane, log extent) (*Gap, error) {
	c := l.chain
	if _, err := p.rules.at(ctx, c.seen); err != nil { // No step that is begun from now on may have an older one.
		return nil, foreignRevision(c.key, attrSeen, err)
	}
	l.settings.NotAfter = recordedNotAfter(c.head.Ver)
	if c.head.Step == 0 {
		l.pos = log.start
		return nil, p.unbegun(ctx, w, l)
	}
	if g := c.head.Gap; g != nil && g.Accepted != "" { // The command that accepted it was cut short.
		if err := c.pass(ctx, p.keys, w.tp, l.name, *g); err != nil {
			return nil, err
		}
	}
	if c.head.TopicID != w.topicHex {
		if err := checkTopicID(c.head.TopicID); err != nil {
			return nil, sinks.Damaged(c.key, attrTopic, err)
		}
		if err := p.unseen(ctx, w, l); err != nil {
			return nil, err
		}
	}
	if g := c.head.Gap.standing(c.head, w.topicHex); g != nil {
		return g, nil
	}
	if g := findGap(c.head, w.topicHex, log, time.Now()); g != nil && !(plant.GapPassed && c.head.Done) {
		return g, c.leave(ctx, *g)
	}
	if c.head.Gap != nil {
		if err := c.forget(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if l.rules, err = p.rules.at(ctx, c.head.Rev); err != nil { // Never older than the rules that the chain has had.
		return nil, foreignRevision(c.key, attrRules, err)
	}
	l.base, l.pos = c.head.Base, c.head.Position()
	if plant.GapPassed && c.head.Done {
		l.pos = max(l.pos, log.start+l.base)
	}
	if c.head.TopicID != w.topicHex {
		l.base, l.pos = c.head.To, c.head.To // The new topic's offset 0.
		p.log.Warn("the topic was created again: its chain continues", "partition", w.partition, "lane", l.name, "position", c.head.To)
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
	l.settings, err = ParseSettings(c.head.Ver)
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
	if _, other := errors.AsType[*releaseError](err); other || err == nil {
		return err
	}
	return sinks.Damaged(key, attrVer, err)
}

// checkTopicID returns an error if the text is not the id of a topic.
func checkTopicID(id string) error {
	if b, err := hex.DecodeString(id); err != nil || len(b) != 16 {
		return fmt.Errorf("%q is not the id of a topic", clip(id))
	}
	return nil
}

// unseen makes sure that the topic is new to the chain. The id of an earlier topic comes back when two clusters have topics of one name
// and share a table. Each of them would fold its log again at every takeover.
func (p *Pipeline) unseen(ctx context.Context, w *worker, l *lane) error {
	pk, prefix := p.keys.Histories(w.tp, l.name)
	for q := (sinks.Query{PK: pk, Prefix: prefix, Consistent: true}); ; {
		page, err := p.query(ctx, q)
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			h, err := ReadHistory(it)
			if err != nil {
				return err
			}
			if h.TopicID == w.topicHex {
				return fmt.Errorf("the chain folded this topic, id %s, at step %d, and another topic named %q since: %w: do two "+
					"clusters share the table? give each a topic name, or a table, of its own", h.TopicID, h.Step, p.topic, ErrForeignTable)
			}
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

func (p *Pipeline) query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = p.send.send(ctx, nil, "read the chain's history", func() (err error) {
		page, err = p.send.table.Query(ctx, q)
		return err
	})
	return page, err
}

// unbegun makes sure that a chain without steps never had any. A deleted checkpoint leaves the chain's history in the table.
func (p *Pipeline) unbegun(ctx context.Context, w *worker, l *lane) error {
	pk, prefix := p.keys.Histories(w.tp, l.name)
	page, err := p.query(ctx, sinks.Query{PK: pk, Prefix: prefix, Limit: 1, Consistent: true})
	if err != nil {
		return err
	}
	if len(page.Items) > 0 {
		found, err := p.send.batchGet(ctx, nil, []sinks.Key{l.chain.key})
		if err != nil {
			return err
		}
		if now, err := ReadCheckpoint(found[l.chain.key]); err != nil || now.Step > 0 {
			return err // A later owner has begun it: our first intent will be refused.
		}
		return fmt.Errorf("the chain has a history and no checkpoint: %w: its checkpoint was deleted; restore it, or start "+
			"over with an empty table", ErrForeignTable)
	}
	return nil
}
