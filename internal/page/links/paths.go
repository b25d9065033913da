package links

import (
	"maps"
	"slices"
)

// ThroughParam is a page that the steps of a path go through; repeated for each step.
const ThroughParam = "through"

// PathParams are the parameters of the page of paths that say where steps begin, and where they go through.
var PathParams = []string{"fromPage", "toPage", "fromGoal", "toGoal", ThroughParam}

// PathsPath is the path of the page of paths.
func PathsPath(site string) string { return SitePath(site) + "/paths" }

// Paths is the address of the page of paths in the range of another page; name and value say where steps begin, "" for the entry and
// exit pages.
func Paths(a Address, name, value string) string {
	values := a.Ranged()
	if name != "" {
		values.Set(name, value)
	}
	return To(a.Base+PathsPath(a.Site), values)
}

// StartingAt is the address of the page of paths with another start: see Paths.
func (a Address) StartingAt(name, value string) Address {
	a.Values, a.Through = maps.Clone(a.Values), nil
	maps.DeleteFunc(a.Values, func(name, _ string) bool { return slices.Contains(PathParams, name) })
	if name != "" {
		a.Values[name] = value
	}
	return a
}
