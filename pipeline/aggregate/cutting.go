package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// statsCut is the end of a step: the plan that its parts add their writes to.
type statsCut struct {
	*accumulating
	p        *plan.Plan
	now      int64
	guard    plan.Guard
	attrs    plan.Attrs
	sketches plan.Pieces
	uniques  string                // the attribute of hours' stats that has their visitors
	added    []sinks.Attr          // room for the additions of an item
	listed   []state.ListedSession // room for the entries of an item
}

// days is for how many days a site keeps items; def is used where its rules do not say.
func (c *statsCut) days(s *Site, attr string, def int64) int64 { return s.Ruled.DaysOf(attr, def) }

// expired counts a write that is left out.
func (c *statsCut) expired(kind string) { c.p.Counts.Expire(kind) }
