//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/faultproxy"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// watched is a deployment under load that a Prometheus with the alerts of deploy/helm/files/alerts.yml scrapes.
type watched struct {
	*stage
	t        *testing.T
	members  []*process
	addrs    []string
	monitor  *monitor
	producer *process
	ledgers  []string
}

const watchedPartitions = 4

// watch makes a topic and a table, and starts members and a producer. All partitions are owned when the first scrape comes.
func watch(t *testing.T, s *stage, members int) *watched {
	t.Helper()
	w := &watched{stage: s, t: t}
	w.topic = testenv.Topic(t, s.brokers, watchedPartitions, nil)
	for name, value := range map[string]string{"KAFKA_TOPIC": w.topic, "KAFKA_GROUP": w.topic, "KAFKA_SESSION_TIMEOUT": "6s",
		"INTERVALS_STATS": "2s", "INTERVALS_REALTIME": "1s"} {
		w.set("FOOTFALL_"+name, value)
	}
	w.execute(t, "table", "create")
	for range members {
		w.addrs = append(w.addrs, freeAddress(t))
		w.members = append(w.members, nil)
		w.startMember(len(w.members) - 1)
	}
	w.producer = w.start(t, "producer", "produce", "--rate", "20", "--sites", "5", "--buckets", "8", "--ledger", w.ledger())
	w.awaitOwners()
	w.monitor = startMonitor(t, w.addrs...)
	return w
}

func (w *watched) ledger() string {
	name := filepath.Join(w.t.TempDir(), "ledger")
	w.ledgers = append(w.ledgers, name)
	return name
}

// startMember starts a member as a supervisor does, with the address of the one before it.
func (w *watched) startMember(i int) {
	w.t.Helper()
	w.members[i] = w.start(w.t, fmt.Sprint("member ", i), "run", "--http", w.addrs[i])
}

// awaitOwners waits until each member owns partitions, and all of them are owned.
func (w *watched) awaitOwners() {
	w.t.Helper()
	poll(w.t, nowAndThen, "the members own all partitions", func() bool {
		owned := 0
		for i, m := range w.members {
			m.running()
			scraped, err := scrape(w.addrs[i])
			if err != nil || scraped["footfall_partitions"] == 0 {
				return false
			}
			owned += int(scraped["footfall_partitions"])
		}
		return owned == watchedPartitions
	})
}

// finish ends the load and the members, and compares the table with a recount and with what Kafka acknowledged, but for records that
// are lost.
func (w *watched) finish(bad int64) {
	w.t.Helper()
	w.producer.drain()
	for _, m := range w.members {
		m.running()
	}
	v := w.verify(w.t)
	for _, m := range w.members {
		m.drain()
	}
	sent, want := acknowledged(w.t, w.ledgers)
	if got := w.counted(w.t); v.Records != sent+bad || !maps.Equal(got, want) {
		w.t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent+bad, want)
	}
}

// admin asks the brokers.
func (s *stage) admin(t *testing.T) (*kgo.Client, *kadm.Client) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl, kadm.NewClient(cl)
}

// TestRealAlerts: what goes wrong with real services fires the alert that the runbook has for it, and no other; once it is mended the
// alert ends, and the numbers are right. The situations go side by side, each with a topic, a table and a Prometheus of its own.
func TestRealAlerts(t *testing.T) {
	slow.Test(t)
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip("needs a prometheus in PATH, such as that of Debian's package")
	}
	t.Parallel()
	sideBySide(t, map[string]func(*testing.T, *stage){
		"frozen member": frozenMember, "parked partition": parkedPartition, "throttled table": throttledTable,
		"silent table": silentTable, "no failed-events topic": noFailedTopic, "process that restarts": restartingProcess,
	})
}

// sideBySide runs tests on real Kafka and DynamoDB Local at the same time, however few processors there are: they mostly wait.
func sideBySide(t *testing.T, tests map[string]func(*testing.T, *stage)) {
	var running sync.WaitGroup
	for name, test := range tests {
		running.Go(func() {
			t.Run(name, func(t *testing.T) { test(t, realStage(t)) })
		})
	}
	running.Wait()
}

// frozenMember: others take over from a member that is frozen, and it does not answer.
func frozenMember(t *testing.T, s *stage) {
	w := watch(t, s, 2)
	w.members[1].signal(syscall.SIGSTOP)
	w.monitor.fires("FootfallMemberDown")
	w.members[1].signal(syscall.SIGCONT)
	w.monitor.resolves("FootfallMemberDown")
	w.awaitOwners()
	w.finish(0)
}

