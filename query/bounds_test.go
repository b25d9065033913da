package query

import (
	"testing"

	"github.com/footfall/footfall/query/internal/passing"
)

// BoundFilterValues has filtered lists have at most n values until the test ends.
func BoundFilterValues(t *testing.T, n int) { lower(t, &passing.MaxValues, n) }

// BoundWaitingEvents has at most n events wait until the test ends.
func BoundWaitingEvents(t *testing.T, n int) { lower(t, &passing.MaxWaitingEvents, n) }

func lower(t *testing.T, bound *int, n int) {
	was := *bound
	*bound = n
	t.Cleanup(func() { *bound = was })
}
