//go:build planted

package sketch

import (
	"testing"

	"github.com/footfall/footfall/internal/plant"
)

func TestLoweredRegistersAreNoticed(t *testing.T) {
	plant.RegistersLowered = true
	defer func() { plant.RegistersLowered = false }()
	if mergesInAnyOrder(t) == nil {
		t.Error("a merge that lowers registers ends in the state of adding")
	}
}