// parkedPartition: the topic has lost records of a partition before they were counted.
func parkedPartition(t *testing.T, s *stage) {
	w := watch(t, s, 1)
	cl, adm := s.admin(t)
	lost := &kgo.Record{Topic: w.topic, Partition: 3, Value: []byte("lost")}
	w.members[0].drain()
	if err := cl.ProduceSync(t.Context(), lost).FirstErr(); err != nil {
		t.Fatal(err)
	}
	var before kadm.Offsets
	before.AddOffset(w.topic, 3, lost.Offset+1, -1)
	r, err := adm.DeleteRecords(t.Context(), before)
	if err = errors.Join(err, r.Error()); err != nil {
		t.Fatal(err)
	}
	w.startMember(0)
	w.monitor.fires("FootfallPartitionParked")
	for _, c := range w.chains(t) {
		if c.Gap != nil {
			w.execute(t, "partition", "accept-gap", fmt.Sprint(c.Partition), "--lane", c.Lane, "--flush", fmt.Sprint(c.Flush))
		}
	}
	w.monitor.resolves("FootfallPartitionParked")
	w.producer.drain()
	w.verifyRest(t)
	w.members[0].drain()
}

// throttledTable: DynamoDB refuses one request in three.
func throttledTable(t *testing.T, s *stage) {
	proxy := faultproxy.New(faultproxy.Options{Target: s.endpoint})
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	s.set("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	w := watch(t, s, 1)
	proxy.SetMix(faultproxy.Mix{faultproxy.Throttle: 33})
	w.monitor.fires("FootfallThrottled")
	proxy.SetMix(nil)
	w.finish(0)
}

// silentTable: DynamoDB does not answer for a while.
func silentTable(t *testing.T, s *stage) {
	proxy := faultproxy.New(faultproxy.Options{Target: s.endpoint})
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	s.set("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	w := watch(t, s, 1)
	resume := sync.OnceFunc(proxy.Pause())
	t.Cleanup(resume)
	w.monitor.fires("FootfallNoAnswer")
	resume()
	w.monitor.resolves("FootfallNoAnswer")
	w.finish(0)
}

// noFailedTopic: the failed-events topic is gone, and so is a process that has a rejected record for it. Started again, it makes the
// topic anew.
func noFailedTopic(t *testing.T, s *stage) {
	w := watch(t, s, 1)
	cl, adm := s.admin(t)
	if r, err := adm.DeleteTopic(t.Context(), w.topic+".failed"); err != nil || r.Err != nil {
		t.Fatal(errors.Join(err, r.Err))
	}
	// Enough events that those which are none are less than the percent that has an alert of its own.
	w.produce(t, "--rate", "500", "--events", "1000", "--sites", "5", "--buckets", "8", "--seed", "2", "--ledger", w.ledger())
	var last string
	bad := 0
	poll(t, 10*time.Second, "the member ends", func() bool { // The first may reach the topic that is just being deleted.
		last = fmt.Sprint("no event ", bad)
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: w.topic, Partition: 2, Value: []byte(last)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		bad++
		return w.members[0].ended()
	})
	w.members[0].wait(1)
	if said := w.members[0].count("ending"); said != 1 {
		t.Errorf("%d lines say that the process is ending, want one", said)
	}
	w.monitor.fires("FootfallDown")
	w.startMember(0)
	w.monitor.resolves("FootfallDown")
	w.finish(int64(bad))
	if !slices.ContainsFunc(failedEvents(t, s), func(r *kgo.Record) bool { return string(r.Value) == last }) {
		t.Errorf("the failed-events topic does not have %q, which was rejected", last)
	}
}

// restartingProcess: a process ends again and again, and each time a supervisor starts another one.
func restartingProcess(t *testing.T, s *stage) {
	s.set("FOOTFALL_KAFKA_GROUP_INSTANCE_ID", "a") // It takes its partitions up again at once.
	w := watch(t, s, 1)
	for n := 1; len(w.monitor.query(`ALERTS{alertstate="firing"}`)) == 0; n++ {
		w.members[0].kill()
		w.startMember(0)
		poll(t, nowAndThen, "prometheus has scraped the process", func() bool {
			return len(w.monitor.query(fmt.Sprintf("changes(process_start_time_seconds[1h]) >= %d and on () up == 1", n))) > 0
		})
		w.awaitOwners()
	}
	w.monitor.only("FootfallRestarts")
	w.finish(0)
}
