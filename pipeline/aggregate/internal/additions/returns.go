package additions

import "github.com/footfall/footfall/sinks"

// returns are the visitors of a day who come back, by the weeks since they were new, in the order in which they came.
type returns []struct {
	weeks int
	n     int64
}

// Add counts n visitors who were new the given number of weeks before.
func (r *returns) Add(weeks int, n int64) {
	for i := range *r {
		if c := &(*r)[i]; c.weeks == weeks {
			c.n += n
			return
		}
	}
	*r = append(*r, struct {
		weeks int
		n     int64
	}{weeks, n})
}

// attrs appends the additions of all counters that change.
func (r returns) attrs(a []sinks.Attr) []sinks.Attr {
	for _, c := range r {
		if c.n != 0 {
			a = append(a, sinks.Attr{Name: sinks.AttrReturns(c.weeks), Value: sinks.Int(c.n)})
		}
	}
	return a
}
