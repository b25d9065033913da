package sinks

import "github.com/footfall/footfall/internal/figures"

// sumAttributes are the attributes of a stats item that are sums.
func sumAttributes() (list []Attribute) {
	for s := range figures.AllSums {
		unit := UnitCount
		switch {
		case s.Decimal():
			unit = UnitMicros
		case s.Milliseconds():
			unit = UnitMilliseconds
		}
		list = append(list, Attribute{Name: s.Attr(), Kind: Number, Unit: unit, About: s.About()})
	}
	return list
}
