package query

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
)

// addChanges adds the shards and zones that the site had, has and is planned to have.
func (s *Site) addChanges(ruled *sites.Rules) {
	// A plan that was replaced by what it would have ended leaves a change to what holds already.
	for _, x := range ruled.Shards {
		if from := calendar.Instant(x.From); x.From > 0 && x.N != s.ShardsFrom[len(s.ShardsFrom)-1].Shards {
			s.ShardsFrom = append(s.ShardsFrom, ShardsFrom{&from, x.N})
		}
	}
	for _, z := range ruled.Zones {
		if from := calendar.Instant(z.From); z.From > 0 && z.Name != s.ZonesFrom[len(s.ZonesFrom)-1].Zone {
			s.ZonesFrom = append(s.ZonesFrom, ZoneFrom{&from, z.Name})
		}
	}
}
