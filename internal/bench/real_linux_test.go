package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

var realRounds = flag.Int("realrounds", 3, "rounds of what is measured in turns with -loads")

// The tests in this file run footfall itself on real Kafka and DynamoDB Local and print what it costs: user and system CPU of its
// processes. Without -loads they have few records and one row, and verify that these records are counted right.

// sizeOf returns how many records and rounds a test has.
func sizeOf(full int) (records, rounds int) {
	if *loads {
		return full, *realRounds
	}
	return 2000, 1
}

// fillReal publishes the last hour's events of a load on real Kafka.
func fillReal(t *testing.T, l load, records int, env ...string) backlog {
	t.Helper()
	b := backlog{program: build(t), broker: testenv.Kafka(t), topic: testenv.UniqueName(t), records: records, env: env}
	for name, value := range testenv.AWSEnv(testenv.DynamoDB(t)) {
		b.env = append(b.env, name+"="+value)
	}
	if !*loads {
		b.env = append(b.env, "FOOTFALL_INTERVALS_STATS=1s")
	}
	traffic := newTraffic(l, time.Now().Add(-time.Hour))
	next := func() *kgo.Record { return traffic.next(b.topic) }
	if _, err := fill(t.Context(), b.broker, b.topic, l.partitions, records, next); err != nil {
		t.Fatal(err)
	}
	return b
}

// Settings of the measured processes.
var (
	sessionsOnly = []string{"FOOTFALL_RAW_EVENTS=off", "FOOTFALL_BREAKDOWNS_ROWS=0"}
	// countingJob has events, page views and visitors by site and hour. Its records have no sessionId.
	countingJob = append([]string{"FOOTFALL_BOTS_LISTS=false", "FOOTFALL_BOTS_RATE=0", "FOOTFALL_VISITS_GAP=off",
		"FOOTFALL_DUPLICATES_WINDOW=0", "FOOTFALL_INTERVALS_STATS=10s"}, sessionsOnly...)
)

const client = "FOOTFALL_DYNAMODB_CLIENT="

// candidate is what is measured beside others, and each round's result.
type candidate struct {
	name    string
	measure func() spent
	rounds  []spent
}

// alternate measures the rows in turns and prints each; without -loads, the last one.
func alternate(t *testing.T, title string, records, rounds int, rows []candidate) {
	t.Helper()
	if !*loads {
		rows = rows[len(rows)-1:]
	}
	for range rounds {
		for i := range rows {
			rows[i].rounds = append(rows[i].rounds, rows[i].measure())
		}
	}
	fmt.Fprintf(t.Output(), "%s: %d records, %d rounds in turns\n", title, records, rounds)
	for _, r := range rows {
		var cpu, peak, rate []float64
		for _, s := range r.rounds {
			cpu = append(cpu, float64(s.cpu.Nanoseconds())/1000/float64(records))
			peak = append(peak, s.peak)
			rate = append(rate, float64(records)/s.wall.Seconds())
		}
		fmt.Fprintf(t.Output(), "  %-46s | CPU us a record %8s | peak MiB %6.0f | records a second %8.0f\n", r.name, spread(cpu, "%.2f"),
			median(peak), median(rate))
	}
}

// TestRealEndToEnd measures catch-up of an hour of traffic into DynamoDB Local.
func TestRealEndToEnd(t *testing.T) {
	slow.Test(t)
	records, rounds := sizeOf(200_000)
	b := fillReal(t, load{sites: 100, partitions: 8, hourly: records, script: clickers, think: 40 * time.Second}, records)
	var rows []candidate
	for _, c := range []struct {
		name string
		env  []string
	}{{"sessions, no raw events, no breakdowns", sessionsOnly}, {"defaults", nil}} {
		for _, by := range []string{"sdk", "direct"} {
			env := append([]string{client + by}, c.env...)
			rows = append(rows, candidate{name: by + ": " + c.name, measure: func() spent { return b.consume(t, 1, env...) }})
		}
	}
	alternate(t, "end to end into DynamoDB Local", records, rounds, rows)
}

