//go:build unix

package main

import "syscall"

// ownSession makes a process one that a closed terminal does not end.
var ownSession = &syscall.SysProcAttr{Setsid: true}

// restrictFiles keeps the files that this process makes, those of the embedded broker among them, to its user.
func restrictFiles() { syscall.Umask(0o077) }
