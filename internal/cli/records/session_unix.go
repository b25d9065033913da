//go:build unix

package records

import "syscall"

// ownSession makes a process one that a closed terminal does not end.
var ownSession = &syscall.SysProcAttr{Setsid: true}
