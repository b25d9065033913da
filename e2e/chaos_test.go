//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
)

// Three consumers under load, one of them killed in the middle of a flush, again and again, while others come and
// go and the topic grows. Members are static: who comes back takes up its own partitions at once.
func TestChaosStaticMembersComeBack(t *testing.T) {
	onStages(t, func(t *testing.T, s *stage) {
		kills := 20
		if testing.Short() {
			kills = 4
		}
		c := newChaos(t, s)
		for i := range c.members {
			c.members[i].args = []string{"--kafka-instance-id", fmt.Sprint("member-", i)}
		}
		c.begin()
		c.killInFlush(kills / 2)
		c.addPartition()
		guest := c.join("guest") // Its coming makes the group look at the topic's partitions again.
		c.killInFlush(kills - kills/2)
		guest.drain()
		c.finish()
	})
}

// The same without static membership, in groups that the broker balances: others take over from who was killed, once
// its session has expired. One is not killed but stopped, and wakes up when others own what it holds.
func TestChaosOthersTakeOver(t *testing.T) {
	onStages(t, func(t *testing.T, s *stage) {
		kills := 5
		if testing.Short() {
			kills = 1
		}
		s.env = append(s.env, "FOOTFALL_KAFKA_PROTOCOL=consumer")
		c := newChaos(t, s)
		c.begin()
		c.takeOver = true
		c.killInFlush(kills)
		if strings.HasPrefix(s.table, "dynamodb://") { // A stopped writer of a SQLite file may hold its lock, and so all others up.
			c.stopAndContinue()
		}
		c.finish()
	})
}

// chaos is a topic under load and the members of a group that consume it.
type chaos struct {
	t *testing.T
	*stage
	topicSize int
	group     string
	members   [3]member
	started   int        // processes, which have names of their own
	kills     int        // of members
	hits      int        // of them, those in the middle of a flush
	all       []*process // every consumer that ever ran
	takeOver  bool       // wait for others before who was killed is started again
	ledgers   []string
	producers []*process
	endBad    func() (sent int)
}

// member is a place in the group: the process that holds it, and the arguments that all its processes have.
type member struct {
	*process
	args []string
}

func newChaos(t *testing.T, s *stage) *chaos {
	c := &chaos{t: t, stage: s, topicSize: 12, group: testenv.UniqueName(t)}
	s.topic = testenv.Topic(t, s.brokers, c.topicSize, nil)
	s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic, "FOOTFALL_KAFKA_GROUP="+c.group)
	s.execute(t, "table", "create")
	return c
}

func (c *chaos) begin() {
	c.load()
	c.sendBad()
	for i := range c.members {
		c.members[i].process = c.join(fmt.Sprint("member ", i), c.members[i].args...)
	}
}

// load starts a producer that writes down what Kafka acknowledged.
func (c *chaos) load() {
	n := len(c.producers)
	ledger := filepath.Join(c.t.TempDir(), "ledger")
	p := c.start(c.t, fmt.Sprint("producer ", n), "produce", "--rate", fmt.Sprint(c.rate), "--sites", "40", "--seed", fmt.Sprint(n+1), "--ledger", ledger)
	c.ledgers, c.producers = append(c.ledgers, ledger), append(c.producers, p)
}

// sendBad sends records that are no events, now and then, until endBad, which returns how many were acknowledged.
func (c *chaos) sendBad() {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.brokers), kgo.DefaultProduceTopic(c.topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	if err != nil {
		c.t.Fatal(err)
	}
	var (
		n      int
		failed error
		done   = make(chan struct{})
	)
	ctx, cancel := context.WithCancel(c.t.Context())
	go func() {
		defer close(done)
		defer cl.Close()
		for pace := time.NewTicker(50 * time.Millisecond); failed == nil; n++ {
			select {
			case <-pace.C:
			case <-ctx.Done():
				return
			}
			r := &kgo.Record{Key: []byte("nobody"), Value: fmt.Appendf(nil, "no event %d", n)}
			failed = cl.ProduceSync(context.Background(), r).FirstErr()
		}
	}()
	c.endBad = func() int {
		cancel()
		<-done
		if failed != nil {
			c.t.Errorf("send a bad record: %v", failed)
		}
		return n
	}
	c.t.Cleanup(func() { c.endBad() })
}

