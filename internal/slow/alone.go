package slow

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// aloneEnv names the test that a process was started for.
const aloneEnv = "FOOTFALL_TEST_ALONE"

// Alone runs a test that measures the heap in a process of its own, where no earlier test's memory is freed while it measures. In the first
// process it returns true, and the test returns; in the second it returns false.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneEnv) == t.Name() {
		return false
	}
	args := append(os.Args[1:len(os.Args):len(os.Args)], "-test.run=^"+t.Name()+"$", "-test.skip=", "-test.v=true", "-test.testlogfile=")
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), aloneEnv+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("in a process of its own: %v\n%s", err, out)
	}
	t.Logf("in a process of its own:\n%s", out)
	return true
}
