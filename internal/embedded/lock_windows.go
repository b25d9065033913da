package embedded

import (
	"os"

	"golang.org/x/sys/windows"
)

// errWouldBlock is what lockFile returns when another process holds the lock.
const errWouldBlock = windows.ERROR_LOCK_VIOLATION

// lockFile locks one byte far after the process id, so that others can read the id.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: 1 << 30})
}
