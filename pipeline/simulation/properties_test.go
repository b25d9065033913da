package simulation_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sketch"
)

// Properties in a simulation: what events say, and what sites choose of it.

// propertied gives some of the records properties.
func propertied(dice *rand.Rand, records []record) {
	for i := range records {
		var e map[string]any
		if dice.IntN(3) > 0 || json.Unmarshal(records[i].Value, &e) != nil || e == nil {
			continue
		}
		properties := map[string]any{"plan": fmt.Sprint("plan \"", dice.IntN(12), "\""), "n": dice.IntN(3)}
		if dice.IntN(3) == 0 {
			properties["plan"] = []any{nil, "", true, map[string]any{"plan": "}"}, []any{"]"}}[dice.IntN(5)]
		}
		if said, ok := e["properties"].(map[string]any); ok {
			maps.Copy(properties, said)
		}
		e["properties"] = properties
		records[i].Value = mustJSON(e)
	}
}

// choose has a site choose another property, or give one up.
func (s *simulation) choose(r *sites.Rules) {
	if n := len(r.Properties); n == 2 || n == 1 && s.dice.IntN(3) == 0 {
		r.Properties = slices.Delete(r.Properties, 0, 1)
		return
	}
	key := []string{"plan", "n"}[s.dice.IntN(2)]
	if _, ok := r.Property(key); ok || r.LastProperty == sketch.MaxProperty {
		return
	}
	r.LastProperty++
	r.Properties = append(r.Properties, sites.Property{Key: key, N: r.LastProperty})
	s.cover.Hit(onChosen)
}
