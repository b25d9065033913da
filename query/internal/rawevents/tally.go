package rawevents

import (
	"context"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// A Tally compares the number of raw events that were read with the number that stats have counted. Stats may lag behind raw events by
// a flush, but raw events never lag behind stats.
type Tally struct {
	hours   calendar.Span // whole hours of the range: of these both are known; empty: there are none
	Counted int64         // events by the hours' stats, with those of bots and of excluded pages
	read    int64         // raw events
}

// NewTally reads what is counted of a span.
func NewTally(ctx context.Context, table sitetable.Table, s calendar.Span) (t Tally, err error) {
	t.hours = table.Clock.Whole(s)
	if t.hours.From >= t.hours.To {
		return t, nil
	}
	for it, err := range table.HourItems(sitetable.HourStats, table.Keys.Site(table.Site), t.hours).All(ctx) {
		if err != nil {
			return t, err
		}
		if t.hours.Has(it.Start) {
			t.Counted += it.Item[sinks.AttrEvents].Int() + it.Item[sinks.AttrBotEvents].Int() + it.Item[sinks.AttrExcludedEvents].Int()
		}
	}
	return t, nil
}

// Add takes in a raw event.
func (t *Tally) Add(it sinks.Item) {
	if t.hours.Has(it["timestamp"].Int()) {
		t.read++
	}
}

// Missing is the number of counted events that have no raw event; 0 if the span has no whole hour.
func (t *Tally) Missing() int64 { return max(0, t.Counted-t.read) }
