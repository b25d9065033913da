package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// The process is ready once nothing is missing that it waits for. Each reason is a line, and is gone when what it names is there.
func TestReadySaysWhatIsMissing(t *testing.T) {
	p, err := New(Options{Topic: "events", Group: "g", Table: struct{ sinks.Table }{}})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	p.send.Outage.Asked(begin)
	p.brokers.Asked(begin)
	check := func(after time.Duration, want ...string) {
		t.Helper()
		have := ""
		if err := p.readyAt(begin.Add(after)); err != nil {
			have = err.Error()
		}
		if have != strings.Join(want, "\n") {
			t.Errorf("after %v:\n%s\nwant\n%s", after, have, strings.Join(want, "\n"))
		}
	}
	const noMember = "not a member of the consumer group"
	check(9*time.Second, noMember)
	p.brokers.Heard(begin.Add(9*time.Second), nil)
	check(10*time.Second, noMember, "no answer from the table for 10s, last error: "+requests.ErrNotEnded.Error())
	p.send.Outage.Heard(begin, errors.Join(errors.New("dial"), errors.New("refused")))
	check(11*time.Second, noMember, "no answer from the table for 11s, last error: dial; refused")
	p.send.Outage.Heard(begin.Add(11*time.Second), nil)
	p.assignedTo([]int32{3, 1, 2, 4})
	check(12*time.Second, "assigned and not taken over yet: partitions 1, 2, 3, 4")
	p.roster.workers[1], p.roster.parked[2], p.taker.yielded[4] = &worker{}, &standstill{}, true
	check(12*time.Second, "assigned and not taken over yet: partition 3")
	p.roster.workers[3] = &worker{}
	check(12 * time.Second)
	check(40*time.Second, "no answer from the table for 29s, last error: "+requests.ErrNotEnded.Error(),
		"no answer from the brokers for 31s, last error: "+requests.ErrNotEnded.Error())
}

// A group that has lost the process, as after a long outage of the brokers, has it again when it has joined.
func TestLostMemberIsNotReady(t *testing.T) {
	p, err := New(Options{Topic: "events", Group: "g", Table: struct{ sinks.Table }{}})
	if err != nil {
		t.Fatal(err)
	}
	p.assignedTo(nil)
	if err := p.Ready(); err != nil {
		t.Errorf("a member without partitions: %v", err)
	}
	p.lost(nil)
	if err := p.Ready(); err == nil {
		t.Error("ready although the group has lost the process")
	}
	p.assignedTo(nil)
	if err := p.Ready(); err != nil {
		t.Errorf("joined again: %v", err)
	}
}

func TestListOfPartitionsIsBounded(t *testing.T) {
	var parts []int32
	for n := range int32(listedPartitions + 5) {
		parts = append(parts, n)
	}
	if got, want := partitionList(parts), fmt.Sprintf("%d and 5 more", listedPartitions-1); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want it to end with %q", got, want)
	}
}
