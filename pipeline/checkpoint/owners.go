package checkpoint

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/footfall/footfall/sinks"
)

// OwnerName names this process as the owner of a chain: host, process id, a random part, and the release that brought
// the latest format of the table that it knows, for [OwnerFormat].
func OwnerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s/%s", host, os.Getpid(), rand.Text()[:6], sinks.FormatRelease(sinks.LastFormat))
}

// commandOwners begin the names of owners that are commands. A command takes a chain over once, or again if a late copy of
// its own request has fenced it.
var commandOwners = []string{OwnerQuarantine, ownerSkip, ownerAccept, OwnerFinalize, OwnerRebuild, ownerMirror}

const (
	OwnerQuarantine = "quarantine "
	OwnerFinalize   = "upgrade-finalize "
	OwnerRebuild    = "rebuild "
	ownerSkip       = "partition-skip "
	ownerAccept     = "accept-gap "
	ownerMirror     = "topic-adopt "
)

// OfCommand reports whether an owner is an operator's command. A command ends by itself.
func OfCommand(owner string) bool {
	return slices.ContainsFunc(commandOwners, func(prefix string) bool { return strings.HasPrefix(owner, prefix) })
}

// OwnerFormat returns the latest format of the table that an owner knows, as far as its name says. Releases before 0.1.0 say nothing.
func OwnerFormat(owner string) int {
	release := "v" + owner[strings.LastIndexByte(owner, '/')+1:]
	if strings.Count(release, ".") != 2 { // A random part of digits alone would be a release, too.
		return sinks.FirstFormat
	}
	for format := sinks.LastFormat; format > sinks.FirstFormat; format-- {
		if semver.Compare(release, "v"+sinks.FormatRelease(format)) >= 0 { // What is no release is before all.
			return format
		}
	}
	return sinks.FirstFormat
}
