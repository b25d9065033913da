package query

import (
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/rawevents"
)

// What package filters declares is part of this package, too.
type (
	// Condition is a filter: what a value in a dimension must be.
	Condition = filters.Condition
	// Op is how a filter compares the value that an event or a session has with its own.
	Op = filters.Op
	// Scope is what filters select.
	Scope = filters.Scope
	// FilterParams are filters, and how they may be answered.
	FilterParams = filters.Params
	// FilterReport says how filters were answered.
	FilterReport = filters.Report
	// FilterSource is what filtered figures were computed from.
	FilterSource = filters.Source
	// FilterCost is what it costs to compute figures from raw events.
	FilterCost = filters.Cost
	// FilterError reports that figures cannot be computed from raw events.
	FilterError = filters.Error
	// GoalFilterError reports a filter by a goal that the site does not have, or that is inactive. It unwraps to a [ParamError].
	GoalFilterError = filters.GoalError
)

// The operators, as package filters explains them.
const (
	Is       = filters.Is
	IsNot    = filters.IsNot
	Contains = filters.Contains
	Begins   = filters.Begins
)

// Dimensions of filters that breakdowns do not have.
const (
	TypeDimension  = filters.TypeDimension
	EntryDimension = filters.EntryDimension
	ExitDimension  = filters.ExitDimension
	GoalDimension  = filters.GoalDimension
)

// PropertyPrefix comes before the key of a property that a site has chosen, where a dimension is asked for: "property:plan".
const PropertyPrefix = filters.PropertyPrefix

// Bounds of filters.
const (
	MaxConditions          = filters.MaxConditions
	MaxConditionBytes      = filters.MaxConditionBytes
	DefaultMaxFilterEvents = filters.DefaultMaxEvents
)

// FilterMargin is how long before and after a range filters read raw events, two hours, to find the sessions that begin before it or
// end after it. Events beyond do not count: a session whose last event lies further back begins again in the range.
const FilterMargin = rawevents.Margin

// The scopes, as package filters explains them.
const (
	ScopeSessions = filters.ScopeSessions
	ScopeEvents   = filters.ScopeEvents
)

// The sources of filtered figures.
const (
	FromBreakdowns = filters.FromBreakdowns
	FromEvents     = filters.FromEvents
)

// ParseCondition is [filters.ParseCondition].
func ParseCondition(text string) (Condition, error) { return filters.ParseCondition(text) }

// ParseConditions is [filters.ParseConditions].
func ParseConditions(texts []string) ([]Condition, error) { return filters.ParseConditions(texts) }

// CheckValues is [filters.CheckValues].
func CheckValues(conditions []Condition) error { return filters.CheckValues(conditions) }

// ScopeOf is [filters.ScopeOf].
func ScopeOf(conditions []Condition) Scope { return filters.ScopeOf(conditions) }

// FromRawEvents is [filters.FromRawEvents].
func FromRawEvents(dimension string) bool { return filters.FromRawEvents(dimension) }
