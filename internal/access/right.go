package access

import (
	"fmt"
	"slices"
	"strings"
)

// Right is what a credential allows to do with its sites.
type Right string

// The rights. None includes another.
const (
	Read     Right = "read"     // figures, top values, goals, funnels, settings
	Sessions Right = "sessions" // sessions, their events, conversions: all that shows ids of visitors and users
	Annotate Right = "annotate" // create and delete annotations
)

// Rights are all rights.
var Rights = []Right{Read, Sessions, Annotate}

// ParseRights reads rights by their names.
func ParseRights(names []string) ([]Right, error) {
	var all []Right
	for _, name := range names {
		if !slices.Contains(Rights, Right(name)) {
			return nil, fmt.Errorf("%q is not a right: choose %s", name, strings.Join(spelled(Rights), ", "))
		}
		if !slices.Contains(all, Right(name)) {
			all = append(all, Right(name))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no right: choose %s", strings.Join(spelled(Rights), ", "))
	}
	return all, nil
}

func spelled(rights []Right) (names []string) {
	for _, r := range rights {
		names = append(names, string(r))
	}
	return names
}