// join starts a consumer.
func (c *chaos) join(name string, args ...string) *process {
	c.t.Helper()
	c.started++
	p := c.start(c.t, fmt.Sprintf("%s (process %d)", name, c.started), append([]string{"run", "--http", "127.0.0.1:0"}, args...)...)
	c.all = append(c.all, p)
	return p
}

// killInFlush kills members, one after the other, until n of them were in the middle of a flush: the next owners
// found updates of an open step in the table, and others that were not. Who is killed, and when, is drawn; flushes
// take half of the time. Each is started again.
func (c *chaos) killInFlush(n int) {
	c.t.Helper()
	most := c.kills + 10*n + 20
	for n > 0 {
		if c.kills == most {
			c.t.Fatalf("of %d kills too few were in the middle of a flush: %d are wanting", c.kills, n)
		}
		i := rand.N(len(c.members))
		victim := c.members[i].process
		c.awaitWork(victim)
		victim.kill()
		c.kills++
		held := partitionsOf(victim)
		if !c.takeOver {
			c.members[i].process = c.join(fmt.Sprint("member ", i), c.members[i].args...)
		}
		if c.awaitOwners(held, victim) {
			n--
			c.hits++
		}
		if c.takeOver {
			c.members[i].process = c.join(fmt.Sprint("member ", i), c.members[i].args...)
		}
	}
}

// awaitWork returns when the process has settled some steps, so that kills come at different times of a life, and
// of its partitions' intervals.
func (c *chaos) awaitWork(p *process) {
	c.t.Helper()
	steps := float64(2 + rand.N(20))
	eventually(c.t, p.name+" settles steps", func() bool {
		p.running()
		m, err := scrape(serving(p))
		return err == nil && m["footfall_steps_total"] >= steps
	})
}

// awaitOwners waits until every one of the partitions has an owner that acquired it after the victim did, and has
// done its open steps again. It reports whether any of these steps was half in the table.
func (c *chaos) awaitOwners(partitions []int, victim *process) (half bool) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("partitions %v of %s have new owners", partitions, victim.name), func() bool {
		owned := make(map[int]bool)
		half = false
		for _, p := range c.all {
			if p == victim {
				continue
			}
			redone := logged(p, "step done again")
			for _, a := range acquired(p) {
				if !slices.Contains(partitions, a.Partition) || !a.Time.After(lastAcquired(victim, a.Partition)) {
					continue
				}
				owned[a.Partition] = owned[a.Partition] || !a.Redo
				for _, r := range redone {
					if r.Partition == a.Partition && r.Time.After(a.Time) {
						owned[a.Partition] = true
						half = half || 0 < r.Repeated && r.Repeated < r.Updates
					}
				}
			}
		}
		return len(owned) == len(partitions) && !slices.Contains(slices.Collect(maps.Values(owned)), false)
	})
	return half
}

// addPartition makes the topic larger, and starts a producer that knows.
func (c *chaos) addPartition() {
	c.t.Helper()
	c.topicSize++
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.brokers))
	if err != nil {
		c.t.Fatal(err)
	}
	defer cl.Close()
	r, err := kadm.NewClient(cl).UpdatePartitions(c.t.Context(), c.topicSize, c.topic)
	if err == nil {
		err = r.Error()
	}
	if err != nil {
		c.t.Fatalf("add a partition: %v", err)
	}
	c.load()
}

