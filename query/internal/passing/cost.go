package passing

import (
	"fmt"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/ranges"
)

// afford refuses readings that cost more than the question allows.
func afford(p filters.Params, cost filters.Cost, readings []*rawevents.Reading) error {
	packed := int64(0)
	for _, r := range readings {
		packed += r.Packed()
	}
	if err := checkCost(cost, packed, p.MaxEvents, len(readings)); err != nil || p.OnEstimate == nil {
		return err
	}
	return p.OnEstimate(cost)
}

// checkCost refuses a range, or two that are compared, that cost more than the bound, given as how many packed events they cost.
func checkCost(c filters.Cost, packed int64, most, n int) error {
	if packed <= int64(most) {
		return nil
	}
	what := "the range and its margins"
	if n > 1 {
		what = "the range, the one that it is compared with and their margins"
	}
	return &ranges.ParamError{Param: "max-events", Value: fmt.Sprint(most),
		Remedy: fmt.Sprintf("%s have %d raw events, which cost about %.0f read units, as %d packed "+
			"events: ask for a shorter range, or raise the bound", what, c.EventsEstimated, c.ReadUnitsEstimated, packed)}
}

// addCost adds the cost of another range.
func addCost(c *filters.Cost, o filters.Cost) {
	c.EventsEstimated += o.EventsEstimated
	c.ReadUnitsEstimated += o.ReadUnitsEstimated
	c.EventsRead += o.EventsRead
	c.ReadUnits += o.ReadUnits
}

// leaveOutCost takes away the cost of a range whose events are not read. What finding that out has consumed remains.
func leaveOutCost(c *filters.Cost, o filters.Cost) {
	c.EventsEstimated -= o.EventsEstimated
	c.ReadUnitsEstimated -= o.ReadUnitsEstimated - o.ReadUnits
}
