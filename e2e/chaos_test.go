//go:build unix

package e2e

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/faultproxy"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// A chaos is short as the tests begin it, and as long and as bad as the flags say: see `make chaos`.
var (
	chaosEvents = flag.String("chaos.events", "", "how often what happens, as in "+
		"kill=100,stop=30,term=20,members=5,partition=2,broker=1,rule=20,site=5,acl=1,zero=2,beyond=2,\n"+
		"in an order that is drawn; empty: a few of each")
	chaosDuration   = flag.Duration("chaos.duration", 0, "the load goes on for at least so long")
	chaosRate       = flag.Int("chaos.rate", 0, "events a second; 0: what the parts take easily")
	chaosVisit      = flag.Int("chaos.visit", 0, "events of a visit on average; 0: as synthetic traffic has them, three")
	chaosSites      = flag.Int("chaos.sites", 40, "sites in the traffic")
	chaosPartitions = flag.Int("chaos.partitions", 12, "of the topic, at the beginning")
	chaosInterval   = flag.Duration("chaos.interval", 500*time.Millisecond,
		"flush interval of the stats lane; that of realtime is two fifths of it")
	chaosRaw    = flag.String("chaos.raw", "", "rawEvents of all members; empty: packed, in the classic group packed and items in turn")
	chaosClient = flag.String("chaos.client", "",
		"dynamodb.client of everything: sdk or direct; empty: sdk, in the classic group sdk and direct in turn")
	chaosSeed   = flag.Uint64("chaos.seed", 1, "draws traffic, faults, and what happens to whom when")
	chaosFaults = flag.String("chaos.faults", "lost=2,error=1,refuse=1,delay=0.5,late=0.5,twice=1,throttle=2,hotkey=1,partial=10,"+
		"cut=0.5,close=1,skew=0.2",
		"percent of the requests of consumers to DynamoDB Local that meet each fault")
	chaosHold = flag.Duration("chaos.hold", 5*time.Second, "how long a request is held at the most; its sender waits 3 s")
)

func init() {
	flag.DurationVar(&patience, "chaos.patience", patience, "how long one thing may take, the last verify above all")
}

// Members are static, and a process that comes back takes up its own partitions at once. As in a rolling deployment that changes
// rawEvents and dynamodb.client, processes differ in these from the one that was started before them.
func TestChaosClassicGroup(t *testing.T) {
	slow.Test(t)
	events := "kill=4,term=2,members=1,partition=1,broker=1,rule=2"
	onStages(t, func(t *testing.T, s *stage) {
		c := newChaos(t, s)
		c.static, c.rolling = true, *chaosRaw == "" && *chaosClient == ""
		c.run(cmp.Or(*chaosEvents, events))
	})
}

// The broker balances the group, as of KIP-848, and others take over from who was killed or stopped once its session
// has expired. Who was stopped wakes up when others own what it holds.
func TestChaosConsumerGroup(t *testing.T) {
	events := "kill=2,stop=1,term=1,members=1,partition=1,broker=1,rule=2"
	if slow.Fewer(t) {
		events = "kill=1,stop=1,term=1"
	}
	onStages(t, func(t *testing.T, s *stage) {
		s.env = append(s.env, "FOOTFALL_KAFKA_GROUP_PROTOCOL=consumer")
		c := newChaos(t, s)
		c.run(cmp.Or(*chaosEvents, events))
	})
}

// TestRealChaosOfCommittedOffsets: an ACL takes the right to the group away and gives it back, and the group's committed offsets are set to
// 0 and beyond the end. What is counted depends on none of them.
func TestRealChaosOfCommittedOffsets(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onKafkaVersions(t, func(t *testing.T, broker *testenv.Broker) {
		s := stageOn(t, broker)
		s.set("FOOTFALL_KAFKA_SESSION_TIMEOUT", "20s") // With a heartbeat in 2 s a member tries to commit in between.
		c := newChaos(t, s)
		c.run(cmp.Or(*chaosEvents, "acl=1,zero=1,beyond=1,kill=1"))
	})
}

// chaos is a topic under load and the members of a group that consume it, to whom things happen.
type chaos struct {
	t *testing.T
	*stage
	rng       *rand.Rand
	static    bool     // members are; else others take over from who has gone
	rolling   bool     // members keep raw events in packs and as items in turn, and change their client with every second
	addresses []string // of DynamoDB as consumers see it, through the proxy, by IPv4 and by IPv6; none on SQLite
	proxy     *faultproxy.Proxy
	endProxy  func()
	topicSize int
	group     string
	members   []*member
	tour      int // how often their number has changed
	ledgers   []string
	producer  *process
	endBad    func() (sent int)
	open      atomic.Int64   // sites that visits go to
	goals     map[string]int // how many goals a site has

	// What has happened.
	consumers       int // that were started
	kills, hits     int // of them, in the middle of a flush
	stops, restarts int
	rules, created  int             // rules of sites that were decided, and sites that were created
	refused, resets int             // commits of offsets that an ACL refused by what members log, and how often the group was reset
	drains          []time.Duration // from SIGTERM to the end
	redone          int             // drained partitions with steps that the next owner did again
	undrained       int             // partitions that a terminated process could not drain
	failures        []string        // causes for which consumers ended by themselves
}

