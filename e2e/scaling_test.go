//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// TestRealScaling: a group under load is scaled to 1, 2, 4, 8, 3 and 1 members, and a group of static members is restarted one after the
// other, by either protocol on either version of Kafka. No flush is done again, a restart of a static member moves no partition, and all is
// counted once. The log shows how long each move took until the lag was again that of two intervals.
func TestRealScaling(t *testing.T) {
	slow.Test(t)
	brokers := map[string]string{"Kafka": testenv.Kafka(t)}
	if testenv.HasOldKafka() {
		brokers["older Kafka"] = testenv.OldKafka(t)
	}
	for version, addr := range brokers {
		for _, protocol := range []string{"classic", "consumer"} {
			t.Run(version+"/"+protocol, func(t *testing.T) {
				scale(t, newStage(addr, testenv.Topic(t, addr, scaledPartitions, nil), "sqlite://"+filepath.Join(t.TempDir(), "footfall.db")), protocol)
			})
		}
	}
}

const (
	scaledPartitions = 8
	scaledInterval   = 2 * time.Second
)

func scale(t *testing.T, s *stage, protocol string) {
	s.rate = 100
	for name, value := range map[string]string{"KAFKA_GROUP": s.topic, "KAFKA_GROUP_PROTOCOL": protocol,
		"INTERVALS_STATS": scaledInterval.String(), "INTERVALS_REALTIME": "1s"} {
		s.set("FOOTFALL_"+name, value)
	}
	s.execute(t, "table", "create")
	g := &scaled{stage: s, t: t}
	g.waitAsInProduction()
	ledger := filepath.Join(t.TempDir(), "ledger")
	producer := s.start(t, "producer", "produce", "--rate", fmt.Sprint(s.rate), "--sites", "8", "--buckets", "8", "--ledger", ledger)
	for _, n := range []int{1, 2, 4, 8, 3, 1} {
		g.to(n)
	}
	g.to(0)
	g.rollingRestart()
	producer.drain()
	v := s.verify(t)
	g.to(0)
	sent, want := acknowledged(t, []string{ledger})
	if got := s.counted(t); v.Records != sent || !maps.Equal(got, want) {
		t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent, want)
	}
	for _, m := range g.all {
		if strings.Contains(m.errors.String(), `"redo":true`) {
			t.Errorf("%s repeated a flush after an orderly move", m.name)
		}
	}
	t.Logf("%d records, 0 differences, 0 repeated flushes; members and time until the lag was that of two intervals: %s", sent,
		strings.Join(g.took, ", "))
}

// scaled is a group whose size changes.
type scaled struct {
	*stage
	t            *testing.T
	members, all []*process
	took         []string
}

func (g *scaled) add(args ...string) {
	g.t.Helper()
	m := g.start(g.t, fmt.Sprint("member ", len(g.all)), append([]string{"run"}, args...)...)
	g.members, g.all = append(g.members, m), append(g.all, m)
}

// to starts or drains members until there are n, and waits until these own all partitions and have caught up.
func (g *scaled) to(n int) {
	g.t.Helper()
	from, begun := len(g.members), time.Now()
	for len(g.members) < n {
		g.add()
	}
	for len(g.members) > n {
		g.members[0].drain() // The one that has been there for the longest.
		g.members = g.members[1:]
	}
	if n > 0 {
		g.settle()
		g.took = append(g.took, fmt.Sprintf("%d to %d %v", from, n, time.Since(begun).Round(100*time.Millisecond)))
	}
}

// settle waits until each member owns some partition, all own them all, and no lane is more than the records of two intervals behind.
func (g *scaled) settle() {
	g.t.Helper()
	poll(g.t, time.Second, fmt.Sprintf("%d members own all partitions and have caught up", len(g.members)), func() bool {
		var owned []int
		for _, m := range g.members {
			m.running()
			own := partitionsOf(m)
			if len(own) == 0 {
				return false
			}
			owned = append(owned, own...)
		}
		slices.Sort(owned)
		if len(owned) != scaledPartitions || len(slices.Compact(owned)) != scaledPartitions {
			return false
		}
		lag := map[string]int64{}
		for _, c := range g.chains(g.t) {
			lag[c.Lane] += c.Lag
		}
		return len(lag) == 2 && lag["stats"] <= int64(g.rate)*int64(2*scaledInterval/time.Second)
	})
}

// waitAsInProduction lets the brokers wait for a silent member for as long as they do outside of tests: on a busy machine none is given up.
func (g *scaled) waitAsInProduction() {
	g.t.Helper()
	client, _ := g.admin(g.t)
	r := kmsg.NewPtrIncrementalAlterConfigsRequest()
	group := kmsg.NewIncrementalAlterConfigsRequestResource()
	group.ResourceType, group.ResourceName = kmsg.ConfigResourceTypeGroupConfig, g.topic
	timeout := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	timeout.Name, timeout.Value = "consumer.session.timeout.ms", kmsg.StringPtr("45000")
	group.Configs = append(group.Configs, timeout)
	r.Resources = append(r.Resources, group)
	answer, err := r.RequestWith(g.t.Context(), client)
	if err == nil {
		err = kerr.ErrorForCode(answer.Resources[0].ErrorCode)
	}
	if err != nil && !errors.Is(err, kerr.InvalidRequest) { // Kafka 3.9 has no settings of groups.
		g.t.Fatalf("set the session timeout of the group: %v", err)
	}
}

// rollingRestart restarts three static members one after the other.
func (g *scaled) rollingRestart() {
	g.t.Helper()
	for n := range 3 {
		g.add("--kafka-group-instance-id", fmt.Sprint("static-", n))
	}
	g.settle()
	for n := range 3 {
		others := slices.Delete(slices.Clone(g.members), n, n+1)
		acquired := func() (total int) {
			for _, m := range others {
				total += m.count("partition acquired")
			}
			return total
		}
		before, had := acquired(), partitionsOf(g.members[n])
		g.members[n].drain()
		g.add("--kafka-group-instance-id", fmt.Sprint("static-", n))
		g.members[n], g.members = g.members[3], g.members[:3]
		g.settle()
		if has := partitionsOf(g.members[n]); !slices.Equal(had, has) {
			g.t.Errorf("static member %d owned %v before its restart, and %v after it", n, had, has)
		}
		if now := acquired(); now != before {
			g.t.Errorf("a restart of static member %d moved %d partitions to others", n, now-before)
		}
	}
}
