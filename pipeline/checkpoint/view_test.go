package checkpoint

import (
	"context"
	"errors"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// awayTable answers no read.
type awayTable struct {
	sinks.Table
	reads int
}

func (t *awayTable) BatchGet(context.Context, sinks.BatchGet) (sinks.BatchResult, error) {
	t.reads++
	return sinks.BatchResult{}, sinks.ErrUnknownOutcome
}

// TestViewChainsLeavesPatienceToItsTable: who asks how a topic is decides how long to wait for the answer. It must end while the table
// is away.
func TestViewChainsLeavesPatienceToItsTable(t *testing.T) {
	table := new(awayTable)
	if _, err := ViewChains(t.Context(), nil, "events", table, sinks.Keys{}); !errors.Is(err, sinks.ErrUnknownOutcome) || table.reads != 1 {
		t.Errorf("after %d reads the error is %v, want one read and what it said", table.reads, err)
	}
}
