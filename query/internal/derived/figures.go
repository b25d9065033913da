package derived

import (
	declared "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// Of derives the figures. A nil sketch means that the visitors are not known. [SetReturning] completes the new ones.
func Of(s *sitetable.Sums, visitors *sketch.Uniques, of Senders) figures.Figures {
	f := figures.Figures{}
	derive(&f, ownFields, &s.Sums, declared.All)
	if of == Everybody {
		include(&f, &s.Sums)
	}
	if visitors != nil {
		n := numbers.Clamp(visitors.Estimate(), s.Counts[declared.Events])
		f.UniqueVisitors, f.VisitorsError = &n, visitors.StandardError()
	}
	return f
}

// extremes fills in the least and the greatest value. Hours keep none of bots', so they are unknown where figures include such.
func extremes(f *figures.Figures, x sitetable.Extremes, s *sitetable.Sums, of Senders) {
	if !x.Known || s.Counts[declared.Values] == 0 || of == Everybody && s.Counts[declared.BotValues] > 0 {
		return
	}
	least, greatest := numbers.Decimal(int128.From(x.Least)), numbers.Decimal(int128.From(x.Greatest))
	f.ValueMin, f.ValueMax = &least, &greatest
}

// Nothing reports whether no event of any kind was counted.
func Nothing(f *figures.Figures) bool {
	return f.Events == 0 && f.BotEvents == 0 && f.ExcludedEvents == 0 && f.Sessions == 0
}

// OfRow derives the row's figures.
func OfRow(r *sitetable.Row, of Senders) figures.Figures {
	if !r.Known {
		return Of(&r.Sums, nil, of)
	}
	visitors := r.Visitors
	if visitors == nil {
		visitors = sketch.NewHour()
	}
	f := Of(&r.Sums, visitors, of)
	extremes(&f, r.Extremes, &r.Sums, of)
	return f
}

// OfTotal derives the figures of the whole range.
func OfTotal(t *sitetable.Total, of Senders) figures.Figures {
	if !t.Known {
		return Of(&t.Sums, nil, of)
	}
	f := Of(&t.Sums, t.Visitors, of)
	extremes(&f, t.Extremes, &t.Sums, of)
	return f
}
