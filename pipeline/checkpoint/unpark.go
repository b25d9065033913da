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

// ErrNotParked reports that the partition is not parked.
var ErrNotParked = errors.New("the partition is not parked: `footfall status` shows which are")

// ErrHalfSkipped reports that a command which skips records was cut short, and must be repeated.
var ErrHalfSkipped = errors.New("to skip its records was cut short")

// Unparking is an operator's decision about a partition that is parked.
type Unparking struct {
	Kafka []kgo.Opt // how to reach the brokers; of Skip only
	Topic string
	Table sinks.Table
	Keys  sinks.Keys

	Partition int32
	From, To  int64 // offsets to pass, [From, To); of Skip only
}

// Resume lets a partition continue where it was parked. A running pipeline acquires it within seconds, and parks it again if the
// cause is still there. Resume returns why the partition was parked, or [ErrNotParked], or [ErrHalfSkipped].
func Resume(ctx context.Context, u Unparking) (Park, error) {
	send := NewClient(u.Table)
	tp, err := u.chains(ctx, send)
	if err != nil {
		return Park{}, err
	}
	head, err := u.head(ctx, send, u.Keys.Checkpoint(tp, LaneStats))
	if err != nil {
		return Park{}, err
	}
	if head.Park == nil {
		return Park{}, fmt.Errorf("partition %d: %w", u.Partition, ErrNotParked)
	}
	if err := u.halfSkipped(ctx, send, tp, head); err != nil {
		return Park{}, err
	}
	return *head.Park, u.release(ctx, send, tp, head.Park)
}

// halfSkipped returns [ErrHalfSkipped] if one lane has passed the range that parks the partition and another has not. The two lanes
// would have different windows, and would disagree on which of the records after the range are duplicates.
func (u *Unparking) halfSkipped(ctx context.Context, send Client, tp sinks.TP, stats Head) error {
	if stats.Park.Reason != ParkedRead {
		return nil
	}
	from := stats.Park.From
	passed := func(c Head) bool { return c.Step > 0 && c.Floor > from+c.Base }
	realtime, err := u.head(ctx, send, u.Keys.Checkpoint(tp, LaneRealtime))
	if err != nil || passed(stats) == passed(realtime) {
		return err
	}
	to := max(stats.Floor-stats.Base, realtime.Floor-realtime.Base)
	return fmt.Errorf("partition %d: %w: repeat it: footfall partition skip %d --from-offset %d --to-offset %d",
		u.Partition, ErrHalfSkipped, u.Partition, from, to)
}

