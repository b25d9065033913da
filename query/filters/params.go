package filters

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/query/ranges"
)

// DefaultMaxEvents is the default maximum number of packed raw events that filters read. 20 million events of 500 bytes are some
// 300,000 read units, eventually consistent. A raw event that is an item of its own costs as much as four packed ones.
const DefaultMaxEvents = 20_000_000

// Params are filters, and how they may be answered.
type Params struct {
	Where []Condition // all of them; one at least, but for query.Reader.FilteredTop
	// Exact computes from raw events also what breakdowns can answer.
	Exact     bool
	MaxEvents int // max. packed raw events read, at least 1; 0: DefaultMaxEvents
	// EstimateOnly has the answer say what reading raw events will cost, and nothing else.
	EstimateOnly bool
	// OnEstimate is called with the estimated cost before raw events are read. Its error ends the question. nil: it is not called.
	OnEstimate func(Cost) error
	// Locked are those of Where that the user cannot remove. Rows and other filters hide an entry or exit page whose view does not pass
	// them by its own values: the session counts as one without such a page.
	Locked []Condition
	// Saved are those of Where that belong to a segment.
	Saved []Condition
	// Within is set for users who may see nothing beyond the range: sessions end with it.
	Within bool
}

// Check refuses filters and bounds that have no answer, and sets the bound if there is none.
func (p *Params) Check() error {
	if err := p.checkBound(); err != nil {
		return err
	}
	return check(p.Where, slices.Concat(p.Locked, p.Saved))
}

// CheckAny is Check for a question that may have no filters.
func (p *Params) CheckAny() error {
	if err := p.checkBound(); err != nil || len(p.Where) == 0 {
		return err
	}
	return check(p.Where, slices.Concat(p.Locked, p.Saved))
}

func (p *Params) checkBound() error {
	if p.MaxEvents < 0 {
		return &ranges.ParamError{Param: "max-events", Value: fmt.Sprint(p.MaxEvents), Remedy: "choose 1 or more"}
	}
	if p.MaxEvents == 0 {
		p.MaxEvents = DefaultMaxEvents
	}
	return nil
}
