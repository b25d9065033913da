package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Job lets a table continue in a mirror of its topic.
type Job struct {
	Old, Mirror []kgo.Opt // how to reach the clusters
	Topic       string    // in both
	Group       string    // of the members
	Table       sinks.Table
	// Records is how many records to compare on either side of each position at most. Each takes about 100 bytes of memory.
	Records int
}

// Lane is a lane of a partition, and where it continues.
type Lane struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	Position  int64  `json:"position"`  // up to which it has counted
	Offset    int64  `json:"offset"`    // of that position in the old topic
	NewOffset int64  `json:"newOffset"` // in the mirror
	Before    int    `json:"before"`    // records before it that are equal
	After     int    `json:"after"`     // records from it on that are equal
	Same      bool   `json:"same"`      // all records that the mirror has before it have their old offsets
	Adopted   bool   `json:"adopted"`   // it is in the mirror, by this run or one before; what was compared is then unknown

	mirroring checkpoint.Mirroring
}

// Adopted is what came of a job.
type Adopted struct {
	OldID    string `json:"oldTopicId"`
	MirrorID string `json:"topicId"`
	Lanes    []Lane `json:"lanes"`
}

// pair is a topic and its mirror.
type pair struct {
	*Job
	old, mirror *side
	most        int
	met         map[place]meeting // both lanes of a partition are at the same offset as a rule
}

// place is an offset of the old topic.
type place struct {
	partition int32
	offset    int64
}

// Run compares all lanes with both topics. If each can continue in the mirror it lets them, unless it is a dry run; otherwise nothing is
// changed. It may be cut short and repeated.
func (j *Job) Run(ctx context.Context, dry bool) (a Adopted, err error) {
	p := pair{Job: j, most: max(1, j.Records), met: make(map[place]meeting)}
	if p.old, err = openSide(ctx, j.Old, j.Topic, "it is the topic that the table has counted"); err != nil {
		return a, fmt.Errorf("old cluster: %w", err)
	}
	defer p.old.Close()
	const create = "a mirror must have the name of its topic, as with the IdentityReplicationPolicy of MirrorMaker"
	if p.mirror, err = openSide(ctx, j.Mirror, j.Topic, create); err != nil {
		return a, fmt.Errorf("new cluster: %w", err)
	}
	defer p.mirror.Close()
	a.OldID, a.MirrorID = p.old.HexID(), p.mirror.HexID()
	if a.OldID == a.MirrorID {
		return a, fmt.Errorf("both clusters have topic %q with id %s: it is the same topic", j.Topic, a.OldID)
	}
	if a.Lanes, err = p.plan(ctx); err != nil || dry {
		return a, err
	}
	if err := p.noMembers(ctx); err != nil {
		return a, err
	}
	for i := range a.Lanes {
		l := &a.Lanes[i]
		if l.Adopted {
			continue
		}
		if err := checkpoint.ContinueInMirror(ctx, l.mirroring); err != nil {
			return a, err
		}
		l.Adopted = true
	}
	return a, nil
}

// noMembers returns an error if the group has members on either cluster.
func (p *pair) noMembers(ctx context.Context) error {
	for name, admin := range map[string]*kadm.Client{"old": p.old.Admin, "new": p.mirror.Admin} {
		n := 0
		if consumers, err := admin.DescribeConsumerGroups(ctx, p.Group); err == nil && consumers[p.Group].Err == nil {
			n = len(consumers[p.Group].Members)
		}
		if classic, err := admin.DescribeGroups(ctx, p.Group); err == nil && classic[p.Group].Err == nil {
			n = max(n, len(classic[p.Group].Members))
		}
		if n > 0 {
			return fmt.Errorf("group %q has %d members on the %s cluster: stop them first", p.Group, n, name)
		}
	}
	return nil
}

// plan finds out where all lanes continue. All reasons why some cannot come in one error.
func (p *pair) plan(ctx context.Context) ([]Lane, error) {
	keys, number, err := p.counted(ctx)
	if err != nil {
		return nil, err
	}
	states, err := checkpoint.LoadChains(ctx, p.Table, keys, number)
	if err != nil {
		return nil, err
	}
	for _, n := range p.old.Partitions { // Some may have no chain.
		for _, lane := range checkpoint.Lanes {
			id := checkpoint.ChainID{Partition: n, Lane: lane}
			if _, ok := states[id]; !ok {
				states[id] = checkpoint.ChainState{}
			}
		}
	}
	var lanes []Lane
	var faults []error
	for id, s := range states {
		var l Lane
		if s.Head.Step == 0 && len(s.History) == 0 && s.Head.Park == nil {
			err = p.unbegun(ctx, id)
		} else {
			tp := sinks.TP{Topic: number, Partition: id.Partition}
			l, err = p.lane(ctx, id, s, checkpoint.Mirroring{Table: p.Table, Key: keys.Checkpoint(tp, id.Lane), Keys: keys, TP: tp, Lane: id.Lane})
			lanes = append(lanes, l)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("partition %d, lane %s: %w", id.Partition, id.Lane, err))
		}
	}
	slices.SortFunc(lanes, func(a, b Lane) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), -cmp.Compare(a.Lane, b.Lane))
	})
	slices.SortFunc(faults, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return lanes, errors.Join(faults...)
}

