package links

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// Own returns the filters that belong neither to the credential nor to the segment.
func (a Address) Own(where []query.Condition) []query.Condition {
	return Without(where, slices.Concat(a.Locked, a.Segmented))
}

// where are the filters of an address, as its parameters have them.
func (a Address) where() []string { return filters.Texts(a.Own(a.Where)) }

// Filtered adds the segment and the filters to the values of an address.
func (a Address) Filtered(values url.Values) url.Values {
	if a.Segment != "" {
		values.Set(SegmentParam, a.Segment)
	}
	if where := a.where(); len(where) > 0 {
		values[WhereParam] = where
	}
	return values
}

// Under returns the address with other filters, and those that are locked or of its segment. They may cost more or less to answer.
func (a Address) Under(where []query.Condition) Address {
	values := make(map[string]string, len(a.Values))
	for name, value := range a.Values {
		if !slices.Contains(FilterParams, name) && name != "cursor" {
			values[name] = value
		}
	}
	a.Where, a.Values = slices.Concat(a.Locked, a.Segmented, a.Own(where)), values
	return a
}

// InSegment returns the address in another segment, with the same filters beside it; "": in none.
func (a Address) InSegment(segment string) Address {
	own := a.Own(a.Where)
	a.Segment, a.Segmented = segment, nil
	return a.Under(own)
}

// Without returns the filters that are not among others.
func Without(where, others []query.Condition) []query.Condition {
	return slices.DeleteFunc(slices.Clone(where), func(c query.Condition) bool { return c.In(others) })
}

// Adding is the address of the site's page with a filter by a value, or by that there is none; "": it has that filter, or as many as it can
// have. The filter is the last one. Where a filter has the value among others, it takes its place.
func (a Address) Adding(dimension, value string) string {
	c := query.Condition{Dimension: dimension, Op: query.Is, Values: []string{value}}
	if c.In(a.Where) {
		return ""
	}
	own := slices.DeleteFunc(a.Own(a.Where), func(o query.Condition) bool {
		return o.Dimension == dimension && o.Op == query.Is && o.Has(value)
	})
	if own = Joined(own, c); len(a.Locked)+len(a.Segmented)+len(own) > query.MaxConditions {
		return ""
	}
	return a.Under(own).With("sort", "", "search", "", MinCountParam, "")
}

// Joined adds a filter, the last one. One with = joins the values of another by its dimension, since both could not hold. A session may
// reach several goals.
func Joined(where []query.Condition, c query.Condition) []query.Condition {
	i := slices.IndexFunc(where, func(o query.Condition) bool { return o.Dimension == c.Dimension && o.Op == query.Is })
	if i < 0 || c.Op != query.Is || c.Dimension == query.GoalDimension {
		return append(slices.Clone(where), c)
	}
	c.Values = slices.Concat(where[i].Values, slices.DeleteFunc(slices.Clone(c.Values), where[i].Has))
	return append(slices.Delete(slices.Clone(where), i, i+1), c)
}

// FilteredBy reports whether a filter is by one of these dimensions.
func (a Address) FilteredBy(dimensions ...string) bool {
	return slices.ContainsFunc(a.Where, func(c query.Condition) bool { return slices.Contains(dimensions, c.Dimension) })
}

// Suggestions is where the values that the form of a new filter suggests come from: those of the range of the page, without its filters,
// since that costs least. Who has a link, or figures under filters alone, is suggested none.
func (a Address) Suggestions() (path, values string) {
	if a.Base != "" || len(a.Locked) > 0 {
		return "", ""
	}
	a.Where, a.Segment = nil, ""
	of := a.Ranged()
	of.Set("limit", strconv.Itoa(suggestedValues))
	return "/api/v1" + SitePath(a.Site) + "/", of.Encode()
}

// suggestedValues is how many values the form of a new filter suggests at most.
const suggestedValues = 100

// Reading is the address under which at most this many packed raw events are read.
func (a Address) Reading(most int) Address {
	a = a.Under(a.Where)
	a.Values[MaxEventsParam] = strconv.Itoa(most)
	return a
}
