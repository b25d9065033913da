package simulation_test

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/twmb/franz-go/pkg/kadm"
)

// end drains everything, with no more faults but those under way, and has it judged.
func (s *simulation) end() {
	s.calmed()
	s.publish(len(s.records))
	if !s.drain() {
		return
	}
	if s.erasures.wanted && len(s.erasures.reports) > 0 || s.purge.created {
		s.replay()
		if !s.drain() {
			return
		}
	}
	s.mend()
	s.show()
	s.sealLast()
	s.judge()
	s.judgeErased()
	s.judgePurged()
	s.dropFormer()
}

// drain has everything in the log folded, and reports whether that came to an end.
func (s *simulation) drain() bool {
	log, err := s.read(s.Topic)
	if err != nil {
		s.problem("read the log: %v", err)
		return false
	}
	s.ends = make(map[int32]int64)
	for _, r := range log {
		s.ends[r.Partition] = max(s.ends[r.Partition], endOf(r))
	}
	drained := s.drained()
	if !drained {
		s.problem("not settled after %v", drainLimit)
		s.giveUp()
	}
	s.tasks.Wait() // Delayed requests still arrive.
	for _, p := range s.running {
		<-p.ended
	}
	return drained
}

// drainLimit is how long the last processes may take. Beyond it, something hangs.
const drainLimit = 30 * time.Minute

// drained runs processes until every chain is settled. Like a supervisor of real ones, it starts another process when one gives up,
// because delayed requests may still fence it. It stops once a problem is known: a process might give up over it at every start.
func (s *simulation) drained() bool {
	for over := time.Now().Add(drainLimit); time.Now().Before(over) && s.right(); {
		p := &simProcess{name: "last", table: testpipeline.NewFaulty(s.Table, s.seed, "last", mix{}, s.cover, &s.tasks)}
		o := s.world.With(s.Table, s.seed)
		o.ServerBalanced = s.kip848
		o.Settings = s.own()
		s.readSchemas(&o)
		if s.sealsLast() {
			o.Seal.Interval, o.Seal.After = 2*time.Second, s.sealAfter
		}
		s.launch(p, o)
		expire := time.Now().Add(staticExpiry)
		for settled := false; !settled && time.Now().Before(over); {
			select {
			case <-p.ended:
				settled = true
			case <-time.After(time.Second):
				if s.static && time.Now().After(expire) {
					s.expireEnded()
					expire = time.Now().Add(staticExpiry)
				}
				settled = s.settled() && !s.erasing() && !s.purging() && !s.rebuilding()
				s.operate()
				if s.rotten || s.trimming {
					continue
				}
				if n := testpipeline.ParkedPartitions(p.eye.metrics); n > 0 { // It would wait for an operator.
					s.problem("%d partitions are parked", n)
					settled = true
				}
			}
		}
		p.stop()
		<-p.ended
		if s.settled() && !s.erasing() && !s.purging() && !s.rebuilding() {
			return true
		}
	}
	return false
}

// staticExpiry is longer than the session timeout of a member.
const staticExpiry = 2 * time.Minute

// expireEnded removes the static members whose processes have ended from the group, as a broker does after their session timeout. kfake
// sets no session timer for a member whose connection ends while the group is about to become stable, and keeps such a member for ever.
func (s *simulation) expireEnded() {
	gone := kadm.LeaveGroup(s.group())
	for _, p := range s.running {
		select {
		case <-p.ended:
			gone = gone.InstanceIDs(p.name)
		default:
		}
	}
	// Most of them are no members any more, which is an answer and no error. What else fails is tried again.
	_, _ = kadm.NewClient(s.Client).LeaveGroup(context.Background(), gone)
}
