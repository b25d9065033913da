package main

import (
	"runtime"
	"strings"
	"testing"
)

func TestVersionIsPrinted(t *testing.T) {
	code, command, errs := footfall(t, "version")
	if code != 0 || !strings.HasPrefix(command, "footfall ") || !strings.HasSuffix(command, ", "+runtime.Version()+"\n") {
		t.Errorf("version: exit code %d, stdout %q, stderr %q", code, command, errs)
	}
	if _, flag, _ := footfall(t, "--version"); flag != command {
		t.Errorf("--version prints %q, version %q", flag, command)
	}
}
