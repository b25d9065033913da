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
	tp := sinks.TP{Topic: number, Partition: a.Partition}
	x := accepting{Acceptance: &a, send: send, admin: kadm.NewClient(client), tp: tp, key: a.Keys.Checkpoint(tp, a.Lane)}
	// Looked at before it is taken over, so that a mistake does not fence an owner who is well.
	seen, err := x.head(ctx)
	if err != nil {
		return Gap{}, err
	}
	if _, err := x.gap(ctx, seen); err != nil {
		return Gap{}, err
	}
	var g Gap
	err = asOwner(ctx, send, x.key, Owner{Name: ownerAccept + OwnerName()}, func(c *Chain) error {
		// Its owner until then may have folded what came after the first look.
		found, err := x.gap(ctx, c.Head)
		if err != nil {
			return err
		}
		if g = *found; g.Accepted == "" {
			g.Accepted = time.Now().UTC().Format(time.RFC3339)
		}
		return x.pass(ctx, c, g)
	})
	return g, err
}

// accepting is the decision to accept a gap, about one lane of a partition.
type accepting struct {
	*Acceptance
	send  Client
	admin *kadm.Client
	tp    sinks.TP
	key   sinks.Key // of the checkpoint
}

func (x *accepting) head(ctx context.Context) (Head, error) {
	found, err := x.send.BatchGet(ctx, []sinks.Key{x.key})
	if err != nil {
		return Head{}, err
	}
	return ReadHead(found[x.key])
}

// gap looks at the log, and finds the gap of a chain that ends at head.
func (x *accepting) gap(ctx context.Context, head Head) (*Gap, error) {
	id, logs, err := InspectTopic(ctx, x.admin, x.Topic, []int32{x.Partition})
	if err != nil {
		return nil, err
	}
	return x.judge(head, hex.EncodeToString(id[:]), logs[x.Partition])
}

// pass makes the gap a step of the chain. A pipeline that takes the chain over in between finishes what was begun.
func (x *accepting) pass(ctx context.Context, c *Chain, g Gap) error {
	step := c.Head.Step + 1
	fenced := c.Pass(ctx, x.Keys, x.tp, x.Lane, g)
	if !errors.Is(fenced, ErrFenced) {
		return fenced
	}
	seen, err := x.head(ctx)
	if err != nil {
		return err
	}
	if seen.Step >= step && (seen.Gap == nil || seen.Gap.Accepted != "") {
		return nil
	}
	return fenced
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
