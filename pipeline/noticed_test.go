//go:build planted

package pipeline_test

import (
	"testing"

	"github.com/footfall/footfall/internal/plant"
)

func TestExpiredSessionTakenForPresentIsNoticed(t *testing.T) {
	plant.ExpiredTakenForPresent = true
	defer func() { plant.ExpiredTakenForPresent = false }()
	if expiredSession(t, true) == nil {
		t.Error("an item that the store had deleted is not whole, and that is not noticed")
	}
}
