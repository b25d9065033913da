package passing

import (
	"strings"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/sketch"
)

// A Dimension is a dimension of filters or of rows.
type Dimension struct {
	d        sketch.Dimension
	property string // its key; "": it is none
	typ      bool   // the type of the event
	whole    string // EntryDimension, ExitDimension or GoalDimension; "": it is none of them
}

// DimensionOf returns the dimension of a name that was checked.
func DimensionOf(name string) Dimension {
	if key, ok := strings.CutPrefix(name, filters.PropertyPrefix); ok {
		return Dimension{property: key}
	}
	switch name {
	case filters.TypeDimension:
		return Dimension{typ: true}
	case filters.EntryDimension, filters.ExitDimension, filters.GoalDimension:
		return Dimension{whole: name}
	}
	d, err := sketch.ParseDimension(name)
	if err != nil {
		panic(err) // The name was checked.
	}
	return Dimension{d: d}
}

// ofSource reports whether an event has the value of its session's earliest event.
func (f Dimension) ofSource() bool {
	return f.property == "" && !f.typ && f.whole == "" && sketch.Referrer <= f.d && f.d <= sketch.Term
}

// OfWhole reports whether an event has the value of its whole session, whose events decide it.
func (f Dimension) OfWhole() bool { return f.whole != "" }

// OfEvents reports whether the value belongs to each event, so that rows by it have no figures of sessions.
func (f Dimension) OfEvents() bool {
	return f.property != "" || f.typ || f.whole == "" && (f.d == sketch.Page || f.d == sketch.EventName)
}

// OfPages reports whether it is the entry or exit page of sessions.
func (f Dimension) OfPages() bool {
	return f.whole == filters.EntryDimension || f.whole == filters.ExitDimension
}
