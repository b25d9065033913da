package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// One producer attacks a partition with batches and records that cost memory, cannot be read, or are damaged. Two members
// count on: their resident memory stays under the ceiling that they log, the other partitions follow their log, all figures
// of the sites that share the partition are exact, and the recount agrees.
func TestRealAttacksOnAPartition(t *testing.T) {
	slow.Test(t)
	endpoint, broker := testenv.DynamoDB(t), testenv.OwnBroker(t)
	name := testenv.UniqueName(t)
	s := newStage(broker.Addr, testenv.Topic(t, broker.Addr, attackedPartitions, nil), "dynamodb://"+name)
	for variable, value := range testenv.AWSEnv(endpoint) {
		s.set(variable, value)
	}
	s.set("FOOTFALL_LIMITS_MEMORY_BYTES", fmt.Sprint(64<<20)) // Less than by default, so that the ceiling is near.
	s.set("FOOTFALL_LIMITS_FETCHED_BYTES", fmt.Sprint(16<<20))
	s.set("FOOTFALL_LIMITS_IN_FLIGHT", "32") // DynamoDB Local shares the machine.
	s.set("FOOTFALL_INTERVALS_STATS", "2s")
	s.set("FOOTFALL_INTERVALS_REALTIME", "1s")
	s.set("GOMEMLIMIT", "") // The members set it by themselves, whatever the tests run under.
	s.execute(t, "table", "create")
	a := &attack{t: t, stage: s, published: make(map[string]int64)}
	a.client = a.producer()
	members := a.startMembers("first")
	huge := zstdBatch(t, 8<<20, crafted{spaces: 500 << 20})
	a.phase("three batches of 500 MiB", members, func() {
		for range 3 {
			a.send(huge)
		}
	})
	headed := zstdBatch(t, 8<<20, crafted{before: a.event("headers.example", 0, 0, ""), header: 900 << 10})
	a.phase("1,500 records with headers of 900 KiB", members, func() {
		for range 1500 {
			a.send(headed)
		}
		a.published["headers.example"] += 1500 // They have no id.
	})
	a.phase("a batch of 1,100 MiB", members, func() {
		a.send(zstdBatch(t, 8<<20, crafted{before: a.event("before.example", 0, 0, "")}, crafted{spaces: 1100 << 20},
			crafted{before: a.event("after.example", 0, 0, "")}))
		a.published["before.example"]++
		a.published["after.example"]++
	})
	// The broker takes it. Its last text refers back to its first over 20 MiB, further than footfall's window.
	far := rand.Text() + rand.Text() + rand.Text() + rand.Text()
	a.phase("a batch that cannot be streamed", members, func() {
		a.send(zstdBatch(t, 64<<20, crafted{before: a.event("readable.example", 0, 0, "")}, crafted{before: far, spaces: 20 << 20, after: far}))
		a.published["readable.example"]++
	})
	// The broker takes these, too: of what is not compressed it compares only the count with the header. The client of Kafka continues after
	// the offset that a record says it has.
	a.phase("records with other offsets than their places", members, func() {
		for _, delta := range []int64{1000, 1 << 30, -1} {
			var plain bytes.Buffer
			if err := (crafted{before: a.event("wrong.example", 0, 0, "")}).writeTo(&plain, delta); err != nil {
				t.Fatal(err)
			}
			a.send(batchOf(kgo.CodecNone, 1, plain.Bytes()))
		}
	})
	a.phase("costly records", members, a.costly)
	a.awaitLag("all partitions are at the end of their logs", members, 1, 0, 1, 2, 3)
	a.checkRejected(map[event.Reason]int{event.TooLarge: 4, event.Unreadable: 4})
	a.stopMembers(members)

	// A batch that is damaged on the broker's disk parks its partition, for the next members, too.
	lost := "lost" + rand.Text()
	a.ordinary(0, 100)
	if err := a.client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if err := (crafted{before: a.event(lost, 0, 0, "")}).writeTo(&plain, 0); err != nil {
		t.Fatal(err)
	}
	sendBatch(t, a.client, s.topic, 0, batchOf(kgo.CodecNone, 1, plain.Bytes()))
	broker.Damage(t, s.topic, 0, lost)
	members = a.startMembers("next")
	a.phase("a damaged batch", members, func() {})
	skip := regexp.MustCompile(`footfall (partition skip 0 --from-offset \d+ --to-offset \d+)`)
	var command []string
	poll(t, time.Second, "status has the command that passes the damaged batch", func() bool {
		out, _, _ := execute(t, s.env, "status") // Its exit code says that a partition is parked.
		command = skip.FindStringSubmatch(out)
		return command != nil
	})
	if m, err := scrape(serving(owner(members, 0))); err != nil || m["footfall_partition_parked{read}"] != 1 {
		t.Errorf("parked %v, error %v; want 1 partition that cannot be read", m["footfall_partition_parked{read}"], err)
	}
	a.phase("a parked partition", members, func() {})
	poll(t, time.Second, "the lag of the parked partition is measured", func() bool { return lags(members)[0] >= 1500 })
	s.execute(t, strings.Fields(command[1])...)
	s.verify(t) // It waits until the members have counted everything.
	a.stopMembers(members)
	if got := s.counted(t); !maps.Equal(got, a.published) {
		t.Errorf("events by site are %v, and %v were published", got, a.published)
	}
}