func newChaos(t *testing.T, s *stage) *chaos {
	s.rate = cmp.Or(*chaosRate, s.rate)
	s.env = append(s.env, fmt.Sprint("FOOTFALL_INTERVALS_STATS=", *chaosInterval), fmt.Sprint("FOOTFALL_INTERVALS_REALTIME=",
		*chaosInterval*2/5),
		"FOOTFALL_RAW_EVENTS="+cmp.Or(*chaosRaw, string(config.Default().RawEvents)),
		"FOOTFALL_DYNAMODB_CLIENT="+cmp.Or(*chaosClient, config.Default().DynamoDB.Client))
	c := &chaos{t: t, stage: s, rng: rand.New(rand.NewPCG(*chaosSeed, 0x6368616f73)), topicSize: *chaosPartitions,
		group: testenv.UniqueName(t),
		goals: make(map[string]int)}
	s.topic = testenv.Topic(t, s.brokers, c.topicSize, nil)
	s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic, "FOOTFALL_KAFKA_GROUP="+c.group)
	s.execute(t, "table", "create")
	c.open.Store(int64(*chaosSites))
	if *chaosVisit > 0 {
		c.set("FOOTFALL_BOTS_RATE", fmt.Sprint(*chaosVisit*3/2)) // A quarter of the visits are longer, and fast.
		for n := range *chaosSites / 3 {
			c.create(n)
		}
	}
	if s.endpoint != "" {
		c.insertProxy()
	}
	return c
}

// insertProxy puts a fault proxy between the consumers and DynamoDB Local. What else uses the table goes past it.
func (c *chaos) insertProxy() {
	mix, err := faultproxy.ParseMix(*chaosFaults)
	if err != nil {
		c.t.Fatal(err)
	}
	c.proxy = faultproxy.New(faultproxy.Options{Target: c.endpoint, Mix: mix, Hold: *chaosHold, Seed: *chaosSeed})
	var servers []*httptest.Server
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		at, err := net.Listen("tcp", address)
		if err != nil && len(servers) > 0 {
			c.t.Logf("no IPv6 on this machine: %v", err)
			break
		} else if err != nil {
			c.t.Fatal(err)
		}
		server := &httptest.Server{Listener: at, Config: &http.Server{Handler: c.proxy}}
		server.Start()
		servers, c.addresses = append(servers, server), append(c.addresses, server.URL)
	}
	c.endProxy = func() {
		for _, server := range servers {
			server.Close()
		}
		c.proxy.Wait()
	}
	c.t.Cleanup(c.endProxy)
}

// run lets things happen to three members under load, and then compares everything.
func (c *chaos) run(events string) {
	c.t.Helper()
	happen := map[string]func(){
		"kill": c.kill, "stop": c.stop, "term": c.term, "members": c.resize, "partition": c.addPartition, "broker": c.killBroker,
		"rule": c.decide, "site": c.createSite,
		"acl": c.refuseCommits, "zero": func() { c.reset(0) }, "beyond": func() { c.reset(beyondTheEnd) },
	}
	var script []string
	for part := range strings.SplitSeq(events, ",") {
		name, count, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(count)
		if err != nil || happen[name] == nil {
			c.t.Fatalf("event %q: write NAME=COUNT, with names among %v", part, slices.Sorted(maps.Keys(happen)))
		}
		script = append(script, slices.Repeat([]string{name}, n)...)
	}
	c.rng.Shuffle(len(script), func(i, j int) { script[i], script[j] = script[j], script[i] })

	began := time.Now()
	c.load()
	c.sendBad()
	for range 3 {
		c.join()
	}
	for _, name := range script {
		happen[name]()
	}
	for most := c.kills + 20; c.kills > 0 && c.hits == 0; c.kill() { // Kills between flushes alone prove little.
		if c.kills == most {
			c.t.Fatalf("none of %d kills was in the middle of a flush", c.kills)
		}
	}
	c.loadUntil(began.Add(*chaosDuration))
	c.finish()
}