// counted returns the keys of the live generation and the number of the topic in it. A generation that is not live would begin at the first
// record of the mirror.
func (p *pair) counted(ctx context.Context) (keys sinks.Keys, number int64, err error) {
	table := retry.Policy{}.Reads(p.Table)
	s, ok, err := sinks.LoadTableSettings(ctx, table, sinks.Keys{})
	if err != nil {
		return keys, 0, err
	}
	has := s.Generations
	keys = has.Keys()
	switch {
	case !ok:
		return keys, 0, errors.New("the table has counted nothing yet: start the members")
	case s.Fencing || s.Format != sinks.LastFormat:
		return keys, 0, fmt.Errorf("the table has format %d, and must have %d: run footfall upgrade finalize first", s.Format, sinks.LastFormat)
	case has.Building+has.Former+has.Dropping > 0:
		return keys, 0, errors.New("the table has another generation of items beside the live one: run footfall rebuild drop first")
	}
	number, ok, err = sinks.LoadTopic(ctx, table, keys, p.Topic)
	if err == nil && !ok {
		err = fmt.Errorf("the table has counted nothing of topic %q", p.Topic)
	}
	return keys, number, err
}

// unbegun returns an error if a lane without flushes would miss records.
func (p *pair) unbegun(ctx context.Context, id checkpoint.ChainID) error {
	list, err := p.old.first(ctx, id.Partition, 0, 1)
	if err == nil && len(list) > 0 {
		err = errors.New("it has records, and nothing of it is counted: " + drain)
	}
	return err
}

const drain = "run a member against the old cluster until it has caught up, and stop it in order (SIGTERM)"

// lane finds out where a lane continues.
func (p *pair) lane(ctx context.Context, id checkpoint.ChainID, s checkpoint.ChainState, m checkpoint.Mirroring) (l Lane, err error) {
	head := s.Head
	l = Lane{Partition: id.Partition, Lane: id.Lane, Position: head.To, Offset: head.To - head.Base}
	cut := head.Gap != nil && head.Gap.Cause == checkpoint.GapMirrored
	switch has := head.TopicID; {
	case !slices.Contains(p.mirror.Partitions, id.Partition):
		return l, fmt.Errorf("the mirror has %d partitions: it must have those of the topic", len(p.mirror.Partitions))
	case head.Park != nil:
		return l, fmt.Errorf("it is parked (%v): continue it on the old cluster first, see footfall status", head.Park)
	case has == p.mirror.HexID() && !cut:
		l.NewOffset, l.Offset, l.Adopted = l.Offset, -1, true
		return l, nil
	case has == p.mirror.HexID(): // An earlier run was cut short; what it found is recorded.
		m.Seen, m.TopicID, m.Next = head, has, head.To-head.Base
		l.NewOffset, l.Offset, l.mirroring = m.Next, -1, m
		return l, nil
	case has != p.old.HexID():
		return l, fmt.Errorf("it has counted the topic with id %s, and the old cluster has id %s: name the cluster that was counted last", has,
			p.old.HexID())
	case head.Gap != nil:
		return l, fmt.Errorf("it waits at a data gap (%s): decide about that on the old cluster first, see footfall status", head.Gap)
	case head.Step == 0:
		return l, errors.New("its checkpoint is missing: restore it first")
	case !head.Done:
		return l, fmt.Errorf("flush %d is unfinished, and can only be repeated from the topic that it was begun on: %s", head.Step, drain)
	}
	at := place{id.Partition, l.Offset}
	meet, ok := p.met[at]
	if !ok {
		if meet, err = p.meet(ctx, at.partition, at.offset); err != nil {
			return l, err
		}
		p.met[at] = meet
	}
	m.Seen, m.TopicID, m.Next, m.Same = head, p.mirror.HexID(), meet.next, meet.same
	l.NewOffset, l.Before, l.After, l.Same, l.mirroring = meet.next, meet.before, meet.after, meet.same, m
	return l, err
}
