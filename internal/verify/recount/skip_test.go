package recount

import (
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestSkipWithinAnUndecidedStepMovesTheWindow has an operator skip offsets whose end lies in a step that was open, so that no position
// is left that no step has had.
func TestSkipWithinAnUndecidedStepMovesTheWindow(t *testing.T) {
	skipped := func(to int64) *checkpoint.Gap {
		return &checkpoint.Gap{Cause: checkpoint.GapSkipped, Step: 1, UndecidedTo: 26, UnreadFrom: 26, UnreadTo: 26, SkippedTo: to}
	}
	for _, c := range []struct {
		name            string
		gap             *checkpoint.Gap
		position, floor int64
	}{
		{"a record of the step that passes it", skipped(0), 26, 26},
		{"a record after that", skipped(0), 60, 26},
		{"a record of a step before", skipped(0), 25, 0},
		{"what was skipped ends within the undecided step", skipped(20), 60, 20},
		{"records that retention has taken", &checkpoint.Gap{Cause: checkpoint.GapExpired, UnreadFrom: 20, UnreadTo: 26}, 60, 0},
	} {
		x := &Chain{Skips: skippedBy(checkpoint.ChainState{Head: checkpoint.Head{Step: 2},
			History: []checkpoint.History{{Step: 1}, {Step: 2, From: 26, Gap: c.gap}}})}
		if got := x.floorAt(c.position); got != c.floor {
			t.Errorf("%s: floor %d, want %d", c.name, got, c.floor)
		}
	}
}

// TestRateIsUnknownOnlyBeyondAGap compares raw events that differ from what their record makes by a verdict about bots.
func TestRateIsUnknownOnlyBeyondAGap(t *testing.T) {
	item := func(by string) sinks.Item {
		it := sinks.Item{"id": sinks.Str("e1")}
		if by != "" {
			it[sinks.AttrBot] = sinks.Str(by)
		}
		return it
	}
	for _, c := range []struct {
		name          string
		table, record string
		beyond        string
		rate          int64
		equal         bool
	}{
		{"by the rate, and not", "rate", "", "a gap", 4, true},
		{"not, and by the rate", "", "rate", "a gap", 4, true},
		{"of a chain that is recounted", "rate", "", "", 4, false},
		{"no rate is set", "rate", "", "a gap", 0, false},
		{"by the lists, and not", "agent", "", "a gap", 4, false},
		{"by the rate, and by the lists", "rate", "agent", "a gap", 4, false},
	} {
		e := ofRate(c.rate, c.beyond, item(c.record))
		if got := e.DiffersByRate(item(c.table)); got != c.equal {
			t.Errorf("%s: %v, want %v", c.name, got, c.equal)
		}
	}
	other := item("rate")
	other["id"] = sinks.Str("e2")
	e := ofRate(4, "a gap", item(""))
	if e.DiffersByRate(other) {
		t.Error("another attribute may differ, too")
	}
}

// ofRate is what the recount has of a raw event, in a chain that is not recounted because of something.
func ofRate(rate int64, because string, made sinks.Item) *RawEvent {
	settings := checkpoint.Settings{Bots: checkpoint.Bots{Rate: rate}}
	c := &Chain{NotRecounted: because, current: era{settings: &settings}}
	return &RawEvent{RawSighting: RawSighting{Chain: c}, Digest: Digest(made)}
}
