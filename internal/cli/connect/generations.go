package connect

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/sinks"
)

// GenerationsAnswer is the JSON of a table's generations of items. 0 stands for none.
type GenerationsAnswer struct {
	Live      int  `json:"live"`
	Building  int  `json:"building"`
	Former    int  `json:"former"`
	Dropping  int  `json:"dropping"`
	Flipped   bool `json:"flipUnfinished"` // chains of the former generation are not all fenced
	Restoring bool `json:"restoring"`      // the live generation is that of a copy, and the one that is built replaces it
	// Kept says where what lies before the first date of the live generation is, the latest first.
	Kept []KeptAnswer `json:"kept"`
}

// KeptAnswer says which generation has what lies before a date.
type KeptAnswer struct {
	Before     time.Time `json:"before"`
	Generation int       `json:"generation"`
}

// GenerationsOf returns the answer of generations.
func GenerationsOf(g sinks.Generations) GenerationsAnswer {
	kept := []KeptAnswer{}
	for k, ok := g.KeptBefore(g.Live); ok; k, ok = g.KeptBefore(k.From) {
		kept = append(kept, KeptAnswer{time.UnixMilli(k.Date).UTC(), k.From})
	}
	return GenerationsAnswer{g.Live, g.Building, g.Former, g.Dropping, g.Flipped, g.Restoring, kept}
}

// AddGeneration adds the option that names another generation of items than the live one.
func AddGeneration(f *pflag.FlagSet, n *int) {
	f.IntVar(n, "generation", 0, "generation of items, as footfall rebuild status shows them (default: the live one)")
}

// KeysOf returns the keys of a generation that the table has. 0 is the live one.
func (t *Table) KeysOf(generation int) (sinks.Keys, error) {
	if generation == 0 {
		return t.Keys, nil
	}
	g := t.Generations
	var has []string
	for _, x := range []struct {
		n    int
		what string
	}{{g.Live, "live"}, {g.Building, "being rebuilt"}, {g.Former, "live before"}} {
		if x.n > 0 && x.n == generation {
			return sinks.KeysOfGeneration(x.n), nil
		}
		if x.n > 0 {
			has = append(has, fmt.Sprintf("%d (%s)", x.n, x.what))
		}
	}
	return sinks.Keys{}, command.Usagef("--generation %d: the table has %s: choose one of them, or leave the option out", generation,
		strings.Join(has, " and "))
}
