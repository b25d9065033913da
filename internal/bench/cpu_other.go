//go:build !unix

package main

import (
	"errors"
	"time"
)

// processCPU has no getrusage to ask here.
func processCPU() (time.Duration, error) {
	return 0, errors.New("CPU time is measured by getrusage: run this on Linux, macOS or another Unix")
}
