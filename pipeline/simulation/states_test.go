package simulation_test

import (
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// statesOf reads both states of a session's item.
func statesOf(it sinks.Item) (cur, prev state.Session, err error) {
	if cur, err = state.SessionOf(it); err == nil {
		prev, err = state.SessionBefore(it, &cur)
	}
	return cur, prev, err
}
