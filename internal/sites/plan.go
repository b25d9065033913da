package sites

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A plan is a value, and the instant from which it holds until the next plan does, in ms since the epoch; 0: from the beginning.
type plan[V comparable] struct {
	from  int64
	value V
}

// An outcome is what becomes of plans when a value is asked for from an instant on.
type outcome[V comparable] struct {
	cut    int64     // plans from this instant on give way
	holds  plan[V]   // what holds until then
	begins bool      // the value begins to hold at the instant that was asked for; else it is what holds
	gone   []plan[V] // those that give way, but for such as change nothing
}

// outcomeOf decides about plans, by instant, of which the first holds from the beginning. Those from the instant on give way.
// With postpone so do those that have the value begin before it, unless they are too near to change: before soonest.
func outcomeOf[V comparable](plans []plan[V], asked plan[V], soonest int64, postpone bool) outcome[V] {
	n := 1
	for n < len(plans) && plans[n].from < asked.from {
		n++
	}
	o := outcome[V]{cut: asked.from}
	for postpone && n > 1 && plans[n-1].value == asked.value && plans[n-1].from >= soonest {
		n--
		o.cut = plans[n].from
	}
	o.holds = plans[n-1]
	before := o.holds.value
	for _, p := range plans[n:] {
		if p.value != before {
			o.gone = append(o.gone, p)
		}
		before = p.value
	}
	// What holds already needs no beginning, unless there is another value between that is too near to be cancelled.
	o.begins = o.holds.value != asked.value || n < len(plans) && plans[n].from < soonest
	return o
}

// made reports whether a change is made already, and may be asked for again whatever the time is.
func made[V comparable](plans []plan[V], asked plan[V], soonest int64) bool {
	return slices.Contains(plans, asked) && (asked.from < soonest || plans[len(plans)-1] == asked)
}

// say tells what became of the plans; "": nothing that was not asked for. spell spells a value.
func (o outcome[V]) say(spell func(V) string, now time.Time) string {
	var gone []string
	for _, p := range o.gone {
		gone = append(gone, spell(p.value)+" from "+since(p.from))
	}
	switch {
	case gone == nil && o.begins:
		return ""
	case gone == nil && o.holds.from > now.UnixMilli():
		return fmt.Sprintf("Planned already: %s from %s on.", spell(o.holds.value), since(o.holds.from))
	case gone == nil:
		return fmt.Sprintf("In force already: %s, from %s on.", spell(o.holds.value), since(o.holds.from))
	case o.begins:
		return fmt.Sprintf("This replaces what was planned: %s.", strings.Join(gone, ", "))
	}
	return fmt.Sprintf("This cancels what was planned: %s.", strings.Join(gone, ", "))
}

// fixed returns the error of a plan that was to be postponed, and is too near for it; nil: it is not.
func (o outcome[V]) fixed(spell func(V) string, now time.Time) error {
	if o.begins || o.gone != nil || o.holds.from <= now.UnixMilli() {
		return nil
	}
	return fmt.Errorf("%s cannot be postponed: it holds from %s on, which is so near that workers may have it by then",
		spell(o.holds.value), since(o.holds.from))
}

// since spells an instant from which something holds.
func since(ms int64) string {
	if ms == 0 {
		return "the beginning"
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}
