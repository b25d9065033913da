package query

import "testing"

// BoundFilterValues has filtered lists have at most n values until the test ends.
func BoundFilterValues(t *testing.T, n int) {
	was := maxFilterValues
	maxFilterValues = n
	t.Cleanup(func() { maxFilterValues = was })
}
