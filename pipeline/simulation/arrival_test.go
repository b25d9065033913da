package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sites of a simulation have new visitors counted from some revision on, some until another, with horizons of a day or more.

// comeBack makes some of the records those of visitors who are seen on days apart, in any order.
func comeBack(dice *rand.Rand, records []record, start time.Time) {
	for i := range records {
		if dice.IntN(12) > 0 {
			continue
		}
		e := map[string]any{
			"siteId": fmt.Sprint("site-", dice.IntN(2)), "type": "click", "id": fmt.Sprint("c", i),
			"timestamp": start.Add(-[]time.Duration{0, 0, 13, 46, 46}[dice.IntN(5)] * time.Hour).UnixMilli(), "sessionId": fmt.Sprint("back-", i),
			"visitorId": fmt.Sprint("back-", dice.IntN(20)),
		}
		if dice.IntN(4) == 0 { // Its session stands in.
			delete(e, "visitorId")
		}
		records[i].Value = mustJSON(e)
	}
}

// countNew turns the counting of new visitors on, or off, and decides about the horizon.
func (s *simulation) countNew(r *sites.Rules) {
	r.NewVisitors = s.dice.IntN(5) > 0
	days := []int64{1, 1, 2, sites.Never}[s.dice.IntN(4)]
	if r.Days == nil {
		r.Days = make(map[string]int64)
	}
	r.Days[sinks.AttrVisitorDays] = days
}

// arrivalPrefix is how the sort keys of a visitor's arrivals begin.
func (s *simulation) arrivalPrefix(who erased) string {
	hasher, err := sketch.NewHasher(s.world.Options().HashKey)
	if err != nil {
		s.problem("hash key: %v", err)
	}
	return sinks.ArrivalPrefix + sites.HashPerson(hasher, sites.Visitor, []byte(who.site), []byte(who.id)).String() + "#"
}

// arrival notes what a step does to an arrival.
func (e *eye) arrival(u sinks.Update) {
	it := make(sinks.Item)
	for _, a := range u.Set {
		it[a.Name] = a.Value
	}
	cur, prev := state.ReadArrival(it)
	if cur.Weeks > 1 && cur.Weeks != prev.Weeks {
		e.cover.Hit(onCameBack)
	}
	switch {
	case prev.Hour == 0 && cur.Erased > 0:
		e.cover.Hit(onArrivalErased)
	case prev.Hour == 0:
	case cur.Hour < prev.Hour:
		e.cover.Hit(onArrivalMoved)
	case cur.Hour > prev.Hour:
		e.cover.Hit(onNewAgain)
	}
}
