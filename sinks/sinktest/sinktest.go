// Package sinktest is the contract of a table as a test suite: what the comments on [sinks.Table] and
// [sinks.Admin] promise, checked from outside. Every implementation passes the same suite, so the protocol
// built on them needs to be thought through once. It demands only what DynamoDB guarantees.
package sinktest

import (
	"testing"

	"github.com/footfall/footfall/sinks"
)

// Run runs the suite. Each call of open returns a store of its own whose table does not exist yet; open registers
// its own clean-up with t. The subtests run one after the other.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, group := range [][]behaviour{
		updateBehaviours, conditionBehaviours, putBehaviours, batchBehaviours, queryBehaviours, pagingBehaviours,
		limitBehaviours, concurrencyBehaviours, adminBehaviours,
	} {
		for _, b := range group {
			t.Run(b.name, func(t *testing.T) {
				s := Store(repeating{open(t)})
				if !b.bare {
					if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
						t.Fatalf("Create = %v", err)
					}
				}
				b.check(t, s)
			})
		}
	}
}
