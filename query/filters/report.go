package filters

import "github.com/footfall/footfall/query/internal/readable"

// Source is what filtered figures were computed from.
type Source string

// The sources.
const (
	FromBreakdowns Source = "breakdowns"
	FromEvents     Source = "events"
)

// Report says how filters were answered.
type Report struct {
	Where  []string `json:"where"`            // the filters; what is counted passes all
	Locked []string `json:"locked,omitempty"` // those of Where that the credential has; cost and eventsMissing are left out then
	Scope  Scope    `json:"scope"`
	Source Source   `json:"source"`
	Cost   *Cost    `json:"cost"` // of raw events; null: breakdowns answered
	// EventsMissing is how many more events stats have counted in the whole hours that were read than there are raw events.
	EventsMissing int64 `json:"eventsMissing"`
}

// Cost is what it costs to compute figures from raw events.
type Cost struct {
	EventsEstimated    int64   `json:"eventsEstimated"`    // raw events to read, by the stats of the hours
	ReadUnitsEstimated float64 `json:"readUnitsEstimated"` // read units, by a sample of the raw events; those of the sample are included
	EventsRead         int64   `json:"eventsRead"`
	ReadUnits          float64 `json:"readUnits"` // that reading the events consumed, and the sample
}

func (r Report) String() string { return readable.Text(r) }
func (c Cost) String() string   { return readable.Text(c) }
