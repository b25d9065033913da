package query

import (
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sketch"
)

// figuresOfRow derives the row's figures.
func figuresOfRow(r *sitetable.Row, of senders) Figures {
	if !r.Known {
		return figuresOf(&r.Sums, nil, of)
	}
	visitors := r.Visitors
	if visitors == nil {
		visitors = sketch.NewHour()
	}
	f := figuresOf(&r.Sums, visitors, of)
	f.extremes(r.Extremes, &r.Sums, of)
	return f
}

// figuresOfTotal derives the figures of the whole range.
func figuresOfTotal(t *sitetable.Total, of senders) Figures {
	if !t.Known {
		return figuresOf(&t.Sums, nil, of)
	}
	f := figuresOf(&t.Sums, t.Visitors, of)
	f.extremes(t.Extremes, &t.Sums, of)
	return f
}
