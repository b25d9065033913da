// Package slow divides the tests into two tiers: what make test runs after each change, and what make test-all runs besides, since it takes
// long: it measures, compares for minutes, or walks many seeds. CONTRIBUTING.md says which tier runs where.
package slow

import (
	"os"
	"testing"
)

// Env is the environment variable that asks for all tests.
const Env = "FOOTFALL_TEST_ALL"

// Reason is what a test says that leaves itself to make test-all.
const Reason = "slow: make test-all runs it"

// Asked reports whether slow tests are asked for.
func Asked() bool { return os.Getenv(Env) == "1" }

// Test leaves a test, or a subtest, to make test-all.
func Test(t testing.TB) {
	t.Helper()
	if !Asked() {
		t.Skip(Reason)
	}
}

// Fewer reports whether a test leaves some of its cases out, since slow tests are not asked for, and says so.
func Fewer(t testing.TB) bool {
	t.Helper()
	if Asked() {
		return false
	}
	t.Logf("%s with more cases", Reason)
	return true
}

// Of returns how many of all the cases of a test, such as seeds, it runs: a few in make test, all in make test-all.
func Of(t testing.TB, few, all int) int {
	t.Helper()
	if Asked() {
		return all
	}
	t.Logf("%s, %d cases instead of %d", Reason, all, few)
	return few
}

// Every returns the step of a test that tries something at each of many points, such as all requests of a process: n in make test, 1 in
// make test-all.
func Every(t testing.TB, n int) int {
	t.Helper()
	if Asked() {
		return 1
	}
	t.Logf("%s, each point instead of one of %d", Reason, n)
	return n
}

// Unraced skips a test under the race detector, which makes it ten times slower. Such a test computes in one goroutine, or in processes
// that the detector does not see; or what its goroutines share, others share that run under it.
func Unraced(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("not under the race detector")
	}
}
