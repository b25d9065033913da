package simulation_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// The simulation stops partitions until an operator decides: a disk damages batches for a while, and records are deleted before they are
// folded. The operator resumes, skips and accepts. Some of the commands are cut short and repeated.
//
// Deleted records are only hidden from clients. In the end they are shown again, so that everything after a gap is compared with the
// log. The table that is judged presents such gaps as skipped by an operator, because verify then recounts what is around them.

// rot has a disk damage some of the records.
func rot(dice *rand.Rand, records []record) {
	for i := range records {
		if r := &records[i]; dice.IntN(40) == 0 && !r.Crowd {
			r.Value = bytes.Replace(r.Value, []byte(`"visitorId":"`), append([]byte(`"visitorId":"`), testpipeline.Rotten...), 1)
		}
	}
}

// operate has an operator look at all partitions, and decide about those that wait.
func (s *simulation) operate() {
	if !s.rotten && !s.trimming {
		return
	}
	for n := range s.partitions {
		table := s.Table
		if s.dice.IntN(3) == 0 && !s.calm.Load() {
			table = testpipeline.NewMortal(table, 1+s.dice.IntN(12))
		}
		skips := s.dice.IntN(2) == 0 && !s.calm.Load()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := s.decideAbout(ctx, table, n, skips)
		cancel()
		if errors.Is(err, errKilled) {
			s.cover.Hit(onOperatorCut)
		} else if err != nil { // Another command was faster, or the brokers are in trouble.
			s.tell("operator", err.Error())
		}
	}
}

func (s *simulation) decideAbout(ctx context.Context, table sinks.Table, n int32, skips bool) error {
	tp := sinks.TP{Topic: 1, Partition: n}
	for _, lane := range checkpoint.Lanes {
		head := s.Checkpoint(tp, lane)
		if head.Gap == nil {
			continue
		}
		a := s.Acceptance(n, lane, head.Step)
		a.Table = table
		if _, err := checkpoint.AcceptGap(ctx, a); err != nil {
			return err
		}
		s.cover.Hit(onGapAccepted)
	}
	park := s.Checkpoint(tp, checkpoint.LaneStats).Park
	if park == nil {
		return nil
	}
	u := s.Unparking(n)
	u.Table, u.From, u.To = table, park.From, park.To
	if skips && park.From < park.To {
		err := checkpoint.Skip(ctx, u)
		if err == nil {
			s.cover.Hit(onSkipped)
		}
		return err
	}
	_, err := checkpoint.Resume(ctx, u)
	if errors.Is(err, checkpoint.ErrHalfSkipped) { // A command was cut short.
		return checkpoint.Skip(ctx, u)
	}
	if err == nil {
		s.cover.Hit(onResumed)
	}
	return err
}

// trim deletes records of a partition: mostly ones that are not folded yet, and none of an open step.
func (s *simulation) trim() {
	n := s.dice.Int32N(s.partitions)
	ends, err := kadm.NewClient(s.Client).ListCommittedOffsets(context.Background(), s.Topic)
	end, ok := ends.Lookup(s.Topic, n)
	if err != nil || !ok || end.Err != nil {
		return
	}
	next, open := int64(1<<62), false
	for _, lane := range checkpoint.Lanes {
		head := s.Checkpoint(sinks.TP{Topic: 1, Partition: n}, lane)
		next, open = min(next, head.Position()), open || !head.Done
		if head.Step == 0 { // A chain that has not begun loses nothing: it begins where the log begins.
			return
		}
	}
	if open && s.dice.IntN(4) > 0 || next >= end.Offset {
		return
	}
	s.floors[n].Store(max(s.floors[n].Load(), next+1+s.dice.Int64N(end.Offset-next)))
	s.cover.Hit(onTrimmed)
}

