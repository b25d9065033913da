//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
)

// member is a place in the group and the process that holds it.
type member struct {
	*process
	place int
}

func instance(place int) string { return fmt.Sprint("member-", place) }

// join starts a consumer in the first free place.
func (c *chaos) join() *member {
	c.t.Helper()
	place := 0
	for slices.ContainsFunc(c.members, func(m *member) bool { return m.place == place }) {
		place++
	}
	m := &member{c.startMember(place), place}
	c.members = append(c.members, m)
	return m
}

func (c *chaos) startMember(place int) *process {
	c.t.Helper()
	args := []string{"run", "--http", "127.0.0.1:0"}
	if c.static {
		args = append(args, "--kafka-group-instance-id", instance(place))
	}
	env := c.env
	if n := len(c.addresses); n > 0 {
		env = append(slices.Clone(env), "AWS_ENDPOINT_URL_DYNAMODB="+c.addresses[c.consumers%n])
	}
	if c.rolling {
		modes := [...]config.RawEvents{config.RawPacked, config.RawItems}
		clients := [...]string{config.ClientSDK, config.ClientDirect}
		env = append(slices.Clone(env), "FOOTFALL_RAW_EVENTS="+string(modes[c.consumers%2]),
			"FOOTFALL_DYNAMODB_CLIENT="+clients[c.consumers/2%2])
	}
	c.consumers++
	return start(c.t, fmt.Sprintf("member %d (process %d)", place, c.consumers), env, args...)
}

// tend starts consumers again that ended by themselves, as a supervisor does: crash-only.
func (c *chaos) tend() {
	c.t.Helper()
	for _, m := range c.members {
		if !m.ended() {
			continue
		}
		c.failed(m)
		m.process = c.startMember(m.place)
	}
}

// failed notes why a member ended by itself.
func (c *chaos) failed(m *member) {
	c.t.Helper()
	cause := m.name + ": " + m.errors.tail(1)
	c.failures = append(c.failures, cause)
	if m.code() != 1 || len(c.failures) > 20 {
		c.t.Fatalf("a consumer ended with %v: %s", m.cmd.ProcessState, cause)
	}
}

// awaitWork returns when a member has settled some more steps, so that what happens to it comes at different times of
// its life, and of its partitions' intervals.
func (c *chaos) awaitWork(i int) {
	c.t.Helper()
	more := float64(1 + c.rng.IntN(10))
	var p *process
	var before float64
	poll(c.t, 100*time.Millisecond, c.members[i].name+" settles steps", func() bool {
		c.tend()
		m, err := scrape(serving(c.members[i].process))
		if err != nil {
			return false
		}
		if p != c.members[i].process {
			p, before = c.members[i].process, m["footfall_flushes_total"]
		}
		return m["footfall_flushes_total"] >= before+more
	})
}

// victim draws a member that owns partitions, at a time that is drawn.
func (c *chaos) victim() *member {
	c.t.Helper()
	for {
		i := c.rng.IntN(len(c.members))
		c.awaitWork(i)
		if m := c.members[i]; !m.ended() && len(partitionsOf(m.process)) > 0 {
			return m
		}
	}
}

// kill kills a member and waits for the next owners of its partitions.
func (c *chaos) kill() {
	c.t.Helper()
	m := c.victim()
	m.process.kill()
	c.kills++
	if c.succeed(m, partitionsOf(m.process)).half {
		c.hits++
	}
}

// term asks a member to end, as a deployment does. Its next owners have nothing to do again.
func (c *chaos) term() {
	c.t.Helper()
	m := c.victim()
	gone, held := m.process, partitionsOf(m.process)
	c.end(m)
	c.nothingRedone(gone, c.succeed(m, held))
}

// end asks a process to end and waits until it has, with exit code 0; or 1 if it ended by itself before it could hear that.
func (c *chaos) end(m *member) {
	c.t.Helper()
	began := time.Now()
	m.signal(syscall.SIGTERM)
	eventually(c.t, m.name+" ends", m.ended)
	if m.code() == 1 && !slices.ContainsFunc(m.entries(), func(e entry) bool { return e.Msg == "draining" }) {
		c.failed(m)
		return
	}
	m.wait(0)
	took := m.gone.Sub(began)
	c.drains = append(c.drains, took)
	if took > 5*time.Second {
		c.t.Logf("%s took %v to end; its last words are\n%s", m.name, took, m.errors.tail(12))
	}
}

// succeed lets others own what a process held that has gone, and has it started again.
func (c *chaos) succeed(m *member, held []int) succession {
	c.t.Helper()
	gone := m.process
	if c.static || len(c.members) == 1 {
		m.process = c.startMember(m.place)
		return c.awaitOwners(gone, held)
	}
	c.members = slices.DeleteFunc(c.members, func(x *member) bool { return x == m })
	defer c.join()
	return c.awaitOwners(gone, held)
}

// stop stops a member as a machine that sleeps would, until others have taken its partitions, and lets it go on:
// whatever it then writes late must change nothing.
func (c *chaos) stop() {
	c.t.Helper()
	if c.endpoint == "" {
		return // A stopped writer of a SQLite file may hold its lock, and so all others up.
	}
	if len(c.members) == 1 {
		c.resize()
	}
	m := c.victim()
	m.signal(syscall.SIGSTOP)
	held := partitionsOf(m.process)
	if len(held) == 0 { // It has given them up at that very moment: another one.
		m.signal(syscall.SIGCONT)
		c.stop()
		return
	}
	c.awaitOwners(m.process, held)
	woken := time.Now()
	m.signal(syscall.SIGCONT)
	c.stops++
	eventually(c.t, m.name+" learns that others own its partitions", func() bool {
		if m.ended() {
			c.tend()
			return true
		}
		return slices.ContainsFunc(m.entries(), func(e entry) bool {
			return e.Time.After(woken) && (givesUp(e) || e.Msg == "partition acquired") // as a member that has come back
		})
	})
}

