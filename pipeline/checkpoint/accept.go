package checkpoint

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/sinks"
)

// ErrNoGap reports that nothing keeps a chain from going on.
var ErrNoGap = errors.New("no data gap")

// Acceptance is an operator's decision to let a chain pass a gap.
type Acceptance struct {
	Kafka []kgo.Opt // how to reach the brokers
	Topic string
	Table sinks.Table
	Keys  sinks.Keys

	Partition int32
	Lane      string
	Step      int64 // at which the operator saw the chain stand; at any other nothing is done
}

// AcceptGap lets a chain pass its gap: the gap becomes step k+1 of the chain, which folds nothing and stays in the
// chain's history, and a running pipeline takes the partition up again within seconds. It is fenced like every owner
// of a chain; when it is cut short, the next AcceptGap or the next pipeline finishes it. Accepting a gap that is
// passed already is [ErrNoGap].
func AcceptGap(ctx context.Context, a Acceptance) (Gap, error) {
	send := NewClient(a.Table)
	number, ok, err := send.Topic(ctx, a.Keys, a.Topic)
	if err != nil {
		return Gap{}, err
	}
	if !ok {
		return Gap{}, fmt.Errorf("no pipeline has written topic %q to this table: %w", a.Topic, ErrNoGap)
	}
	client, err := kgo.NewClient(a.Kafka...)
	if err != nil {
		return Gap{}, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	id, logs, err := InspectTopic(ctx, admin, a.Topic, []int32{a.Partition})
	if err != nil {
		return Gap{}, err
	}
	tp := sinks.TP{Topic: number, Partition: a.Partition}
	key := a.Keys.Checkpoint(tp, a.Lane)
	found, err := send.BatchGet(ctx, []sinks.Key{key})
	if err != nil {
		return Gap{}, err
	}
	topicID := hex.EncodeToString(id[:])
	// Looked at before it is taken over, so that a mistake does not fence an owner who is well.
	seen, err := ReadHead(found[key])
	if err != nil {
		return Gap{}, err
	}
	if _, err := a.judge(seen, topicID, logs[a.Partition]); err != nil {
		return Gap{}, err
	}
	c, err := Acquire(ctx, send, key, ownerAccept+OwnerName(), "")
	if err != nil {
		return Gap{}, err
	}
	// Its owner until then may have folded what came after the first look.
	if _, logs, err = InspectTopic(ctx, admin, a.Topic, []int32{a.Partition}); err != nil {
		return Gap{}, err
	}
	g, err := a.judge(c.Head, topicID, logs[a.Partition])
	if err != nil {
		return Gap{}, err
	}
	if g.Accepted == "" {
		g.Accepted = time.Now().UTC().Format(time.RFC3339)
	}
	step := c.Head.Step + 1
	if err = c.Pass(ctx, a.Keys, tp, a.Lane, *g); !errors.Is(err, ErrFenced) {
		return *g, err
	}
	// A pipeline may have taken the chain over in between, and finished what was begun.
	if found, err := send.BatchGet(ctx, []sinks.Key{key}); err != nil {
		return *g, err
	} else if seen, err = ReadHead(found[key]); err != nil {
		return *g, err
	}
	if seen.Step >= step && (seen.Gap == nil || seen.Gap.Accepted != "") {
		return *g, nil
	}
	return *g, err
}

// judge finds the gap that the operator has seen, as it is now.
func (a *Acceptance) judge(head Head, topicID string, log Extent) (*Gap, error) {
	switch g := head.Gap; {
	case head.Step == 0:
		return nil, fmt.Errorf("partition %d, lane %s: nothing was flushed yet: %w", a.Partition, a.Lane, ErrNoGap)
	case g != nil && g.Accepted != "":
		return g, nil // To be finished.
	case head.Step != a.Step:
		return nil, fmt.Errorf("partition %d, lane %s: the last flush is %d, not %d: inspect the partition with `footfall status` before "+
			"you accept a gap", a.Partition, a.Lane, head.Step, a.Step)
	}
	if g := head.Gap.Standing(head, topicID); g != nil {
		return g, nil
	}
	if g := FindGap(head, topicID, log, time.Now()); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("partition %d, lane %s, flush %d: %w: no record is missing between the checkpoint and the log", a.Partition, a.Lane,
		head.Step, ErrNoGap)
}
