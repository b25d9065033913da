package sketch

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/figures"
)

// Dimension is what a breakdown divides events by. Those after the constants are properties that a site has chosen: see
// PropertyDimension. The bytes of breakdowns have the number that stored returns.
type Dimension uint8

// The dimensions, never reordered. Referrer, Channel and the five of utm_* are those that an event's session began with.
const (
	Hostname Dimension = iota
	Page
	Referrer
	Channel
	Source
	Medium
	Campaign
	Content
	Term
	Country
	Region
	City
	Device
	Browser
	OS
	EventName

	// All are declared in package figures. One needs a constant above only if code asks for it by itself.
	dimensions = Dimension(len(figures.Dimensions))
)

const _ = dimensions - EventName - 1 // Each of these is declared.

// Dimensions returns all dimensions, in the order of their numbers.
func Dimensions() []Dimension {
	all := make([]Dimension, dimensions)
	for i := range all {
		all[i] = Dimension(i)
	}
	return all
}

// String returns the dimension's name, as ParseDimension takes it: "page", "utm_source", "event".
func (d Dimension) String() string {
	if d < dimensions {
		return figures.Dimensions[d].Name
	}
	if n, ok := d.Property(); ok {
		return fmt.Sprintf("property %d", n)
	}
	return fmt.Sprintf("dimension %d", uint8(d))
}

// MaxProperty is the last number that a property of a site can have. The numbers of all dimensions are below 128, and so is their
// count: a byte of the bytes holds either.
const MaxProperty = 100

// allDimensions is the number after that of the last property.
const allDimensions = dimensions + MaxProperty

// PropertyDimension returns the dimension of a site's property of this number, 1 to MaxProperty. Breakdowns count its events, page
// views and visitors; nothing is booked to it.
func PropertyDimension(n uint64) Dimension {
	if n < 1 || n > MaxProperty {
		panic(fmt.Sprintf("sketch: property %d: it must be 1 to %d", n, MaxProperty))
	}
	return dimensions - 1 + Dimension(n)
}

// Property returns the number of the property that d is the dimension of.
func (d Dimension) Property() (n uint64, ok bool) {
	if d < dimensions || d >= allDimensions {
		return 0, false
	}
	return uint64(d-dimensions) + 1, true
}

// storedProperty is the number of property 1 in bytes. Those of the other properties follow, then those of dimensions that were declared
// later, so stored numbers never change.
const storedProperty = EventName + 1

// stored returns the number of d in bytes.
func (d Dimension) stored() byte {
	if n, ok := d.Property(); ok {
		return byte(storedProperty-1) + byte(n)
	}
	if d >= storedProperty {
		return byte(d) + MaxProperty
	}
	return byte(d)
}

// dimensionOf returns the dimension of a number in bytes; allDimensions if none has it.
func dimensionOf(stored byte) Dimension {
	switch n := Dimension(stored); {
	case n < storedProperty:
		return n
	case n < storedProperty+MaxProperty:
		return PropertyDimension(uint64(n-storedProperty) + 1)
	case n < allDimensions:
		return n - MaxProperty
	}
	return allDimensions
}

// ParseDimension returns the dimension of this name; the error names all that there are.
func ParseDimension(name string) (Dimension, error) {
	var names []string
	for d, known := range figures.Dimensions {
		if name == known.Name {
			return Dimension(d), nil
		}
		names = append(names, known.Name)
	}
	return 0, fmt.Errorf("dimension %q is unknown: choose %s", name, strings.Join(names, ", "))
}

// DimensionRows is how many rows a dimension gets.
type DimensionRows struct {
	Dimension Dimension
	Rows      int // 1 to MaxRows
}
