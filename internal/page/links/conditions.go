package links

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/footfall/footfall/query"
)

// Own are those of filters that belong neither to the credential nor to the segment.
func (a Address) Own(where []query.Condition) []query.Condition {
	return slices.DeleteFunc(slices.Clone(where), func(c query.Condition) bool {
		return slices.Contains(a.Locked, c) || slices.Contains(a.Segmented, c)
	})
}

// where are the filters of an address, as its parameters have them.
func (a Address) where() (texts []string) {
	for _, c := range a.Own(a.Where) {
		texts = append(texts, c.String())
	}
	return texts
}

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

// In returns the address in another segment, with the same filters beside it; "": in none.
func (a Address) In(segment string) Address {
	own := a.Own(a.Where)
	a.Segment, a.Segmented = segment, nil
	return a.Under(own)
}

// Adding is the address of the site's page with one more filter, by a value or by that there is none; "": it has that filter, or as many as
// it can have.
func (a Address) Adding(dimension, value string) string {
	c := query.Condition{Dimension: dimension, Op: query.Is, Value: value}
	if len(a.Where) >= query.MaxConditions || slices.Contains(a.Where, c) {
		return ""
	}
	return a.Under(append(slices.Clone(a.Where), c)).With("sort", "", "search", "")
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
