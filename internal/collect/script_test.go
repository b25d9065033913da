package collect

import (
	"bytes"
	"compress/gzip"
	"os/exec"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

func TestScriptIsSmall(t *testing.T) {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	z.Write(script)
	z.Close()
	if packed.Len() > 1024 {
		t.Errorf("the script has %d bytes, gzipped %d: at most 1,024", len(script), packed.Len())
	}
	t.Logf("the script has %d bytes, gzipped %d", len(script), packed.Len())
}

// TestScriptIsMadeOfItsSource compiles esbuild the first time, which takes a minute.
func TestScriptIsMadeOfItsSource(t *testing.T) {
	slow.Test(t)
	slow.Unraced(t)
	out, err := exec.Command("make", "--silent", "-C", "../..", "script", "MINIFIED=/dev/stdout").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !bytes.Equal(out, script) {
		t.Errorf("script.min.js is not what make script makes of script.js: run it\n%s", out)
	}
}
