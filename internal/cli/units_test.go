package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestUnitsStartTheProduct: the units of systemd name commands and flags that exist.
func TestUnitsStartTheProduct(t *testing.T) {
	files, err := filepath.Glob("../../deploy/systemd/*@.service")
	if err != nil || len(files) != 2 {
		t.Fatalf("units: %s, %v; want two", files, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		options, err := unit.DeserializeOptions(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		set := make(map[string]string)
		for _, o := range options {
			set[o.Name] = o.Value
		}
		args := strings.Fields(strings.ReplaceAll(set["ExecStart"], "$SERVE",
			"--require-token --listen :8443 --tls-cert FILE --tls-key FILE --public-url URL"))
		if len(args) < 2 || args[0] != "/usr/local/bin/footfall" || set["Type"] != "notify" {
			t.Fatalf("%s: ExecStart %q, Type %q", name, args, set["Type"])
		}
		if code, _, errs := clitest.Footfall(t, append(args[1:], "--help")...); code != 0 {
			t.Errorf("%s: %q: exit code %d, stderr %q", name, args, code, errs)
		}
	}
}
