package checkpoint

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/sinks"
)

// ChainView is what operators see of a chain: what the table holds of it, and where the log begins and ends.
type ChainView struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	Step      int64  `json:"flush"` // 0: it has not begun
	From      int64  `json:"from"`  // positions of the step: [from, to)
	To        int64  `json:"to"`
	Done      bool   `json:"done"` // false: the step is open, and its next owner does it again
	Epoch     int64  `json:"epoch"`
	Owner     string `json:"owner"`
	Group     string `json:"group"` // the consumer group of the owner
	TopicID   string `json:"topicId"`
	Base      int64  `json:"base"` // position = offset + base
	Settings  string `json:"settings"`
	Revision  int64  `json:"revision"`
	Totals    Totals `json:"totals"` // of the stats lane
	LogStart  int64  `json:"logStart"`
	// offsets, of the topic as it is now; the high watermark; -1: it has no such partition
	LogEnd int64            `json:"logEnd"`
	Lag    int64            `json:"lag"`                    // offsets between the chain and the high watermark
	Held   int64            `json:"openTransactionRecords"` // of these, how many an open transaction holds up
	HeldBy *OpenTransaction `json:"openTransaction"`        // null: none does, or the brokers do not name it
	Gap    *Gap             `json:"gap"`                    // that waits for a decision; null: none
	Park   *Park            `json:"park"`                   // why the partition is parked, of the stats lane; null: it is not
	// FlushedAt is when the flush was begun or marked as done, by its owner's clock; null: not recorded.
	FlushedAt *time.Time `json:"flushedAt"`
	// Lost: the chain has a history and no checkpoint. Somebody has deleted it.
	Lost    bool          `json:"checkpointLost"`
	History []HistoryView `json:"history"`
}

// HistoryView is one of a chain's histories: what held from a step on.
type HistoryView struct {
	Step     int64      `json:"flush"`
	From     int64      `json:"from"`
	Settings string     `json:"settings"`
	Revision int64      `json:"revision"`
	TopicID  string     `json:"topicId"`
	Base     int64      `json:"base"`
	Gap      *Gap       `json:"gap"`    // that the step passed; null: none
	Forgot   *Forgotten `json:"forgot"` // folded positions that an operator skipped before the step; null: none
}

// ViewChains reads the chains of a topic, in the order of partitions and lanes. It changes nothing, and repeats nothing that the table does
// not answer: wrap the table in package retry.
func ViewChains(ctx context.Context, kafka []kgo.Opt, topic string, table sinks.Table, keys sinks.Keys) ([]ChainView, error) {
	views := []ChainView{}
	number, ok, err := Client{table}.Topic(ctx, keys, topic)
	if err != nil || !ok {
		return views, err
	}
	all, err := loadChains(ctx, table, keys, number)
	if err != nil {
		return nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	client, err := kgo.NewClient(kafka...)
	if err != nil {
		return nil, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	topics, err := admin.ListTopics(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	topicID, logs, err := InspectTopic(ctx, admin, topic, topics[topic].Partitions.Numbers())
	if err != nil {
		return nil, err
	}
	for id, state := range all {
		log, ok := logs[id.Partition]
		if !ok { // The topic was created again with fewer partitions.
			log = Extent{Start: -1, End: -1, High: -1}
		}
		v := viewOf(state, id, hex.EncodeToString(topicID[:]), log)
		if v.Held > 0 {
			if tx, err := FindOpenTransaction(ctx, admin, topic, id.Partition); err == nil {
				v.HeldBy = &tx
			}
		}
		views = append(views, v)
	}
	slices.SortFunc(views, func(a, b ChainView) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), slices.Index(Lanes, a.Lane)-slices.Index(Lanes, b.Lane))
	})
	return views, nil
}

func viewOf(s ChainState, id ChainID, topicID string, log Extent) ChainView {
	head := s.Head
	v := ChainView{Partition: id.Partition, Lane: id.Lane, Step: head.Step, From: head.From, To: head.To, Done: head.Done, Epoch: head.Epoch,
		Owner: head.Owner, Group: head.Group, TopicID: head.TopicID, Base: head.Base, Settings: head.Ver, Revision: head.Rev, Totals: head.Totals,
		LogStart: log.Start, LogEnd: log.High, Held: log.High - log.End, Lost: s.Lost(), History: []HistoryView{}}
	if head.FlushedAt > 0 {
		v.FlushedAt = new(time.UnixMilli(head.FlushedAt).UTC())
	}
	next := log.Start
	if head.Step > 0 && head.TopicID == topicID {
		next = head.Position() - head.Base
	}
	v.Lag = max(0, log.High-next)
	if head.Gap != nil && head.Gap.Accepted == "" {
		v.Gap = head.Gap
	}
	v.Park = head.Park
	for _, h := range s.History {
		if h.Step <= head.Step || v.Lost {
			v.History = append(v.History, HistoryView{h.Step, h.From, h.Ver, h.Rev, h.TopicID, h.Base, h.Gap, h.Forgot})
		}
	}
	return v
}
