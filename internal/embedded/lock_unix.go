//go:build unix

package embedded

import (
	"os"

	"golang.org/x/sys/unix"
)

// errWouldBlock is what lockFile returns when another process holds the lock.
const errWouldBlock = unix.EWOULDBLOCK

func lockFile(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
