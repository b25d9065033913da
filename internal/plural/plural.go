// Package plural chooses between the two forms of an English noun.
package plural

import "fmt"

// Of returns one for the number 1, and many for all others.
func Of[N int | int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count spells a number and its noun: 1 line, 2 lines.
func Count[N int | int64](n N, one, many string) string {
	return fmt.Sprintf("%d %s", n, Of(n, one, many))
}
