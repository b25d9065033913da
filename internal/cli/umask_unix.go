//go:build unix

package cli

import "syscall"

// restrictFiles keeps the files that this process makes, those of the embedded broker among them, to its user.
func restrictFiles() { syscall.Umask(0o077) }
