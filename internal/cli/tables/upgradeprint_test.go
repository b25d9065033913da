package tables

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/upgrade"
)

// TestUpgradeStatusSaysWhatIsLeft: an operator decides by this text alone.
func TestUpgradeStatusSaysWhatIsLeft(t *testing.T) {
	for want, s := range map[string]upgrade.State{
		"The upgrade is finalized.\n":          {Finalized: true, Format: 2, LatestFormat: 2, Lanes: 4},
		"3 of 4 lanes is in an earlier format": {Finalized: true, Format: 2, LatestFormat: 2, Lanes: 4, Unchanged: 3},
		"was cut short: run it again":          {Format: 2, LatestFormat: 2},
		"`footfall upgrade finalize` raises":   {Format: 1, LatestFormat: 2},
		"release own 1 of 4 lanes:\n  topic":   {Format: 1, LatestFormat: 2, Lanes: 4, Earlier: []upgrade.Owner{{Topic: "events"}}},
	} {
		var b strings.Builder
		if err := printUpgrade(&b, s); err != nil {
			t.Fatal(err)
		}
		if _, text, _ := strings.Cut(b.String(), "\n"); !strings.Contains(text, want) {
			t.Errorf("%+v:\n%swant %q", s, text, want)
		}
	}
}
