// Package paths declares the paths of sessions: what is asked about them, and the rows of an answer. Package query answers.
package paths

import (
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
)

// Bounds of a question.
const (
	DefaultSteps, MaxSteps = 3, 5
	DefaultRows, MaxRows   = 10, 100
)

// Params ask which pages sessions view before or after a page or a goal. Without either, they ask for pairs of an entry and an exit page.
// Sessions are those that start in the range and pass the filters, with what they view within two hours after it. A page that is viewed
// again before another one is no step. Steps begin at the first view of a page, or at the event that converts.
type Params struct {
	Site             string
	FromPage, ToPage string   // the page that steps follow, or precede
	FromGoal, ToGoal string   // the id of the goal. At most one of the four is given
	Steps            int      // 1 to MaxSteps; 0: DefaultSteps, or one more than Through has if that is more
	Through          []string // the pages of the first steps: later steps have only the sessions that view these
	Rows             int      // max. pages of a step, or pairs, 1 to MaxRows; 0: DefaultRows
	From, To         time.Time
	Zone             *time.Location // of the range; nil: the site's own
	Consistent       bool           // strongly consistent reads, at twice the cost
	filters.Params
}

// Start is where the steps of an answer begin.
type Start struct {
	Direction Direction `json:"direction"` // after or before; "": there is no start, and rows are pairs
	Page      string    `json:"page"`      // "": none
	Goal      string    `json:"goalId"`    // "": none
}

// Direction is on which side of the start steps lie.
type Direction string

// The directions.
const (
	After  Direction = "after"
	Before Direction = "before"
)

// Start returns where steps begin.
func (p *Params) Start() Start {
	switch {
	case p.FromPage != "" || p.FromGoal != "":
		return Start{After, p.FromPage, p.FromGoal}
	case p.ToPage != "" || p.ToGoal != "":
		return Start{Before, p.ToPage, p.ToGoal}
	}
	return Start{}
}

// Name is the parameter that names the start.
func (s Start) Name() string {
	name := "from"
	if s.Direction == Before {
		name = "to"
	}
	if s.Goal != "" {
		return name + "-goal"
	}
	return name + "-page"
}

// Kind is what a row counts.
type Kind string

// The kinds of rows.
const (
	Page    Kind = "page"    // sessions that view the page in the step
	Pair    Kind = "pair"    // sessions with the entry and the exit page
	Others  Kind = "others"  // sessions of all other pages or pairs
	DropOff Kind = "dropOff" // sessions without the step: they end with the step before, or, before a start, begin with it
)

// Row are the sessions of a step that view a page in it, or none. Or they are those of a pair.
type Row struct {
	Step     int      `json:"step"`     // from 1; 0: of a pair
	Kind     Kind     `json:"kind"`     // page, pair, others or dropOff
	Page     string   `json:"page"`     // of a pair the entry page; "": the row is of no page
	ExitPage string   `json:"exitPage"` // of a pair; "": the row is none
	Sessions int64    `json:"sessions"`
	Share    *float64 `json:"share"` // of all rows of the step, or of all pairs
}

// Check refuses what has no answer, as a [ranges.ParamError], and sets what is left open.
func (p *Params) Check() error {
	wrong := func(param, value, format string, args ...any) error {
		return &ranges.ParamError{Param: param, Value: readable.Shortened(value), Remedy: fmt.Sprintf(format, args...)}
	}
	given := 0
	for _, start := range []struct{ name, value string }{{"from-page", p.FromPage}, {"to-page", p.ToPage}, {"from-goal", p.FromGoal},
		{"to-goal", p.ToGoal}} {
		if start.value == "" {
			continue
		}
		if given++; given > 1 {
			return wrong(start.name, start.value, "give one of from-page, to-page, from-goal and to-goal")
		}
	}
	if given == 0 && (p.Steps != 0 || len(p.Through) > 0) {
		name := "steps"
		if p.Steps == 0 {
			name = "through"
		}
		return wrong(name, "", "add the page or goal that steps begin at: one of from-page, to-page, from-goal and to-goal")
	}
	if p.Steps == 0 {
		p.Steps = max(DefaultSteps, min(len(p.Through)+1, MaxSteps))
	}
	if p.Rows == 0 {
		p.Rows = DefaultRows
	}
	switch {
	case p.Steps < 1 || p.Steps > MaxSteps:
		return wrong("steps", strconv.Itoa(p.Steps), "choose 1 to %d", MaxSteps)
	case len(p.Through) > p.Steps:
		return wrong("through", p.Through[p.Steps], "give a page for each of the %d steps at most", p.Steps)
	case p.Rows < 1 || p.Rows > MaxRows:
		return wrong("limit", strconv.Itoa(p.Rows), "choose 1 to %d", MaxRows)
	}
	for _, page := range append([]string{p.FromPage, p.ToPage}, p.Through...) {
		if len(page) > state.MaxPageBytes {
			return wrong("page", page, "no page has more than %d bytes: cut it", state.MaxPageBytes)
		}
	}
	if err := filters.RefuseEvents(p.Where, "it selects events, and paths are of whole sessions"); err != nil {
		return err
	}
	return p.CheckAny()
}
