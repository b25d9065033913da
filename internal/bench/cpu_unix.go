//go:build unix

package main

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time that this process has used, in user and kernel mode, on all of its threads.
// Children are not in it.
func processCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