const attackedPartitions = 4 // Partition 0 is attacked.

// attack is what the test sends, and the expected results.
type attack struct {
	*stage
	t         *testing.T
	client    *kgo.Client
	published map[string]int64 // by site, valid events that count
	sent      int
}

func (a *attack) producer() *kgo.Client {
	a.t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(a.brokers), kgo.DefaultProduceTopic(a.topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(c.Close)
	return c
}

func (a *attack) startMembers(names string) (members []*process) {
	a.t.Helper()
	for n := range 2 {
		members = append(members, a.consume(a.t, fmt.Sprintf("%s member %d", names, n), "--http", "127.0.0.1:0"))
	}
	return members
}

// send puts a batch onto the attacked partition.
func (a *attack) send(batch []byte) {
	a.t.Helper()
	sendBatch(a.t, a.client, a.topic, 0, batch)
}

// event spells an event of a site by one of its visitors. more begins with a comma, or is empty.
func (a *attack) event(site string, visitor, session int, more string) string {
	return fmt.Sprintf(`{"siteId":%q,"type":"page_view","timestamp":%d,"visitorId":"v%d","sessionId":"s%d","url":"/%d"%s}`, site,
		time.Now().UnixMilli(),
		visitor, session, visitor%20, more)
}

// ordinary publishes events of a site that has the partition as its own.
func (a *attack) ordinary(partition int32, events int) {
	a.t.Helper()
	site := fmt.Sprintf("shop-%d.example", partition)
	for range events {
		a.sent++
		a.publish(partition, a.event(site, a.sent%50, a.sent%50, fmt.Sprintf(`,"id":"e%d"`, a.sent)))
	}
	a.published[site] += int64(events)
}

func (a *attack) publish(partition int32, value string) {
	a.client.Produce(a.t.Context(), &kgo.Record{Partition: partition, Value: []byte(value)}, func(_ *kgo.Record, err error) {
		if err != nil {
			a.t.Errorf("publish: %v", err)
		}
	})
}

// costly publishes records that take long to read, or whose states are large.
func (a *attack) costly() {
	nested := strings.Repeat(`{"a":`, 9990) + "1" + strings.Repeat("}", 9990)
	var keys strings.Builder
	for n := range 5500 {
		fmt.Fprintf(&keys, `,"k%d":1`, n)
	}
	for n := range 500 {
		a.publish(0, a.event("deep.example", 0, 0, `,"properties":`+nested))
		a.publish(0, a.event("keys.example", 0, 0, keys.String()))
		agent := strings.Repeat(rand.Text(), 40)
		a.publish(0, a.event("agents.example", n, n, fmt.Sprintf(`,"userAgent":"Mozilla/5.0 (%s) %s/1.0"`, agent[:500], agent[500:])))
		session := strings.Repeat("s", 246) + fmt.Sprintf("%010d", n)
		a.publish(0, strings.Replace(a.event("sessions.example", n, n, ""), fmt.Sprintf(`"s%d"`, n), strconv.Quote(session), 1))
	}
	a.published["agents.example"] += 500
	a.published["sessions.example"] += 500
}

// phase sends an attack between ordinary events, and waits until the other partitions have followed their logs.
func (a *attack) phase(name string, members []*process, attack func()) {
	a.t.Helper()
	start := time.Now()
	for partition := range int32(attackedPartitions) {
		a.ordinary(partition, 200)
	}
	if err := a.client.Flush(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
	attack()
	for partition := range int32(attackedPartitions) {
		a.ordinary(partition, 1500)
	}
	if err := a.client.Flush(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
	a.awaitLag(name+": the other partitions follow their logs", members, 1000, 1, 2, 3)
	a.t.Logf("%s: %v, lag by partition %v", name, time.Since(start).Round(time.Second), lags(members))
	for _, m := range members {
		a.checkMemory(m)
	}
}

// awaitLag waits until, in each of the partitions, fewer than below of its present records are not in a step.
func (a *attack) awaitLag(what string, members []*process, below int64, partitions ...int) {
	a.t.Helper()
	ends, err := kadm.NewClient(a.client).ListEndOffsets(a.t.Context(), a.topic)
	if err != nil {
		a.t.Fatal(err)
	}
	poll(a.t, time.Second, what, func() bool {
		for _, m := range members {
			m.running()
		}
		reached := make(map[int]int64)
		for _, c := range a.chains(a.t) {
			if c.Lane == checkpoint.LaneStats {
				reached[c.Partition] = c.To
			}
		}
		return !slices.ContainsFunc(partitions, func(p int) bool {
			end, ok := ends.Lookup(a.topic, int32(p))
			return !ok || end.Offset-reached[p] >= below
		})
	})
}

// lags scrapes the lag of each partition that has an owner.
func lags(members []*process) map[int]float64 {
	lag := make(map[int]float64)
	for _, m := range members {
		told, err := scrape(serving(m))
		if err != nil {
			continue
		}
		for p := range attackedPartitions {
			if n, ok := told[fmt.Sprintf("footfall_lag_records{%d}", p)]; ok {
				lag[p] = n
			}
		}
	}
	return lag
}

// checkMemory holds the most memory that a member has had resident against the ceiling that it has logged.
func (a *attack) checkMemory(p *process) {
	a.t.Helper()
	peak, ceiling := statusMiB(a.t, p, "VmHWM"), ceilingMiB(a.t, p)
	a.t.Logf("%s: %d MiB resident, at most %d MiB, ceiling %d MiB", p.name, statusMiB(a.t, p, "VmRSS"), peak, ceiling)
	if peak > ceiling && !raceEnabled() { // The race detector's own memory is a multiple of the program's.
		a.t.Errorf("%s had %d MiB resident, and logged a ceiling of %d MiB", p.name, peak, ceiling)
	}
}

// owner returns the member that owns a partition.
func owner(members []*process, partition int) *process {
	i := slices.IndexFunc(members, func(m *process) bool { return slices.Contains(partitionsOf(m), partition) })
	return members[max(i, 0)]
}

func (a *attack) stopMembers(members []*process) {
	a.t.Helper()
	for _, m := range members {
		a.checkMemory(m)
		m.drain()
	}
}

// statusMiB reads a figure of the process off /proc.
func statusMiB(t *testing.T, p *process, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in\n%s", name, text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n >> 10
}

// ceilingMiB is the sum that the process logged when it started.
func ceilingMiB(t *testing.T, p *process) (mib int) {
	t.Helper()
	lines, _ := p.errors.linesFrom(0)
	for _, line := range lines {
		var e struct{ Msg, Ceiling string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Msg == "memory" {
			if _, err := fmt.Sscanf(e.Ceiling, "%d MiB", &mib); err != nil {
				t.Fatal(err)
			}
			return mib
		}
	}
	t.Fatalf("%s has logged no ceiling", p.name)
	return 0
}

// checkRejected compares, by reason, the rejected batches and records of the attacked partition that were not read whole.
func (a *attack) checkRejected(want map[event.Reason]int) {
	a.t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(a.brokers), kgo.ConsumeTopics(a.topic+".failed"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer c.Close()
	seen := make(map[string]map[string]string) // headers, by offset in the source
	enough := func() bool {
		n := 0
		for _, count := range want {
			n += count
		}
		return len(seen) >= n
	}
	for !enough() {
		f := c.PollFetches(a.t.Context())
		if err := f.Err0(); err != nil {
			a.t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			headers := make(map[string]string)
			for _, h := range r.Headers {
				headers[h.Key] = string(h.Value)
			}
			if headers[event.HeaderPartition] == "0" && want[event.Reason(headers[event.HeaderReason])] > 0 {
				seen[headers[event.HeaderOffset]] = headers
			}
		})
	}
	got := make(map[event.Reason]int)
	for offset, headers := range seen {
		reason := event.Reason(headers[event.HeaderReason])
		got[reason]++
		if reason == event.Unreadable && (headers[event.HeaderEnd] == "" || len(headers[event.HeaderSum]) != 64 ||
			headers[event.HeaderRecords] != "1") {
			a.t.Errorf("offset %s: an unreadable batch with the headers %v", offset, headers)
		}
	}
	if !maps.Equal(got, want) {
		a.t.Errorf("rejected as %v, want %v", got, want)
	}
}
