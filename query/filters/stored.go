package filters

import (
	"slices"

	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
)

// FromStored reads filters as credentials have them. Of a filter in single, the value is all that follows the operator. A filter in
// lists is a dimension with an operator, as in country=, and then its values. Nothing is quoted there, so no value of a credential is
// taken for several.
func FromStored(single []string, lists [][]string) (all []Condition, err error) {
	for _, text := range single {
		c, value, err := cutCondition(text)
		if c.Values = []string{value}; err == nil {
			err = c.check()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	for _, list := range lists {
		if len(list) == 0 {
			list = []string{""}
		}
		c, value, err := cutCondition(list[0])
		if err == nil && value != "" {
			err = &ranges.ParamError{Param: "where", Value: readable.Shortened(list[0]),
				Remedy: "the first of a list is a dimension with an operator, as in country=, and its values follow"}
		}
		if c.Values = slices.Compact(slices.Sorted(slices.Values(list[1:]))); err == nil {
			err = c.check()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// ToStored spells filters as FromStored reads them. What has one value is spelled as releases before lists read it.
func ToStored(all []Condition) (single []string, lists [][]string) {
	for _, c := range all {
		if name := c.Dimension + string(c.Op); len(c.Values) == 1 {
			single = append(single, name+c.Values[0])
		} else {
			lists = append(lists, append([]string{name}, c.Values...))
		}
	}
	return single, lists
}
