package filters

import (
	"slices"

	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
)

// FromStored reads filters as credentials have them. Of a single text, the value is all that follows the operator. Of several, the first is
// a dimension with an operator, as in country=, and the others are its values. Nothing is quoted there, so no value of a credential is
// taken for several.
func FromStored[F ~[]string](stored []F) (all []Condition, err error) {
	for _, texts := range stored {
		if len(texts) == 0 {
			texts = F{""}
		}
		c, value, err := cutCondition(texts[0])
		c.Values = []string{value}
		if len(texts) > 1 {
			c.Values = slices.Compact(slices.Sorted(slices.Values(texts[1:])))
			if err == nil && value != "" {
				err = &ranges.ParamError{Param: "where", Value: readable.Shortened(texts[0]),
					Remedy: "the first of a list is a dimension with an operator, as in country=, and its values follow"}
			}
		}
		if err == nil {
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
func ToStored[F ~[]string](all []Condition) (stored []F) {
	for _, c := range all {
		if name := c.Dimension + string(c.Op); len(c.Values) == 1 {
			stored = append(stored, F{name + c.Values[0]})
		} else {
			stored = append(stored, append(F{name}, c.Values...))
		}
	}
	return stored
}
