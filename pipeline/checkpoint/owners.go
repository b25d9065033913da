package checkpoint

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
)

// OwnerName names this process as the owner of a chain: host, process id and a random part.
func OwnerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:6])
}

// commandOwners begin the names of owners that are commands. A command takes a chain over once, or again if a late copy of
// its own request has fenced it.
var commandOwners = []string{OwnerQuarantine, ownerSkip, ownerAccept, OwnerFinalize}

const (
	OwnerQuarantine = "quarantine "
	OwnerFinalize   = "upgrade-finalize "
	ownerSkip       = "partition-skip "
	ownerAccept     = "accept-gap "
)

// OfCommand reports whether an owner is an operator's command. A command ends by itself.
func OfCommand(owner string) bool {
	return slices.ContainsFunc(commandOwners, func(prefix string) bool { return strings.HasPrefix(owner, prefix) })
}
