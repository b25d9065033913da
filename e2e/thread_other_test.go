//go:build unix && !linux

package e2e

import "os/exec"

// dieWithThread does nothing: this system has no such thing.
func dieWithThread(*exec.Cmd) {}