// TestRealMembers measures how catch-up is shared by the members of a group.
func TestRealMembers(t *testing.T) {
	slow.Test(t)
	records, rounds := sizeOf(100_000)
	b := fillReal(t, load{sites: 100, partitions: 8, hourly: records, script: clickers, think: 40 * time.Second}, records, client+"direct")
	var rows []candidate
	for _, n := range []int{1, 2, 4} {
		rows = append(rows, candidate{name: fmt.Sprintf("members: %d", n), measure: func() spent { return b.consume(t, n, sessionsOnly...) }})
	}
	alternate(t, "catch-up of an hour", records, rounds, rows)
}

// TestRealCountingJob measures the job that other systems can do too, beside a client that discards its records.
func TestRealCountingJob(t *testing.T) {
	slow.Test(t)
	records, rounds := sizeOf(4_000_000)
	l := load{sites: 100, partitions: 8, hourly: records, script: clickers, think: 40 * time.Second, sessionless: true}
	b := fillReal(t, l, records, countingJob...)
	discard := func() (s spent) {
		c, err := measure(records, func() error {
			return consumeNothing(t.Context(), b.broker, b.topic, kgo.NewOffset().AtStart(), whole(records))
		})
		if err != nil {
			t.Fatal(err)
		}
		n := float64(records)
		return spent{cpu: time.Duration(c.cpu * n), wall: time.Duration(n / c.rate * float64(time.Second))}
	}
	rows := []candidate{{name: "client that discards", measure: discard}}
	for _, by := range []string{"sdk", "direct"} {
		rows = append(rows, candidate{name: by, measure: func() spent { return b.consume(t, 1, client+by) }})
	}
	// States of this job are few, so it can do with less memory than the default allows.
	const small = "FOOTFALL_LIMITS_MEMORY_BYTES=134217728"
	rows = append(rows, candidate{name: "direct, limits.memoryBytes 128 MiB", measure: func() spent {
		return b.consume(t, 1, client+"direct", small)
	}})
	alternate(t, "events, page views and visitors by site and hour", records, rounds, rows)
}

// TestImport measures footfall dev while footfall produce sends it a file of one site.
func TestImport(t *testing.T) {
	slow.Test(t)
	records, rounds := sizeOf(1_000_000)
	program, file := build(t), filepath.Join(t.TempDir(), "events.ndjson")
	l := load{sites: 1, partitions: 4, hourly: records, script: clickers, think: 40 * time.Second}
	writeEvents(t, file, newTraffic(l, time.Now().Add(-time.Hour)), records)
	var sent time.Duration
	imported := func() (s spent) {
		dir := t.TempDir()
		start := time.Now()
		dev := launch(t, program, nil, "dev", "--data", dir, "--rate", "0", "--plain")
		wait(t, func() bool {
			dev.look()
			_, err := os.Stat(filepath.Join(dir, "port"))
			return err == nil
		})
		sent = launch(t, program, nil, "produce", "--data", dir, "--from-file", file).end()
		port, err := os.ReadFile(filepath.Join(dir, "port"))
		if err != nil {
			t.Fatal(err)
		}
		wait(t, func() bool {
			dev.look()
			return unsettled(t, "127.0.0.1:"+strings.TrimSpace(string(port)), "footfall") == 0
		})
		s = spent{wall: time.Since(start), cpu: dev.drain(), peak: dev.peak}
		if !*loads {
			launch(t, program, nil, "verify", "--data", dir).end()
		}
		return s
	}
	alternate(t, "import of one site into SQLite, footfall dev", records, rounds, []candidate{{name: "dev", measure: imported}})
	fmt.Fprintf(t.Output(), "  footfall produce: %.2f us of CPU a record\n", float64(sent.Nanoseconds())/1000/float64(records))
}

// writeEvents writes events to a file, one a line.
func writeEvents(t *testing.T, path string, traffic *traffic, n int) {
	t.Helper()
	var text []byte
	for range n {
		text = append(append(text, traffic.next("").Value...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