// load starts a producer that writes down what Kafka acknowledged.
func (c *chaos) load() {
	ledger := filepath.Join(c.t.TempDir(), "ledger")
	c.ledgers = append(c.ledgers, ledger)
	n := len(c.ledgers)
	name, args := fmt.Sprint("producer ", n), []string{"produce", "--rate", fmt.Sprint(c.rate), "--ledger", ledger}
	if *chaosVisit > 0 {
		r, w := io.Pipe()
		go c.visits(w, n)
		c.t.Cleanup(func() { r.Close() })
		c.producer = startReading(c.t, name, r, c.env, append(args, "--from-file", "-", "--record-time", "now")...)
	} else {
		c.producer = c.start(c.t, name, append(args, "--sites", fmt.Sprint(*chaosSites), "--duplicates", "0.01", "--seed",
			fmt.Sprint(1000**chaosSeed+uint64(n)))...)
	}
	eventually(c.t, name+" has sent something", func() bool { // Before that a signal may find no one who drains.
		c.producer.running()
		info, err := os.Stat(ledger)
		return err == nil && info.Size() > 0
	})
}

// loadUntil lets the members work in peace for the rest of a long run.
func (c *chaos) loadUntil(end time.Time) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for time.Now().Before(end) {
		<-tick.C
		c.tend()
	}
}

// sendBad sends records that are no events, now and then, until endBad, which returns how many were acknowledged.
func (c *chaos) sendBad() {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.brokers), kgo.DefaultProduceTopic(c.topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()),
		kgo.AlwaysRetryEOF()) // So ends a connection through Docker while the broker is down.
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

// addPartition makes the topic larger, and the producer one that knows.
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
	c.producer.drain()
	c.load()
}

// killBroker ends the broker under everybody's feet, and starts it again.
func (c *chaos) killBroker() {
	c.t.Helper()
	c.restartBroker(c.t)
	c.restarts++
	c.awaitWork(c.rng.IntN(len(c.members)))
}

// finish ends the load, and compares the table with a recount of the topic, while the consumers run and behind them,
// and with what Kafka acknowledged.
func (c *chaos) finish() {
	c.t.Helper()
	bad := c.endBad()
	c.producer.drain()
	sent, want := acknowledged(c.t, c.ledgers)
	v := c.verify(c.t)
	if v.Records != sent+int64(bad) {
		c.t.Errorf("the topic holds %d records, and %d and %d bad ones were acknowledged", v.Records, sent, bad)
	}
	for len(c.members) > 0 {
		c.leave(c.members[0])
	}
	if c.proxy != nil {
		c.endProxy() // What it still holds comes to the table first.
	}
	v = c.verify(c.t)
	if got := c.counted(c.t); !maps.Equal(got, want) {
		c.t.Errorf("events by site: %v, and %v were acknowledged", got, want)
	}
	entries := make(map[string]bool)
	for _, k := range failedEvents(c.t, c.stage) {
		entries[string(k.Value)] = true
	}
	if len(entries) != bad {
		c.t.Errorf("%d records are among the failed events, %d were bad", len(entries), bad)
	}
	c.tell(v, bad)
}

// tell says what the run was.
func (c *chaos) tell(v verified, bad int) {
	c.t.Helper()
	c.t.Logf("%d records, %d of them bad, in %d partitions; %d items compared, %d of them conversions, %d differences; the ledger agrees",
		v.Records, bad, c.topicSize, v.ComparedCount,
		v.Compared["conversion"], v.DifferenceCount)
	c.t.Logf("%d consumers, %d kills, %d of them in the middle of a flush, %d pauses, %d restarts of the broker", c.consumers, c.kills, c.hits,
		c.stops, c.restarts)
	c.t.Logf("%d rules of sites decided and %d sites created under load; commits of %d members refused, the group reset %d times", c.rules,
		c.created, c.refused, c.resets)
	if len(c.drains) > 0 {
		slices.Sort(c.drains)
		c.t.Logf("%d terminations, half of them within %v, all within %v; %d drained partitions were redone, and %d that could not be drained",
			len(c.drains),
			c.drains[len(c.drains)/2].Round(time.Millisecond), c.drains[len(c.drains)-1].Round(time.Millisecond), c.redone, c.undrained)
	}
	for _, cause := range c.failures {
		c.t.Logf("a consumer ended by itself: %s", cause)
	}
	if c.proxy == nil {
		return
	}
	var requests, writes int64
	met, writesMet := make(map[faultproxy.Fault]int64), make(map[faultproxy.Fault]int64)
	for kind, n := range c.proxy.Counts() {
		requests += n
		met[kind.Fault] += n
		switch kind.Operation {
		case "UpdateItem", "PutItem", "BatchWriteItem":
			writes += n
			writesMet[kind.Fault] += n
		}
	}
	c.t.Logf("%d requests of consumers to DynamoDB Local, %d of them writes", requests, writes)
	for _, f := range faultproxy.Faults {
		if met[f] > 0 {
			c.t.Logf("%8s: %6d, %6d of them writes, %.2f %%", f, met[f], writesMet[f], 100*float64(writesMet[f])/float64(writes))
		}
	}
}
