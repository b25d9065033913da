//go:build !unix

package records

import "syscall"

var ownSession *syscall.SysProcAttr // A process does not depend on its terminal.
