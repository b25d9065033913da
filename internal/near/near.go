// Package near finds the name that was probably meant where an unknown one was given.
package near

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Of returns the names nearest to a wrong one, the nearest first, three at most: those that differ by case, that the wrong name
// abbreviates, or that a few edits make of it, up to a third of its length. nil: none is near.
func Of(wrong string, names []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var found []candidate
	low := strings.ToLower(wrong)
	for _, name := range names {
		other := strings.ToLower(name)
		edits := levenshtein.ComputeDistance(low, other)
		if edits > min(3, max(1, len(low)/3)) && (len(low) < 3 || !strings.HasPrefix(other, low)) {
			continue
		}
		found = append(found, candidate{name, edits})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var near []string
	for _, c := range found[:min(3, len(found))] {
		near = append(near, c.name)
	}
	return near
}

// Hint asks whether the nearest names are meant: "did you mean page? "; "": none is near.
func Hint(wrong string, names []string) string {
	near := Of(wrong, names)
	if near == nil {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "? "
}
