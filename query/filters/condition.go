package filters

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sketch"
)

// Op is how a filter compares the value that an event or a session has with its own.
type Op string

// The operators. What has no value in the dimension is not equal to any, and contains and begins with none. It is selected by [Is] with
// the empty value, and what has one by [IsNot] with it. Bytes are compared, so case matters. With several values, any of them is enough,
// and none may be equal with IsNot.
const (
	Is       Op = "="
	IsNot    Op = "!="
	Contains Op = "~="
	Begins   Op = "^="
)

// Bounds of filters.
const (
	MaxConditions = 10
	// MaxConditionBytes is the longest value of a filter. No dimension has longer values.
	MaxConditionBytes = 256
	// MaxConditionValues is how many values a filter has at most, and MaxConditionTotal how many bytes all of them take.
	MaxConditionValues = 50
	MaxConditionTotal  = 2048
)

// Condition is a filter: what a value in a dimension must be.
type Condition struct {
	Dimension string // one of Dimensions, or one of those above, or PropertyPrefix and the key of any property
	Op        Op
	Values    []string // one at least, in any order; "": there is none
}

// String returns the filter as ParseCondition reads it. Filters that mean the same by their values are spelled the same.
func (c Condition) String() string { return c.Dimension + string(c.Op) + joinValues(c.Values) }

// Texts returns filters as ParseConditions reads them; nil: there are none.
func Texts(conditions []Condition) (texts []string) {
	for _, c := range conditions {
		texts = append(texts, c.String())
	}
	return texts
}

// Equal reports whether both have the same values of a dimension pass, by the same operator.
func (c Condition) Equal(o Condition) bool {
	return c.Dimension == o.Dimension && c.Op == o.Op && joinValues(c.Values) == joinValues(o.Values)
}

// In reports whether one of the conditions equals c.
func (c Condition) In(conditions []Condition) bool { return slices.ContainsFunc(conditions, c.Equal) }

// Has reports whether a value is one of the filter's.
func (c Condition) Has(value string) bool { return slices.Contains(c.Values, value) }

// ParseCondition reads a filter, as in country=DE, browser!=Chrome, referrer~=google, page^=/docs/ or referrer= (no referrer). Commas
// separate several values, as in country=AT,DE; a value with a comma is quoted, as in city="Washington, D.C.". The error is a
// [ranges.ParamError].
func ParseCondition(text string) (Condition, error) {
	c, rest, err := cutCondition(text)
	if err != nil {
		return Condition{}, err
	}
	values, remedy := splitValues(rest)
	if remedy != "" {
		return Condition{}, &ranges.ParamError{Param: "where", Value: readable.Shortened(text), Remedy: remedy}
	}
	c.Values = values
	if err := c.check(); err != nil {
		return Condition{}, err
	}
	return c, nil
}

// cutCondition reads the dimension and the operator of a filter, and returns the text of its values.
func cutCondition(text string) (c Condition, values string, err error) {
	wrong := func(remedy string) (Condition, string, error) {
		return Condition{}, "", &ranges.ParamError{Param: "where", Value: readable.Shortened(text), Remedy: remedy}
	}
	at := strings.IndexByte(text, '=')
	if at < 0 {
		return wrong("no operator: write DIMENSION=VALUE, or != (is not), ~= (contains) or ^= (begins with) instead of =")
	}
	c = Condition{Dimension: text[:at], Op: Is}
	for _, op := range []Op{IsNot, Contains, Begins} {
		if name, ok := strings.CutSuffix(c.Dimension, string(op[:1])); ok {
			c.Dimension, c.Op = name, op
			break
		}
	}
	if name := strings.TrimRight(c.Dimension, "<>*$~!^ "); name != c.Dimension && !strings.HasPrefix(name, PropertyPrefix) {
		return wrong(fmt.Sprintf("%q is no operator: choose =, != (is not), ~= (contains) or ^= (begins with), without blanks",
			text[len(name):at+1]))
	}
	return c, text[at+1:], nil
}

// ParseConditions reads several filters.
func ParseConditions(texts []string) (all []Condition, err error) {
	for _, text := range texts {
		c, err := ParseCondition(text)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// CheckValues refuses filters without a value, as a [ranges.ParamError]: in places where an empty value is likely to be a mistake.
func CheckValues(conditions []Condition) error {
	for _, c := range conditions {
		if c.Has("") {
			return &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()),
				Remedy: "the value is empty: write one after " + string(c.Op)}
		}
	}
	return nil
}