// Skip lets a partition pass the offsets [From, To), which cannot be read. In each lane they become a step that folds
// nothing and stays in the chain's history, as an accepted gap does; the partition then continues at To. Offsets that a lane has folded
// already are passed by its window of duplicates alone (forgotten.go). Like every owner
// it fences the one before. When it is cut short, the next Skip of the same range completes it.
func Skip(ctx context.Context, u Unparking) error {
	if u.From < 0 || u.From >= u.To {
		return fmt.Errorf("offsets [%d,%d): the first must be less than the second", u.From, u.To)
	}
	send := NewClient(u.Table)
	tp, err := u.chains(ctx, send)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(u.Kafka...)
	if err != nil {
		return fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	id, logs, err := InspectTopic(ctx, kadm.NewClient(client), u.Topic, []int32{u.Partition})
	if err != nil {
		return err
	}
	if end := logs[u.Partition].End; u.To > end {
		return fmt.Errorf("offsets [%d,%d): the log ends at offset %d", u.From, u.To, end)
	}
	head, err := u.head(ctx, send, u.Keys.Checkpoint(tp, LaneStats))
	if err != nil {
		return err
	}
	if head.Park == nil {
		return fmt.Errorf("partition %d: %w: only what keeps a partition from continuing can be skipped", u.Partition, ErrNotParked)
	}
	if head.Park.Reason != ParkedRead {
		return fmt.Errorf("partition %d is parked for another reason, %s: to skip records does not help", u.Partition, head.Park)
	}
	s := skipping{Unparking: &u, send: send, tp: tp, park: head.Park, topicID: hex.EncodeToString(id[:])}
	for _, lane := range Lanes { // Looked at before anything is taken over, so that a mistake changes nothing.
		head, err := u.head(ctx, send, u.Keys.Checkpoint(tp, lane))
		if err != nil {
			return err
		}
		if err := s.judge(lane, head); err != nil {
			return err
		}
	}
	for _, lane := range Lanes {
		if err := s.pass(ctx, lane); err != nil {
			return fmt.Errorf("partition %d, lane %s: %w", u.Partition, lane, err)
		}
	}
	return u.release(ctx, send, tp, s.park)
}

// skipping is the decision to skip records, about a parked partition as it was found.
type skipping struct {
	*Unparking
	send    Client
	tp      sinks.TP
	park    *Park
	topicID string // in hex
}

// chains finds the chains of the partition.
func (u *Unparking) chains(ctx context.Context, send Client) (sinks.TP, error) {
	number, ok, err := send.Topic(ctx, u.Keys, u.Topic)
	if err == nil && !ok {
		err = fmt.Errorf("no pipeline has written topic %q to this table: %w", u.Topic, ErrNotParked)
	}
	return sinks.TP{Topic: number, Partition: u.Partition}, err
}

func (u *Unparking) head(ctx context.Context, send Client, key sinks.Key) (Head, error) {
	found, err := send.BatchGet(ctx, []sinks.Key{key})
	if err != nil {
		return Head{}, err
	}
	return ReadHead(found[key])
}

// judge reports why the lane cannot pass the range: it must end right before it, or have folded a part of it before it became unreadable.
func (s *skipping) judge(lane string, head Head) error {
	next := head.Position() - head.Base
	switch {
	case head.Step > 0 && head.TopicID != s.topicID:
		return fmt.Errorf("partition %d, lane %s: the topic was created again: resume the partition", s.Partition, lane)
	case head.Gap != nil && head.Gap.Accepted == "":
		return fmt.Errorf("partition %d, lane %s: a data gap must be accepted first: inspect it with `footfall status`", s.Partition, lane)
	case head.Skipped(s.To) || next == s.From, head.Step > 0 && !head.Done, s.folded(head) > s.From:
		return nil
	case next > s.From:
		return fmt.Errorf("partition %d, lane %s has folded everything before offset %d: skip from there", s.Partition, lane, next)
	case s.park.From != s.From: // Only what parks a partition is known to follow records that are all folded.
		return fmt.Errorf("partition %d, lane %s continues at offset %d, and the records that cannot be read begin at offset %d: skip "+
			"from there", s.Partition, lane, next, s.park.From)
	}
	return nil
}

// folded returns the offset up to which the chain has folded the range, or From if it has folded nothing of it. Records before those
// that park the partition are no part of the range.
func (s *skipping) folded(head Head) int64 {
	u, park := s.Unparking, s.park
	next := head.Position() - head.Base
	if head.Step == 0 || u.From < park.From || next <= u.From || next < u.To && 0 < park.To && park.To <= next {
		return u.From
	}
	return min(next, u.To)
}

// release removes the park from the checkpoint, if it is still the one that was seen. A copy of the request that comes late
// finds another or none.
func (u *Unparking) release(ctx context.Context, send Client, tp sinks.TP, park *Park) error {
	r, err := send.Update(ctx, sinks.EntityCheckpoint, sinks.Update{Key: u.Keys.Checkpoint(tp, LaneStats), Remove: []string{AttrPark},
		If: []sinks.Cond{{Attr: AttrPark, Op: sinks.Equal, Value: park.Attr().Value}}})
	if err != nil {
		return fmt.Errorf("partition %d: resume it: %w", u.Partition, err)
	}
	if !r.Refused {
		return nil
	}
	have, err := ReadHead(r.Item)
	if err != nil || have.Park == nil {
		return err // A request before this one has done it.
	}
	return fmt.Errorf("partition %d was parked again: %s: inspect it with `footfall status`", u.Partition, have.Park)
}

// pass makes the range a step of one lane.
func (s *skipping) pass(ctx context.Context, lane string) error {
	by := Owner{Name: ownerSkip + OwnerName()}
	return asOwner(ctx, s.send, s.Keys.Checkpoint(s.tp, lane), by, func(c *Chain) error { return s.passAs(ctx, c, lane) })
}

// passAs makes the range a step of a chain that the command has taken over, unless it is one already.
func (s *skipping) passAs(ctx context.Context, c *Chain, lane string) error {
	if g := c.Head.Gap; g != nil && g.Accepted != "" { // A decision that was cut short.
		if err := c.Pass(ctx, s.Keys, s.tp, lane, *g); err != nil {
			return err
		}
	}
	if c.Head.Skipped(s.To) {
		return nil
	}
	if err := s.judge(lane, c.Head); err != nil { // Its owner until then may have moved it.
		return err
	}
	from := s.folded(c.Head)
	if from > s.From {
		if err := c.ForgetWindow(ctx, s.From+c.Head.Base, from+c.Head.Base); err != nil || from == s.To {
			return err
		}
	}
	g := Gap{Cause: GapSkipped, Step: c.Head.Step, UnreadFrom: from + c.Head.Base, UnreadTo: s.To + c.Head.Base, TopicID: s.topicID,
		Base: c.Head.Base, Found: s.park.Since, Accepted: time.Now().UTC().Format(time.RFC3339)}
	g.UndecidedFrom, g.UndecidedTo = g.UnreadFrom, g.UnreadFrom
	if c.Head.Step > 0 && !c.Head.Done { // A step that reaches into the range cannot be done again.
		g.UndecidedFrom, g.UndecidedTo, g.UnreadFrom = c.Head.From, c.Head.To, c.Head.To
		if g.UnreadTo < g.UnreadFrom {
			g.SkippedTo, g.UnreadTo = g.UnreadTo, g.UnreadFrom
		}
	}
	if c.Head.Step == 0 {
		c.Head.Ver, c.Head.Rev = DefaultSettings().String(), c.Seen
	}
	return c.Pass(ctx, s.Keys, s.tp, lane, g)
}