// resize changes the number of members.
func (c *chaos) resize() {
	c.t.Helper()
	want := []int{1, 2, 4, 3}[c.tour%4]
	c.tour++
	for len(c.members) < want {
		c.join()
	}
	for len(c.members) > want {
		m := c.victim()
		held := partitionsOf(m.process)
		c.leave(m)
		c.nothingRedone(m.process, c.awaitOwners(m.process, held))
	}
}

// nothingRedone fails the test if the next owners of partitions that a process has drained had anything to do again.
func (c *chaos) nothingRedone(gone *process, s succession) {
	c.t.Helper()
	for _, partition := range s.redone {
		if !drained(gone, partition) {
			c.undrained++
			continue
		}
		c.redone++
		c.t.Errorf("%s has drained partition %d, and a step of it was done again; what it and the others said of it:", gone.name, partition)
		for _, p := range append([]*process{gone}, c.running()...) {
			for _, line := range p.about(partition) {
				c.t.Logf("%s: %s", p.name, line)
			}
		}
	}
}

// drained reports whether a process that was asked to end has drained a partition. It has not, and its next owner has
// something to do again, when it was fenced meanwhile, by a late copy of its own request for the chain, or when it had
// not yet done again itself what the owner before it had left open in one of the two lanes.
func drained(gone *process, partition int) bool {
	since, ended, left := lastAcquired(gone, partition), false, 0
	for _, e := range gone.entries() {
		if e.Partition != partition || e.Time.Before(since) {
			continue
		}
		switch {
		case e.Msg == "partition acquired" && e.Redo:
			left = 2
		case e.Msg == "flush repeated after a takeover":
			left--
		case e.Msg == "partition drained":
			ended = true
		}
	}
	return ended && left <= 0
}

func (c *chaos) running() (list []*process) {
	for _, m := range c.members {
		list = append(list, m.process)
	}
	return list
}

// leave takes a member out of the group. A static one's place is kept for it until its session expires, unless
// somebody says that it will not come back.
func (c *chaos) leave(m *member) {
	c.t.Helper()
	c.end(m)
	c.members = slices.DeleteFunc(c.members, func(x *member) bool { return x == m })
	if !c.static {
		return
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.brokers))
	if err != nil {
		c.t.Fatal(err)
	}
	defer cl.Close()
	r, err := kadm.NewClient(cl).LeaveGroup(c.t.Context(), kadm.LeaveGroup(c.group).InstanceIDs(instance(m.place)))
	if err == nil {
		err = r.Error()
	}
	if err != nil && !errors.Is(err, kerr.UnknownMemberID) { // Its session has expired, as it took long to end.
		c.t.Fatalf("remove %s from the group: %v", instance(m.place), err)
	}
}

// succession is what became of the partitions of a process that has gone.
type succession struct {
	redone []int // partitions whose next owner found a step to do again
	half   bool  // one of these steps was half in the table: some of its updates were, and some were not
}

// awaitOwners waits until all partitions that a process held have owners that acquired them later, and have done their
// open steps again.
func (c *chaos) awaitOwners(gone *process, held []int) (s succession) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("partitions %v of %s have new owners", held, gone.name), func() bool {
		c.tend()
		s = succession{}
		for _, partition := range held {
			owned, redone, half := c.owned(partition, lastAcquired(gone, partition))
			if !owned {
				return false
			}
			if redone {
				s.redone = append(s.redone, partition)
			}
			s.half = s.half || half
		}
		return true
	})
	return s
}

// owned tells what the members' logs say of a partition after an instant: whether one of them owns it and has nothing
// to do again any more, whether its first owner had anything to do again, and whether that was half done. An owner that a late answer
// has fenced by its own acquisition does its own step again.
func (c *chaos) owned(partition int, after time.Time) (owned, redone, half bool) {
	var first time.Time
	for _, m := range c.members {
		acquired := false
		for _, e := range m.entries() {
			if e.Partition != partition || !e.Time.After(after) {
				continue
			}
			switch e.Msg {
			case "partition acquired":
				acquired = true
				owned = owned || !e.Redo
				if first.IsZero() || e.Time.Before(first) {
					first, redone = e.Time, e.Redo
				}
			case "flush repeated after a takeover":
				owned = owned || acquired
				half = half || acquired && 0 < e.Repeated && e.Repeated < e.Updates
			}
		}
	}
	return owned, redone, half
}

// lastAcquired returns when a consumer last acquired a partition.
func lastAcquired(p *process, partition int) (when time.Time) {
	for _, e := range p.entries() {
		if e.Msg == "partition acquired" && e.Partition == partition {
			when = e.Time
		}
	}
	return when
}

// partitionsOf returns the partitions that a consumer has acquired and not given up.
func partitionsOf(p *process) (list []int) {
	held := make(map[int]bool)
	for _, e := range p.entries() {
		switch {
		case e.Msg == "partition acquired":
			held[e.Partition] = true
		case givesUp(e):
			delete(held, e.Partition)
		}
	}
	for partition := range held {
		list = append(list, partition)
	}
	slices.Sort(list)
	return list
}

// givesUp reports whether a line says that the consumer does not own a partition any more.
func givesUp(e entry) bool {
	switch e.Msg {
	case "partition drained", "drain cut short: the next owner does the open step again", "partition let go",
		"partition taken over by another owner", "fenced: acquiring the partition again":
		return true
	}
	return false
}

// serving returns the address at which a consumer serves its metrics, "" before it does.
func serving(p *process) string {
	for _, e := range p.entries() {
		if e.Msg == "serving" {
			return e.HTTP
		}
	}
	return ""
}
