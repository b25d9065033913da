package query

import (
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sketch"
)

// conversionsSince finds from when on the range has conversions: the site must have had a goal from its beginning on for rates to be known.
func (t *topSum) conversionsSince(table sitetable.Table, s calendar.Span) {
	if table.Clock.Rules == nil {
		return
	}
	first, some := int64(0), false
	for _, g := range table.Clock.Rules.Goals {
		if !some || g.Since < first {
			first, some = g.Since, true
		}
	}
	if first > 0 {
		t.began = new(calendar.Instant(first))
	}
	t.rates = some && s.From >= first
}

func (s shares) conversions(k *sketch.Counts) (c TopConversions) {
	n := &k.Conversions
	c = TopConversions{Conversions: n.All(), ConvertedSessions: n.Sessions, ConversionValue: decimal(n.Worth)}
	if s.rates && s.d.Converts() {
		c.ConversionRate = ratio(n.Sessions, k.Sessions)
	}
	return c
}
