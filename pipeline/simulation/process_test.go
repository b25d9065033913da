package simulation_test

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// simProcess is a process of a simulation.
type simProcess struct {
	*testpipeline.Process
	name  string
	table *testpipeline.Faulty
	eye   *eye
	ended chan struct{} // closed
}

// begin starts a process; a stranger is in another group, which has all partitions too.
func (s *simulation) begin(name string, stranger bool) *simProcess {
	dice := rand.New(rand.NewPCG(s.dice.Uint64(), 7))
	m := s.faults
	if dice.IntN(2) == 0 {
		m.Mortal = 1.0 / float64(50+dice.IntN(500))
	}
	o := s.options(dice, name)
	if s.rotten {
		o.Kafka = s.Decayed(&s.decaying, s.net.DialContext)
	}
	if stranger { // It flushes soon after it has taken over, while the previous owner still writes.
		o.Group, o.StatsInterval = s.strange(), time.Second
	}
	p := &simProcess{name: name, table: testpipeline.NewFaulty(s.released(), s.seed, name, m, s.cover, &s.tasks)}
	s.launch(p, o)
	s.running = append(s.running, p)
	return p
}

func (s *simulation) launch(p *simProcess, o pipeline.Options) {
	p.eye = s.past.eye(p.name, p.table, &o)
	s.used = append(s.used, o.Settings)
	p.Process = s.startMember(o)
	p.ended = make(chan struct{})
	go func() {
		if err := <-p.Done; !expected(err) && !s.refused(err) {
			s.problem("process %s: Run = %v", p.name, err)
		}
		close(p.ended)
	}()
	go p.eye.watch(p.ended)
}

// expected reports whether a process may end like this. A process that cannot reach a broker when it begins ends with an error, and a
// supervisor starts another.
func expected(err error) bool {
	return err == nil || errors.Is(err, errKilled) || errors.Is(err, checkpoint.ErrFenced) || errors.As(err, new(*kgo.ErrFirstReadEOF))
}

// refused reports whether a process ended because the format of the table is above what it knows.
func (s *simulation) refused(err error) bool {
	if _, ok := errors.AsType[*sinks.FormatError](err); !ok || !s.upgrade.begun {
		return false
	}
	s.cover.Hit(onEarlierRefused)
	return true
}

func (p *simProcess) stop() {
	p.eye.stop()
	p.Process.Stop()
}

// finish ends a process in one of many ways. It reports false if the process stays for the next round.
func (s *simulation) finish(p *simProcess) bool {
	pause := time.Duration(s.dice.Float64() * float64(3*time.Second))
	switch s.dice.IntN(8) {
	case 0, 1:
		return false
	case 2:
		p.table.Die()
		p.stop()
	case 3:
		p.stop()
		s.Pass(pause)
		select {
		case <-p.ended:
		default:
			s.cover.Hit(onKillDrain)
			p.table.Die()
		}
	default:
		p.stop()
	}
	<-p.ended
	return true
}
