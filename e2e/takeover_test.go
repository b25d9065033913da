//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testenv"
)

// TestRealTakeoverOfAMember: one of four members is killed, and the others take its partitions over. The log shows how old the oldest record
// was that was not in the table, by footfall status, and what that time was made of. How long it takes depends on the machine, so that no
// time is asserted, only that all is counted once.
func TestRealTakeoverOfAMember(t *testing.T) {
	s := realStage(t)
	const partitions = 64
	s.topic = testenv.Topic(t, s.brokers, partitions, nil)
	for name, value := range map[string]string{"KAFKA_TOPIC": s.topic, "KAFKA_GROUP": s.topic, "KAFKA_SESSION_TIMEOUT": "10s",
		"INTERVALS_STATS": "1m", "INTERVALS_REALTIME": "5s"} {
		s.set("FOOTFALL_"+name, value)
	}
	s.execute(t, "table", "create")
	var members []*process
	for n := range 4 {
		members = append(members, s.start(t, fmt.Sprint("member ", n), "run"))
	}
	ledger := filepath.Join(t.TempDir(), "ledger")
	producer := s.start(t, "producer", "produce", "--rate", fmt.Sprint(s.rate), "--sites", "64", "--buckets", "8", "--ledger", ledger)
	eventually(t, "each member owns a quarter of the partitions", func() bool {
		return !slices.ContainsFunc(members, func(m *process) bool {
			m.running()
			return len(partitionsOf(m)) != partitions/len(members)
		})
	})
	watch := s.start(t, "status", "status", "--watch=1s", "--output", "json")
	looks := func() []look { return looksOf(t, watch) }
	poll(t, time.Second, "two flushes of each lane are in the table", func() bool {
		return everyChain(looks(), partitions, func(c chainView) bool { return c.Flush > 2 || c.Flush == 2 && c.Done })
	})

	held, killed := partitionsOf(members[3]), time.Now()
	members[3].kill()
	last := make(map[string]int64) // flushes of the member that was killed
	for _, c := range s.chains(t) {
		last[fmt.Sprint(c.Partition, c.Lane)] = c.Flush
	}
	poll(t, time.Second, "flushes of its partitions by others are in the table", func() bool {
		return everyChain(looks(), partitions, func(c chainView) bool {
			before := last[fmt.Sprint(c.Partition, c.Lane)]
			return !slices.Contains(held, c.Partition) || c.Flush > before+1 || c.Flush == before+1 && c.Done
		})
	})
	reportTakeover(t, looks(), members[:3], held, killed)
	producer.drain()
	v := s.verify(t)
	watch.kill()
	for _, m := range members[:3] {
		m.drain()
	}
	sent, want := acknowledged(t, []string{ledger})
	if got := s.counted(t); v.Records != sent || !maps.Equal(got, want) {
		t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent, want)
	}
	t.Logf("%d records, %d items compared, %d differences", v.Records, v.ComparedCount, v.DifferenceCount)
}

// look is an answer of footfall status.
type look struct {
	AskedAt     time.Time
	Checkpoints []chainView
}

// looksOf returns the answers of footfall status --watch so far.
func looksOf(t *testing.T, status *process) (list []look) {
	t.Helper()
	status.running()
	for answers := json.NewDecoder(strings.NewReader(status.out.String())); ; {
		var l look
		switch err := answers.Decode(&l); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return list
		case err != nil:
			t.Fatalf("footfall status --watch: %v", err)
		}
		list = append(list, l)
	}
}

// everyChain reports whether a condition holds for both lanes of all partitions, by the last look.
func everyChain(looks []look, partitions int, holds func(chainView) bool) bool {
	if len(looks) == 0 {
		return false
	}
	last := looks[len(looks)-1].Checkpoints
	return len(last) == 2*partitions && !slices.ContainsFunc(last, func(c chainView) bool { return !holds(c) })
}

// reportTakeover logs how old the oldest record was that was not in the table, before a member was killed and after, and when the others
// took over what it held.
func reportTakeover(t *testing.T, looks []look, others []*process, held []int, killed time.Time) {
	t.Helper()
	for _, lane := range []string{"realtime", "stats"} {
		var before, after float64
		for _, l := range looks {
			worst := &before
			switch since := l.AskedAt.Sub(killed); {
			case since > 0:
				worst = &after
			case since < -time.Minute: // The members were still taking up what had come before them.
				continue
			}
			for _, c := range l.Checkpoints {
				if c.Lane == lane && slices.Contains(held, c.Partition) && c.LagSeconds != nil {
					*worst = max(*worst, *c.LagSeconds)
				}
			}
		}
		t.Logf("%s: the oldest record that was not in the table was at most %.1f s old in the minute before the kill, and %.1f s after it", lane, before, after)
	}
	for _, msg := range []string{"partition acquired", "flush repeated after a takeover"} {
		var first, last time.Duration
		for _, m := range others {
			for _, e := range m.entries() {
				if e.Msg == msg && e.Time.After(killed) {
					after := e.Time.Sub(killed)
					if first == 0 {
						first = after
					}
					first, last = min(first, after), max(last, after)
				}
			}
		}
		t.Logf("%q: from %.1f s to %.1f s after the kill", msg, first.Seconds(), last.Seconds())
	}
}
