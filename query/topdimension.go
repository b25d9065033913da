package query

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sketch"
)

// PropertyPrefix comes before the key of a property that a site has chosen, where a dimension is asked for: "property:plan".
const PropertyPrefix = "property:"

// propertyFigures are those of TopFigures that properties have: nothing of sessions belongs to a property.
var propertyFigures = []string{"events", "pageViews", "uniqueVisitors"}

// topDimension is a dimension as it is asked for.
type topDimension struct {
	name     string
	d        sketch.Dimension // of a property, one of them: each site has its own
	property string           // its key; "": it is none
}

func parseTopDimension(name string) (topDimension, error) {
	if key, ok := strings.CutPrefix(name, PropertyPrefix); ok && key != "" {
		return topDimension{name, sketch.PropertyDimension(1), key}, nil
	}
	d, err := sketch.ParseDimension(name)
	if err != nil {
		return topDimension{}, &ParamError{Param: "dimension", Value: name, Remedy: near.Hint(name, dimensionNames()) + "choose " +
			strings.Join(dimensionNames(), ", ") +
			", or " + PropertyPrefix + "KEY for a property that the site has chosen"}
	}
	return topDimension{name: d.String(), d: d}, nil
}

// figures are those that its rows can be sorted by.
func (d topDimension) figures() []string {
	if d.property != "" {
		return propertyFigures
	}
	return slices.DeleteFunc(slices.Clone(TopFigures), func(figure string) bool { return !d.has(figure) })
}

// checkChosen returns an error where a site has not chosen the property.
func (d topDimension) checkChosen(rules *sites.Rules) error {
	if _, ok := rules.Property(d.property); ok || d.property == "" {
		return nil
	}
	var keys []string
	if rules != nil {
		for _, p := range rules.Properties {
			keys = append(keys, PropertyPrefix+p.Key)
		}
	}
	if len(keys) == 0 {
		return &ParamError{Param: "dimension", Value: d.name,
			Remedy: "the site has chosen no property; use footfall site update --property to choose some"}
	}
	slices.Sort(keys)
	return &ParamError{Param: "dimension", Value: d.name, Remedy: near.Hint(d.name, keys) + "the site has chosen " + strings.Join(keys, ", ")}
}

// from returns which dimension of a site's breakdowns is asked for; nil: the site has not chosen the property.
func (t *topSum) from(rules *sites.Rules) *sketch.Dimension {
	if t.by.property == "" {
		return &t.by.d
	}
	if p, ok := rules.Property(t.by.property); ok {
		return new(p.Dimension())
	}
	return nil
}