// hide has brokers answer as if the records below the floors were deleted.
func (s *simulation) hide() {
	topics, err := kadm.NewClient(s.Client).ListTopics(context.Background(), s.Topic)
	if err != nil {
		s.problem("list topics: %v", err)
		return
	}
	id := topics[s.Topic].ID
	s.Cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		s.Cluster.KeepControl()
		for _, t := range r.(*kmsg.FetchRequest).Topics {
			for i := range t.Partitions {
				if p := &t.Partitions[i]; (t.Topic == s.Topic || t.TopicID == id) && p.FetchOffset < s.floors[p.Partition].Load() {
					p.FetchOffset = 1 << 60 // Out of range.
				}
			}
		}
		return nil, nil, false
	})
	s.Cluster.ControlKey(int16(kmsg.ListOffsets), func(r kmsg.Request) (kmsg.Response, error, bool) {
		s.Cluster.KeepControl()
		req := r.(*kmsg.ListOffsetsRequest)
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		for _, t := range req.Topics {
			rt := kmsg.NewListOffsetsResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				if t.Topic != s.Topic || p.Timestamp != -2 {
					return nil, nil, false
				}
				rp := kmsg.NewListOffsetsResponseTopicPartition()
				rp.Partition, rp.Offset = p.Partition, s.floors[p.Partition].Load()
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
}

// show shows the hidden records again.
func (s *simulation) show() {
	for i := range s.floors {
		s.floors[i].Store(0)
	}
}

// gaps returns the gaps that the stats lane of a partition has passed.
func (s *simulation) gaps(partition int32) (gaps []checkpoint.Gap) {
	for _, h := range s.histories(partition) {
		if h.Gap != nil {
			gaps = append(gaps, *h.Gap)
		}
	}
	return gaps
}

// unseenBefore returns the position below which the window of duplicates does not reach after a gap: the end of what was skipped, or of
// what is not in the log. The log holds all records of a step that is undecided for its window alone.
func unseenBefore(g checkpoint.Gap) int64 {
	switch {
	case g.Cause == checkpoint.GapWindow:
		return 0
	case g.SkippedTo > 0:
		return g.SkippedTo
	}
	return g.UnreadTo
}

// gapAt returns the gap of a partition's stats lane that an offset lies in, and whether it is undecided there; nil: none.
func gapAt(gaps []checkpoint.Gap, offset int64) (g *checkpoint.Gap, undecided bool) {
	for i := range gaps {
		g := &gaps[i]
		switch {
		case g.UndecidedFrom <= offset && offset < g.UndecidedTo:
			return g, true
		case g.UnreadFrom <= offset && offset < g.UnreadTo:
			return g, false
		}
	}
	return nil, false
}

// shown is the table with every gap that leaves nothing undecided presented as one that an operator skipped.
type shown struct {
	sinks.Table
	items map[sinks.Key]sinks.Item
}

func (s *simulation) shown() sinks.Table {
	all := shown{s.Table, make(map[sinks.Key]sinks.Item)}
	for n := range s.partitions {
		tp := sinks.TP{Topic: s.of.topic, Partition: n}
		for _, lane := range checkpoint.Lanes {
			pk, prefix := s.of.keys.Histories(tp, lane)
			page, err := s.Table.Query(context.Background(), sinks.Query{PK: pk, Prefix: prefix, Consistent: true})
			if err != nil {
				s.problem("read the histories: %v", err)
			}
			floor := int64(0)
			for _, it := range page.Items {
				h, err := checkpoint.ReadHistory(it)
				if err != nil || h.Gap == nil {
					continue
				}
				if h.Gap.UndecidedFrom < h.Gap.UndecidedTo {
					s.cover.Hit(onUndecided)
				} else if h.Gap.Cause == checkpoint.GapExpired {
					h.Gap.Cause = checkpoint.GapSkipped
					it["gap"] = sinks.Str(string(mustJSON(h.Gap)))
					all.items[it.Key()] = it
					floor = max(floor, h.Gap.UnreadTo)
				}
			}
			if key := (s.of.keys.Checkpoint(tp, lane)); floor > 0 {
				it := s.Item(key)
				it["floor"] = sinks.Int(max(floor, it["floor"].Int()))
				all.items[key] = it
			}
		}
	}
	return all
}

func (t shown) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := t.Table.Query(ctx, q)
	for i, it := range page.Items {
		if other := t.items[it.Key()]; other != nil {
			page.Items[i] = other
		}
	}
	return page, err
}

func (t shown) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := t.Table.BatchGet(ctx, g)
	for key := range r.Items {
		if other := t.items[key]; other != nil {
			r.Items[key] = other
		}
	}
	return r, err
}
