package checkpoint

import (
	"testing"

	"github.com/footfall/footfall/sinks"
)

func TestOwnerFormat(t *testing.T) {
	for owner, want := range map[string]int{
		"": 1, "host/17/ABCDEF": 1, "host/17/234567": 1, "host.example.com/17/ABCDEF": 1, "host/17/ABCDEF/0.0.9": 1, "host/17/ABCDEF/": 1,
		"host/17/ABCDEF/0.1.0": 2, "host/17/ABCDEF/0.1.1": 2, "host/17/ABCDEF/0.2.0": 3, "host/17/ABCDEF/1.0.0": 3,
		OwnerQuarantine + "host/17/ABCDEF/0.1.0": 2,
		OwnerName():                              sinks.LastFormat,
	} {
		if got := OwnerFormat(owner); got != want {
			t.Errorf("OwnerFormat(%q) = %d, want %d", owner, got, want)
		}
	}
}

// TestCommandsAreKnownAsOwners: who is fenced by one does not count it as another cluster.
func TestCommandsAreKnownAsOwners(t *testing.T) {
	for _, command := range []string{OwnerQuarantine, OwnerFinalize, ownerSkip, ownerAccept} {
		if !OfCommand(command + OwnerName()) {
			t.Errorf("%q is not taken for a command", command)
		}
	}
	if OfCommand(OwnerName()) {
		t.Error("a process is taken for a command")
	}
}
