package recount

import (
	"slices"

	"github.com/footfall/footfall/sinks"
)

// Losses are the lost spans of the topic.
type Losses struct {
	Items map[sinks.Key]sinks.Item
	Of    map[sinks.Key][]sinks.LostSpan // by the item
	List  []sinks.LostSpan
}

// StateLost reports whether the partition has lost a state of the site that decides what is counted: a session, a visitor, an
// arrival or a budget.
// The table does not say which figures were counted with the lost state, and which were counted after it.
func (l *Losses) StateLost(site string, tp sinks.TP) bool {
	return slices.ContainsFunc(l.List, func(l sinks.LostSpan) bool { return Decides(l.Kind) && l.TP == tp && l.Site == site })
}

// Decides reports whether items of the entity decide what other items of their site receive.
func Decides(entity string) bool {
	switch entity {
	case sinks.EntitySession, sinks.EntityVisitor, sinks.EntityArrival, sinks.EntityBudget:
		return true
	}
	return false
}

// IsLost reports whether the table says that a partition's part of an item was lost.
func (l *Losses) IsLost(key sinks.Key, tp sinks.TP) bool {
	return slices.ContainsFunc(l.Of[key], func(l sinks.LostSpan) bool { return l.TP == tp })
}