// stopAndContinue stops a member as a machine that sleeps would, until others have taken its partitions, and lets it
// go on: whatever it then writes late must change nothing.
func (c *chaos) stopAndContinue() {
	c.t.Helper()
	zombie := c.members[0].process
	c.awaitWork(zombie)
	zombie.signal(syscall.SIGSTOP)
	c.awaitOwners(partitionsOf(zombie), zombie)
	zombie.signal(syscall.SIGCONT)
	eventually(c.t, "the member that was stopped learns of it", func() bool {
		zombie.running()
		log := zombie.errors.String()
		return strings.Contains(log, "partition let go") || strings.Contains(log, "another owner") || strings.Contains(log, "fenced")
	})
}

// finish ends the load, and compares the table with a recount of the topic, while the consumers run and behind them,
// and with what Kafka acknowledged.
func (c *chaos) finish() {
	c.t.Helper()
	bad := c.endBad()
	for _, p := range c.producers {
		p.drain()
	}
	want := c.acknowledged()
	v := c.verify(c.t)
	sent := int64(bad)
	for _, n := range want {
		sent += n
	}
	if v.Records != sent {
		c.t.Errorf("the topic holds %d records, and %d were acknowledged", v.Records, sent)
	}
	for i := range c.members {
		c.members[i].drain()
	}
	c.verify(c.t)

	got := make(map[string]int64)
	for _, site := range c.sites(c.t) {
		got[site] = c.stats(c.t, site, "-1d", "now", "hour").Totals.Events
	}
	if !maps.Equal(got, want) {
		c.t.Errorf("events by site: %v, and %v were acknowledged", got, want)
	}
	entries := make(map[string]bool)
	for _, k := range failedEvents(c.t, c.stage) {
		entries[string(k.Value)] = true
	}
	if len(entries) != bad {
		c.t.Errorf("%d records are among the failed events, %d were bad", len(entries), bad)
	}
	c.t.Logf("%d consumers, %d of %d kills in the middle of a flush, %d records, %d of them bad", len(c.all), c.hits, c.kills, v.Records, bad)
}

// acknowledged counts the events that the ledgers hold, by site.
func (c *chaos) acknowledged() map[string]int64 {
	c.t.Helper()
	events := make(map[string]int64)
	for _, name := range c.ledgers {
		f, err := os.Open(name)
		if err != nil {
			c.t.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var e struct{ SiteID string }
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				c.t.Fatalf("ledger: %v in %s", err, lines.Bytes())
			}
			events[e.SiteID]++
		}
		f.Close()
	}
	return events
}

// entry is a line of a consumer's log.
type entry struct {
	Time      time.Time
	Msg, HTTP string
	Partition int
	Redo      bool
	Updates   int
	Repeated  int
}

// logged returns the lines of a consumer's log that say msg.
func logged(p *process, msg string) (list []entry) {
	for _, line := range p.errors.lines() {
		var e entry
		if strings.Contains(line, msg) && json.Unmarshal([]byte(line), &e) == nil && e.Msg == msg {
			list = append(list, e)
		}
	}
	return list
}

// serving returns the address at which a consumer serves its metrics, "" before it does.
func serving(p *process) string {
	if list := logged(p, "serving"); list != nil {
		return list[0].HTTP
	}
	return ""
}

func acquired(p *process) []entry { return logged(p, "partition acquired") }

// lastAcquired returns when a consumer last acquired a partition.
func lastAcquired(p *process, partition int) (when time.Time) {
	for _, e := range acquired(p) {
		if e.Partition == partition {
			when = e.Time
		}
	}
	return when
}

// partitionsOf returns the partitions that a consumer has acquired and not given up.
func partitionsOf(p *process) (list []int) {
	held := make(map[int]time.Time)
	for _, e := range acquired(p) {
		held[e.Partition] = e.Time
	}
	for _, msg := range []string{"partition drained", "partition let go", "partition taken over by another owner"} {
		for _, e := range logged(p, msg) {
			if !e.Time.Before(held[e.Partition]) {
				delete(held, e.Partition)
			}
		}
	}
	return slices.Sorted(maps.Keys(held))
}
