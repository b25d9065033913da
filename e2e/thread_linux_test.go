package e2e

import (
	"os/exec"
	"syscall"
)

// dieWithThread has the command killed when the thread that starts it ends.
func dieWithThread(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
