package capacity

import "github.com/footfall/footfall/sinks"

// Rates are units a second, on average over the hours that they are of.
type Rates struct {
	Table float64 `json:"table"` // write units
	GSI1  float64 `json:"gsi1"`
	Reads float64 `json:"reads"` // read units, of the table
}

// ratesOf are the rates of an hour.
func ratesOf(hour book) (r Rates) {
	for _, item := range items { // In one order: sums of floats depend on it.
		f := hour[item]
		if f == nil {
			continue
		}
		r.Table += f.units[sinks.Base] / hourSeconds
		r.GSI1 += f.units[sinks.GSI1] / hourSeconds
		r.Reads += f.reads / hourSeconds
	}
	return r
}

// meanOf is the mean of the rates of hours.
func meanOf(hours []Rates) (mean Rates) {
	for _, h := range hours {
		mean.Table += h.Table / float64(len(hours))
		mean.GSI1 += h.GSI1 / float64(len(hours))
		mean.Reads += h.Reads / float64(len(hours))
	}
	return mean
}
