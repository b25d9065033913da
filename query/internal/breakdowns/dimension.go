package breakdowns

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sketch"
)

// propertyFigures are those of Figures that properties have: nothing of sessions belongs to a property.
var propertyFigures = []string{"events", "pageViews", "uniqueVisitors"}

// Dimension is a dimension as it is asked for.
type Dimension struct {
	Name     string
	D        sketch.Dimension // of a property, one of them: each site has its own
	property string           // its key; "": it is none
}

// ParseDimension reads a dimension. The error is a [ranges.ParamError].
func ParseDimension(name string) (Dimension, error) {
	if key, ok := strings.CutPrefix(name, filters.PropertyPrefix); ok && key != "" {
		return Dimension{name, sketch.PropertyDimension(1), key}, nil
	}
	d, err := sketch.ParseDimension(name)
	if err != nil {
		return Dimension{}, &ranges.ParamError{Param: "dimension", Value: name, Remedy: near.Hint(name, filters.Dimensions()) + "choose " +
			strings.Join(filters.Dimensions(), ", ") +
			", or " + filters.PropertyPrefix + "KEY for a property that the site has chosen"}
	}
	return Dimension{Name: d.String(), D: d}, nil
}

// Figures are those that its rows can be sorted by.
func (d Dimension) Figures() []string {
	if d.property != "" {
		return propertyFigures
	}
	return slices.DeleteFunc(slices.Clone(Figures), func(figure string) bool { return !d.has(figure) })
}

// CheckChosen returns an error where a site has not chosen the property.
func (d Dimension) CheckChosen(rules *sites.Rules) error {
	if _, ok := rules.Property(d.property); ok || d.property == "" {
		return nil
	}
	var keys []string
	if rules != nil {
		for _, p := range rules.Properties {
			keys = append(keys, filters.PropertyPrefix+p.Key)
		}
	}
	if len(keys) == 0 {
		return &ranges.ParamError{Param: "dimension", Value: d.Name,
			Remedy: "the site has chosen no property; use footfall site update --property to choose some"}
	}
	slices.Sort(keys)
	return &ranges.ParamError{Param: "dimension", Value: d.Name,
		Remedy: near.Hint(d.Name, keys) + "the site has chosen " + strings.Join(keys, ", ")}
}

// UsualSort is by what people mean by the top: pages that are viewed most, otherwise values that most visitors have.
func (d Dimension) UsualSort() string {
	if d.D == sketch.Page {
		return "pageViews"
	}
	return "uniqueVisitors"
}

// has reports whether rows of the dimension can have the figure.
func (d Dimension) has(figure string) bool {
	switch figure {
	case byExitRate, byTimeOnPage, byScrollDepth, "entries", "exits":
		return d.D == sketch.Page
	case byConversionRate, "conversions", "conversionValue":
		return d.D.Converts()
	case "valueSum":
		return d.D == sketch.EventName
	}
	return true
}
