package testpipeline

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The faults of a table.
var (
	onRefused         = Listed("table: refused, outcome unknown")
	onLostAnswer      = Listed("table: applied, answer lost")
	onApplied500      = Listed("table: applied, answered 500")
	onHeld            = Listed("table: held, then applied")
	onTwice           = Listed("table: delivered twice")
	onAgain           = Listed("table: delivered again later")
	onSlow            = Listed("table: slow")
	onCheckpointAgain = Listed("table: write of a checkpoint delivered again later")
	onPartPut         = Listed("table: part of a batch taken")
	onPartGet         = Listed("table: part of a read answered")
	onKill            = Listed("process: killed before a request")
	onKillAfter       = Listed("process: killed after a request")
	onThrottled       = listedThrottles()
)

// Happening is the name of a fault or a branch that is on the list.
type Happening string

var happenings []Happening

// Listed puts a happening on the list of what a simulation must meet.
func Listed(name string) Happening {
	happenings = append(happenings, Happening(name))
	return Happening(name)
}

// Throttles are the reasons that DynamoDB gives, for reads and for writes.
var Throttles = map[bool][]string{}

func listedThrottles() map[string]Happening {
	all := make(map[string]Happening)
	for _, where := range []string{"Table", "Index"} {
		for _, verb := range []string{"Read", "Write"} {
			for _, limit := range []string{"ProvisionedThroughput", "AccountLimit", "KeyRangeThroughput", "MaxOnDemandThroughput"} {
				reason := where + verb + limit + "Exceeded"
				Throttles[verb == "Write"] = append(Throttles[verb == "Write"], reason)
				all[reason] = Listed("throttle: " + reason)
			}
		}
	}
	return all
}

// Coverage counts what happened. Safe for concurrent use.
type Coverage struct {
	mu    sync.Mutex // covers count
	Count map[Happening]int
}

// NewCoverage returns a count of nothing.
func NewCoverage() *Coverage { return &Coverage{Count: make(map[Happening]int)} }

// Hit counts that something happened.
func (c *Coverage) Hit(h Happening) { c.Add(h, 1) }

// Add counts that something happened n times.
func (c *Coverage) Add(h Happening, n int) {
	if n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Count[h] += n
}

// Missed lists what never happened.
func (c *Coverage) Missed() []Happening {
	return slices.DeleteFunc(slices.Clone(happenings), func(h Happening) bool { return c.Count[h] > 0 })
}

func (c *Coverage) String() string {
	var b strings.Builder
	for i, h := range happenings {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %d", h, c.Count[h])
	}
	return b.String()
}
