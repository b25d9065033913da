//go:build !unix

package main

import "syscall"

var ownSession *syscall.SysProcAttr // A process does not depend on its terminal.

func restrictFiles() {} // Files have the access list of their directory.
