package cli

import (
	"runtime"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

func TestVersionIsPrinted(t *testing.T) {
	code, command, errs := clitest.Footfall(t, "version")
	if code != 0 || !strings.HasPrefix(command, "footfall ") || !strings.HasSuffix(command, ", "+runtime.Version()+"\n") {
		t.Errorf("version: exit code %d, stdout %q, stderr %q", code, command, errs)
	}
	if _, flag, _ := clitest.Footfall(t, "--version"); flag != command {
		t.Errorf("--version prints %q, version %q", flag, command)
	}
}
