package main

import "slices"

// everything is the argument of go test for all packages.
const everything = "./..."

// longest are the packages whose tests take ten seconds or more, beginning with the longest; those that wait for services are beside those
// that compute. go test starts packages in the order of its arguments, so a long one that comes last leaves the other processors idle.
var longest = []string{"pipeline", "sinks/dynamo", "internal/cli/serving", "internal/verify", "e2e", "query", "internal/cli/run",
	"internal/capacity", "internal/cli/inspect", "internal/embedded", "internal/serve", "examples/integration", "examples",
	"internal/cli/tables", "internal/cli/records", "sketch", "internal/doctor", "internal/replay", "pipeline/answers", "internal/produce",
	"internal/erase", "internal/cli/analyze"}

// longestFirst names the longest packages before all others in a run of everything. go test takes each once.
func longestFirst(args []string) []string {
	at := slices.Index(args, everything)
	if at < 0 {
		return args
	}
	var paths []string
	for _, p := range longest {
		paths = append(paths, "./"+p)
	}
	return slices.Insert(slices.Clone(args), at, paths...)
}
