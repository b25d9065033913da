//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// entry is a line of a consumer's log.
type entry struct {
	Time             time.Time
	Level, Msg, HTTP string
	Partition        int
	Redo             bool
	Updates          int
	Repeated         int
	Flushes, Records int64  // that wait in an outage
	Error, Lasted    string // of an outage
}

// entries returns the log so far of a process that logs JSON. Lines that are none are left out: a consumer that ends
// by itself says why in plain text.
func (p *process) entries() []entry {
	lines, next := p.errors.linesFrom(p.read)
	p.read = next
	for _, line := range lines {
		var e entry
		if json.Unmarshal([]byte(line), &e) == nil {
			p.journal = append(p.journal, e)
		}
	}
	return p.journal
}

// count returns how many lines of the log say something.
func (p *process) count(msg string) (n int) {
	for _, e := range p.entries() {
		if e.Msg == msg {
			n++
		}
	}
	return n
}

// about returns the lines of a consumer's log that name a partition.
func (p *process) about(partition int) (list []string) {
	lines, _ := p.errors.linesFrom(0)
	for _, line := range lines {
		var e struct{ Partition *int }
		if json.Unmarshal([]byte(line), &e) == nil && e.Partition != nil && *e.Partition == partition {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// published is a line of a ledger: a record that Kafka has acknowledged.
type published struct {
	Partition  int
	Offset     int64
	SiteID, ID string
}

// eachPublished reads what producers wrote down.
func eachPublished(t *testing.T, ledgers []string, do func(published)) {
	t.Helper()
	for _, name := range ledgers {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var r published
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("ledger: %v in %s", err, lines.Bytes())
			}
			do(r)
		}
		f.Close()
	}
}

// acknowledged sums ledgers up: how many records there are, and how many events of each site. What a producer sent again,
// as the same event in the same partition, is one event.
func acknowledged(t *testing.T, ledgers []string) (records int64, events map[string]int64) {
	t.Helper()
	events = make(map[string]int64)
	seen := make(map[published]bool)
	eachPublished(t, ledgers, func(r published) {
		records++
		r.Offset = 0
		if !seen[r] {
			seen[r] = true
			events[r.SiteID]++
		}
	})
	return records, events
}
