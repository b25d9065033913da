package filters

import (
	"slices"

	"github.com/footfall/footfall/sketch"
)

// PropertyPrefix comes before the key of a property that a site has chosen, where a dimension is asked for: "property:plan".
const PropertyPrefix = "property:"

// Dimensions of filters that breakdowns do not have.
const (
	TypeDimension  = "type"  // the type of an event
	EntryDimension = "entry" // the entry page of a session
	ExitDimension  = "exit"  // its exit page
	GoalDimension  = "goal"  // the id of a goal that a session has reached
)

// Dimensions are the names of the dimensions that breakdowns have.
func Dimensions() (names []string) {
	for _, d := range sketch.Dimensions() {
		names = append(names, d.String())
	}
	return names
}

// FromRawEvents reports whether the values of a dimension are computed from raw events also without filters, because breakdowns do not have
// it.
func FromRawEvents(dimension string) bool {
	return slices.Contains([]string{TypeDimension, EntryDimension, ExitDimension}, dimension)
}
