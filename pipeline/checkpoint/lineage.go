package checkpoint

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// A checkpoint is compared with its chain's history before it is used. A checkpoint that was deleted, or that names a topic which the
// chain has never had, parks its partition: what the chain has folded is unknown until the checkpoint is restored.

// ErrNoCheckpoint reports a chain that has a history and no checkpoint.
var ErrNoCheckpoint = errors.New("the chain has a history and no checkpoint")

// CheckTopicID returns an error if the text is not the id of a topic.
func CheckTopicID(id string) error {
	if b, err := hex.DecodeString(id); err != nil || len(b) != 16 {
		return fmt.Errorf("%q is not the id of a topic", event.TruncateDetail(id))
	}
	return nil
}

// HistoryTable is what reads a chain's history.
type HistoryTable interface {
	BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error)
	Items(ctx context.Context, what string, q sinks.Query) iter.Seq2[sinks.Item, error]
}

// Lineage is a chain with its history.
type Lineage struct {
	Table HistoryTable
	Keys  sinks.Keys
	TP    sinks.TP
	Lane  string
}

// History reads the chain's history, in the order of its steps. most is the max. number of items; 0: all.
func (l *Lineage) History(ctx context.Context, most int) (list []History, err error) {
	pk, prefix := l.Keys.Histories(l.TP, l.Lane)
	for it, err := range l.Table.Items(ctx, "read the chain's history", sinks.Query{PK: pk, Prefix: prefix, Limit: most}) {
		if err != nil {
			return nil, err
		}
		h, err := ReadHistory(it)
		if err != nil {
			return nil, err
		}
		if list = append(list, h); len(list) == most {
			break
		}
	}
	return list, nil
}

// historyAt returns the history item that holds at a step.
func historyAt(list []History, step int64) (h History) {
	for _, next := range list {
		if next.Step <= step {
			h = next
		}
	}
	return h
}

// Unseen makes sure that a topic is new to the chain. The id of an earlier topic comes back when two clusters have topics of one name
// and share a table. Each of them would fold its log again at every takeover. If the chain's history does not name the checkpoint's
// topic, the checkpoint is damaged.
func (l *Lineage) Unseen(ctx context.Context, head Head, topicID string) error {
	list, err := l.History(ctx, 0)
	if err != nil {
		return err
	}
	for _, h := range list {
		if h.TopicID != topicID {
			continue
		}
		if err := l.Strange(list, head); err != nil {
			return err
		}
		return fmt.Errorf("the chain folded this topic, id %s, at step %d, and another one of this name since: %w: do two "+
			"clusters share the table? give each a topic name, or a table, of its own", h.TopicID, h.Step, ErrForeignTable)
	}
	return nil
}

// Strange returns the error of a checkpoint that names another topic than the chain's history does at its step.
func (l *Lineage) Strange(list []History, head Head) error {
	h := historyAt(list, head.Step)
	if h.Step == 0 || h.TopicID == head.TopicID {
		return nil
	}
	key := l.Keys.Checkpoint(l.TP, l.Lane)
	return sinks.Damaged(key, AttrTopic, fmt.Errorf("it names topic id %s, and the chain's history names %s from step %d on: restore the "+
		"checkpoint, then run `footfall partition resume %d`", head.TopicID, h.TopicID, h.Step, l.TP.Partition))
}

// Unbegun makes sure that a chain without steps never had any. A deleted checkpoint leaves the chain's history in the table.
func (l *Lineage) Unbegun(ctx context.Context) error {
	list, err := l.History(ctx, 1)
	if err != nil || len(list) == 0 {
		return err
	}
	key := l.Keys.Checkpoint(l.TP, l.Lane)
	found, err := l.Table.BatchGet(ctx, []sinks.Key{key})
	if err != nil {
		return err
	}
	if now, err := ReadHead(found[key]); err != nil || now.Step > 0 {
		return err // A later owner has begun it: our first intent will be refused.
	}
	return sinks.Damaged(key, "", fmt.Errorf("%w: it was deleted: restore it from a backup, then run `footfall partition resume %d`; "+
		"or stop the members and run `footfall table resume-restored`", ErrNoCheckpoint, l.TP.Partition))
}
