package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// A site may choose properties of its events as dimensions of its breakdowns. A property is what the record's own event says, as a page
// is. Nothing of a session is booked to it, so that no session has to keep it.

// properties returns the values of the event's properties that its site has chosen. They stay valid until the next call.
func (b *breakdowns) properties(r *Input) []chosen {
	b.chosen = b.chosen[:0]
	if rules := r.hour.Site.Ruled.Rules; rules != nil && len(rules.Properties) > 0 && len(r.Event.Properties) > 0 {
		r.Event.EachProperty(func(key, value []byte) {
			for _, p := range rules.Properties {
				if p.Key == string(key) {
					b.chosen = append(b.chosen, chosen{p.Dimension(), b.texts.Text(event.Truncate(value, sites.MaxPropertyValue))})
				}
			}
		})
	}
	return b.chosen
}

// feedProperty counts an event in a property's row.
func (b *breakdowns) feedProperty(r *Input, x *chosen, hit sketch.Hit, gone bool) {
	rows := r.hour.Breakdown.Breakdown
	if !gone {
		rows.Event(x.d, x.value, b.position(r), hit)
	} else if !rows.EventOfGone(x.d, x.value, hit) {
		x.value = "" // No log has a text that no row has.
	}
}
