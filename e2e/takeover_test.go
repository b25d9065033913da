//go:build unix

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
)

var (
	takeoverPartitions = flag.Int("takeover.partitions", 16, "of the topic, a multiple of 4")
	takeoverStats      = flag.Duration("takeover.stats", 5*time.Second, "flush interval of the stats lane")
	takeoverRealtime   = flag.Duration("takeover.realtime", time.Second, "flush interval of the realtime lane")
)

// TestRealTakeoverOfAMember: one of four members is killed, and the others take its partitions over. The log shows how long records waited
// until they were in the table, by the traces of flushes and the timestamps of records, and what that time was made of. It depends on the
// machine, so that no time is asserted, only that all is counted once. A group as in production:
// -takeover.partitions 64 -takeover.stats 1m -takeover.realtime 5s.
func TestRealTakeoverOfAMember(t *testing.T) {
	s := realStage(t)
	partitions := *takeoverPartitions
	traces := new(collector)
	server := httptest.NewServer(traces)
	t.Cleanup(server.Close)
	s.topic = testenv.Topic(t, s.brokers, partitions, nil)
	for name, value := range map[string]string{"FOOTFALL_KAFKA_TOPIC": s.topic, "FOOTFALL_KAFKA_GROUP": s.topic,
		"FOOTFALL_KAFKA_SESSION_TIMEOUT": "10s", "FOOTFALL_INTERVALS_STATS": takeoverStats.String(),
		"FOOTFALL_INTERVALS_REALTIME": takeoverRealtime.String(),
		"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL} {
		s.set(name, value)
	}
	s.execute(t, "table", "create")
	var members []*process
	for n := range 4 {
		members = append(members, s.start(t, fmt.Sprint("member ", n), "run"))
	}
	ledger := filepath.Join(t.TempDir(), "ledger")
	producer := s.start(t, "producer", "produce", "--rate", fmt.Sprint(s.rate), "--sites", "64", "--buckets", "8", "--ledger", ledger)
	poll(t, time.Second, "each member owns a quarter of the partitions, and each lane has flushed twice", func() bool {
		for _, m := range members {
			if m.running(); len(partitionsOf(m)) != partitions/len(members) {
				return false
			}
		}
		return traces.lanes(func(f flushed) bool { return f.number == 2 }) == 2*partitions
	})

	last, held := members[3], partitionsOf(members[3])
	last.kill()
	taken := func(f flushed) bool {
		return f.ended.After(last.gone) && !f.repeated && slices.Contains(held, f.partition)
	}
	poll(t, time.Second, "each lane that it owned has a new flush", func() bool { return traces.lanes(taken) == 2*len(held) })
	producer.drain()
	v := s.verify(t) // Waits until the others have flushed the rest.
	for _, m := range members[:3] {
		m.drain()
	}
	sent, want := acknowledged(t, []string{ledger})
	reportWaits(t, traces.flushes, s.timestamps(t, sent), held, last.gone)
	for _, msg := range []string{"partition acquired", "flush repeated after a takeover"} {
		reportLines(t, msg, members[:3], last.gone)
	}
	if got := s.counted(t); v.Records != sent || !maps.Equal(got, want) {
		t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent, want)
	}
	t.Logf("%d records, %d items compared, %d differences", v.Records, v.ComparedCount, v.DifferenceCount)
}

// flushed is a flush that is in the table.
type flushed struct {
	partition    int
	lane         string
	number, from int64
	repeated     bool
	ended        time.Time
}

// collector takes the traces of flushes.
type collector struct {
	mu      sync.Mutex // covers flushes
	flushes []flushed
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					ParentSpanID    string
					EndTimeUnixNano string
					Status          *struct{}
					Attributes      []struct {
						Key   string
						Value struct {
							StringValue, IntValue string
							BoolValue             bool
						}
					}
				}
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range request.ResourceSpans[0].ScopeSpans[0].Spans {
		if span.ParentSpanID != "" || span.Status != nil { // A phase, or a flush that failed.
			continue
		}
		nanos, _ := strconv.ParseInt(span.EndTimeUnixNano, 10, 64)
		f := flushed{ended: time.Unix(0, nanos)}
		for _, a := range span.Attributes {
			n, _ := strconv.ParseInt(a.Value.StringValue+a.Value.IntValue, 10, 64)
			switch a.Key {
			case "messaging.destination.partition.id":
				f.partition = int(n)
			case "footfall.lane":
				f.lane = a.Value.StringValue
			case "footfall.flush":
				f.number = n
			case "footfall.from":
				f.from = n
			case "footfall.repeated":
				f.repeated = a.Value.BoolValue
			}
		}
		c.flushes = append(c.flushes, f)
	}
}

// lanes returns how many lanes of partitions have a flush for which a condition holds.
func (c *collector) lanes(holds func(flushed) bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	lanes := make(map[string]bool)
	for _, f := range c.flushes {
		if holds(f) {
			lanes[fmt.Sprint(f.lane, f.partition)] = true
		}
	}
	return len(lanes)
}

// timestamps reads the records' timestamps, by partition and offset.
func (s *stage) timestamps(t *testing.T, records int64) []map[int64]time.Time {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.ConsumeTopics(s.topic))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var at []map[int64]time.Time
	for ; records > 0; records-- {
		fetched := cl.PollRecords(t.Context(), 1)
		if err := fetched.Err(); err != nil {
			t.Fatal(err)
		}
		for _, r := range fetched.Records() {
			for int(r.Partition) >= len(at) {
				at = append(at, make(map[int64]time.Time))
			}
			at[r.Partition][r.Offset] = r.Timestamp
		}
	}
	return at
}

// reportWaits logs, for each lane of the partitions that a member held, how long the first record of a flush waited until the flush was in
// the table, which no record of it exceeds, and until when after the kill the lane had no new flush.
func reportWaits(t *testing.T, flushes []flushed, at []map[int64]time.Time, held []int, killed time.Time) {
	t.Helper()
	for _, lane := range []string{"realtime", "stats"} {
		var before, after, stood time.Duration
		first := make(map[int]time.Time) // new flush of each partition
		for _, f := range flushes {
			if f.lane != lane || !slices.Contains(held, f.partition) {
				continue
			}
			waited := f.ended.Sub(at[f.partition][f.from])
			switch since := f.ended.Sub(killed); {
			case since > 0:
				after = max(after, waited)
				if have, ok := first[f.partition]; !f.repeated && (!ok || f.ended.Before(have)) {
					first[f.partition] = f.ended
				}
			case since > -time.Minute: // Before, the members took up what was there when they started.
				before = max(before, waited)
			}
		}
		for _, ended := range first {
			stood = max(stood, ended.Sub(killed))
		}
		t.Logf("%s: records waited for at most %.1f s in the minute before the kill, and %.1f s after it; each of the %d partitions has a new "+
			"flush within %.1f s of the kill", lane, before.Seconds(), after.Seconds(), len(first), stood.Seconds())
	}
}

// reportLines logs when after the kill members said something.
func reportLines(t *testing.T, msg string, members []*process, killed time.Time) {
	t.Helper()
	var after []time.Duration
	for _, m := range members {
		for _, e := range m.entries() {
			if e.Msg == msg && e.Time.After(killed) {
				after = append(after, e.Time.Sub(killed))
			}
		}
	}
	slices.Sort(after)
	if len(after) > 0 {
		t.Logf("%q: %d times, from %.1f s to %.1f s after the kill", msg, len(after), after[0].Seconds(), after[len(after)-1].Seconds())
	}
}