// check returns what is wrong with a filter as a *ranges.ParamError; nil: nothing.
func (c Condition) check() error {
	wrong := func(remedy string) error {
		return &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()), Remedy: remedy}
	}
	names := append(Dimensions(), TypeDimension, EntryDimension, ExitDimension, GoalDimension)
	switch property, ok := strings.CutPrefix(c.Dimension, PropertyPrefix); {
	case !slices.Contains([]Op{Is, IsNot, Contains, Begins}, c.Op):
		return wrong(fmt.Sprintf("%q is no operator: choose =, !=, ~= or ^=", c.Op))
	case ok && property == "":
		return wrong("the property is missing: write " + PropertyPrefix + "KEY=VALUE")
	case !ok && !slices.Contains(names, c.Dimension):
		return wrong(fmt.Sprintf("there is no dimension %q: %schoose %s, or %sKEY", readable.Shortened(c.Dimension),
			near.Hint(c.Dimension, names), strings.Join(names, ", "), PropertyPrefix))
	case c.OfGoal() && c.Op != Is && c.Op != IsNot:
		return wrong("goals are compared as a whole: write " + GoalDimension + string(Is) + "ID, or " + GoalDimension + string(IsNot) + "ID")
	case len(c.Values) == 0 || c.Has("") && (c.OfGoal() || c.Dimension == TypeDimension || c.Op != Is && c.Op != IsNot):
		return wrong("the value is empty: write one after " + string(c.Op))
	case len(c.Values) > MaxConditionValues:
		return wrong(fmt.Sprintf("%d values: give %d at most", len(c.Values), MaxConditionValues))
	case len(slices.Compact(slices.Sorted(slices.Values(c.Values)))) < len(c.Values):
		return wrong("a value is given twice: give it once")
	case !utf8.ValidString(strings.Join(c.Values, "")) || !utf8.ValidString(c.Dimension):
		return wrong("not valid UTF-8, as every value is")
	}
	total := 0
	for _, value := range c.Values {
		if total += len(value); len(value) > MaxConditionBytes {
			return wrong(fmt.Sprintf("the value has %d bytes: no value has more than %d", len(value), MaxConditionBytes))
		}
	}
	if total > MaxConditionTotal {
		return wrong(fmt.Sprintf("the values have %d bytes: give fewer, of %d at most", total, MaxConditionTotal))
	}
	return nil
}

// Matches reports whether a value passes the filter; "": there is none.
func (c Condition) Matches(value string) bool {
	switch c.Op {
	case IsNot:
		return !c.Has(value)
	case Contains:
		return slices.ContainsFunc(c.Values, func(part string) bool { return strings.Contains(value, part) })
	case Begins:
		return slices.ContainsFunc(c.Values, func(prefix string) bool { return strings.HasPrefix(value, prefix) })
	}
	return c.Has(value)
}

// MatchesAny reports whether the filter is passed by something that may have several values at once, such as the goals of a session. has
// reports whether it has a value.
func (c Condition) MatchesAny(has func(value string) bool) bool {
	return slices.ContainsFunc(c.Values, has) == (c.Op == Is)
}

// OfWhole reports whether a filter is by what whole sessions have: their entry and exit pages, and goals.
func (c Condition) OfWhole() bool {
	return c.Dimension == EntryDimension || c.Dimension == ExitDimension || c.OfGoal()
}

// OfGoal reports whether a filter is by a goal that sessions have reached.
func (c Condition) OfGoal() bool { return c.Dimension == GoalDimension }

// OfEvents reports whether a filter is by what belongs to each event.
func (c Condition) OfEvents() bool {
	return slices.Contains([]string{sketch.Page.String(), sketch.EventName.String(), TypeDimension}, c.Dimension) ||
		strings.HasPrefix(c.Dimension, PropertyPrefix)
}

// Check refuses filters that have no answer, as a [ranges.ParamError].
func Check(conditions []Condition) error { return check(conditions, nil) }

// check is Check. Some filters are given, and may leave nothing for the others: what a user asks for beyond them is empty.
func check(conditions, given []Condition) error {
	switch n := len(conditions); {
	case n == 0:
		return &ranges.ParamError{Param: "where", Remedy: "missing: write a filter, as in country=DE"}
	case n > MaxConditions:
		return &ranges.ParamError{Param: "where", Remedy: fmt.Sprintf("%d filters: give %d at most", n, MaxConditions)}
	}
	for i, c := range conditions {
		if err := c.check(); err != nil {
			return err
		}
		if c.In(conditions[:i]) {
			return &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()), Remedy: "given twice: give it once"}
		}
		for _, other := range conditions[:i] {
			if c.excludes(other) && !c.In(given) && !other.In(given) {
				return &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()), Remedy: fmt.Sprintf(
					"all filters must hold, and nothing is this and %s: for either, write one filter with a comma, as in country=AT,DE",
					readable.Shortened(other.String()))}
			}
		}
	}
	return nil
}

// excludes reports whether no value passes both filters. A session may have reached several goals.
func (c Condition) excludes(o Condition) bool {
	return c.Dimension == o.Dimension && c.Op == Is && o.Op == Is && !c.OfGoal() && !slices.ContainsFunc(c.Values, o.Has)
}

// Single reports whether breakdowns may answer the filter alone.
func (c Condition) Single() bool {
	return c.Op == Is && !c.Has("") && c.Dimension != TypeDimension && !c.OfWhole()
}

// Converts reports whether a filter selects sessions that reach a goal.
func (c Condition) Converts() bool { return c.OfGoal() && c.Op == Is }
