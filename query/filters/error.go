package filters

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
)

// Error reports that figures cannot be computed from raw events. Err says why.
type Error struct {
	Site  string
	Where []Condition // none: breakdowns do not have what was asked for
	Err   error
	Cost  *Cost // of the raw events that were not read; nil: it is not known
}

// Error says also what can be had without raw events, if there are filters.
func (e *Error) Error() string {
	if len(e.Where) == 0 {
		return e.Err.Error()
	}
	var texts, alone []string
	for _, c := range e.Where {
		texts = append(texts, readable.Shortened(c.String()))
	}
	for _, c := range e.Alone() {
		alone = append(alone, readable.Shortened(c.String()))
	}
	hint := "breakdowns answer one filter alone, of the form DIMENSION=VALUE, but by none of " + strings.Join(
		[]string{TypeDimension, EntryDimension, ExitDimension, GoalDimension}, ", ")
	if len(alone) > 0 && len(e.Where) > 1 {
		hint = "breakdowns answer without raw events, each alone: " + strings.Join(alone, " or ")
	}
	return fmt.Sprintf("filter %s: %v; %s", strings.Join(texts, " and "), e.Err, hint)
}

// Alone returns the filters that breakdowns may answer, each alone.
func (e *Error) Alone() (all []Condition) {
	for _, c := range e.Where {
		if c.Single() {
			all = append(all, c)
		}
	}
	return all
}

// Unwrap returns why.
func (e *Error) Unwrap() error { return e.Err }

// GoalError reports a filter by a goal that the site does not have, or that is inactive. It unwraps to a [ranges.ParamError].
type GoalError struct{ Err *ranges.ParamError }

func (e *GoalError) Error() string { return e.Err.Error() }

// Remedy says what is wrong, and what to do.
func (e *GoalError) Remedy() string { return e.Err.Remedy }

// Unwrap returns what is wrong.
func (e *GoalError) Unwrap() error { return e.Err }
