package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// RequireTools skips the test where a program is missing. With FOOTFALL_TEST_REQUIRE_DOCKER=1 it fails.
func RequireTools(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		_, err := exec.LookPath(tool)
		switch {
		case err != nil && os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") == "1":
			t.Fatal(err)
		case err != nil:
			t.Skip(err)
		}
	}
}
