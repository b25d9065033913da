//go:build unix

// Package e2e tests footfall as its users run it: the built program as processes of the operating system, killed
// as such, on embedded parts and, where Docker answers, on real Kafka and DynamoDB Local.
//
//	main_test.go     builds the program
//	process_test.go  a running footfall: its output, its end, its metrics
//	stage_test.go    what it runs against, and what its commands answer
//	journal_test.go  what consumers log and producers write down
//	chaos_test.go    processes and brokers that end, stop and come back, behind a network that fails;
//	members_test.go: what happens to the members of a group, and who owns what behind it;
//	offsets_test.go: what happens to the offsets that it has committed
//	takeover_test.go how long the next owners of a member's partitions need
//	attack_linux_test.go one producer attacks a partition, with batches that craftbatch_test.go makes
//	alerts_test.go   what goes wrong, and the alert that fires; prometheus_test.go: the Prometheus that says so
//	outage_test.go   a table and brokers that do not answer for a while
//	collect_test.go  collectors that end, and brokers that are away, under senders that send again
//	schemas_test.go  records whose schemas schemaregistry_test.go has
//	policy_test.go   which requests of DynamoDB each role needs, held by the proxy in policyproxy_test.go
//	dev_test.go, wikiticker_test.go, accesslog_test.go, messages_test.go, recreate_test.go: what users
//	do; answers_test.go: a script that recounts what all commands answer
//
// What happens by itself is awaited by polling, see eventually; no test waits for a fixed time.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/footfall/footfall/internal/testenv"
)

// program is the built footfall.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "footfall-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "footfall")
	args := []string{"build", "-ldflags=-w", "-buildvcs=false", "-o", program}
	if raceEnabled() {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "../cmd/footfall")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: build the program:", err)
		return 1
	}
	os.Unsetenv("GOGC") // CI sets it for compilers and tests. The program collects garbage as it does at its users'.
	return testenv.Run(m)
}

// raceEnabled reports whether the tests were built with the race detector; the program then is too.
func raceEnabled() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
