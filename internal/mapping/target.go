package mapping

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
)

// target is a field that events have.
type target struct {
	name     string
	kind     targetKind
	maxBytes int // a longer text would be rejected or not be used; 0: the pipeline cuts it
}

type targetKind int

const (
	plainText targetKind = iota
	urlText              // values that a template puts in are percent-encoded
	instant
	decimal
	jsonObject
	member // of the properties
)

// targets are the fields of an event, in the order in which they are written. The limits are the pipeline's.
var targets = slices.Concat([]target{
	{"siteId", plainText, 128}, {"type", plainText, 64}, {"timestamp", instant, 0}, {"id", plainText, 256},
	{"visitorId", plainText, 256}, {"sessionId", plainText, 256}, {"userId", plainText, 256},
	{"url", urlText, 0}, {"referrer", urlText, 0}, {"title", plainText, 0}, {"userAgent", plainText, 0},
	{"name", plainText, 0}, {"value", decimal, 0},
}, given(), []target{{"properties", jsonObject, 0}})

// given are the dimensions that an event gives.
func given() (all []target) {
	for _, d := range figures.Given {
		all = append(all, target{figures.Dimensions[d].Name, plainText, 0})
	}
	return all
}

// propertyPrefix begins the names of properties that are mapped one by one: properties.plan.
const propertyPrefix = "properties."

// targetOf finds what a mapping calls name.
func targetOf(name string) (target, bool) {
	if property, ok := strings.CutPrefix(name, propertyPrefix); ok && property != "" {
		return target{name, member, 0}, true
	}
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
	if i < 0 {
		return target{}, false
	}
	return targets[i], true
}
