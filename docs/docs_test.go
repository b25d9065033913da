package docs_test

import (
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/docs"
	"github.com/footfall/footfall/pipeline/aggregate"
)

func Example() {
	title, _, _ := strings.Cut(docs.Patterns, "\n")
	fmt.Println(title)
	// Output: # Who asks what of the table
}

// The document about counting has the exact limit of a session's duration.
func TestLimitOfDurationsIsExact(t *testing.T) {
	text, err := os.ReadFile("internals/counting.md")
	if err != nil {
		t.Fatal(err)
	}
	const limit = aggregate.MaxBookedMs
	days := (limit * time.Millisecond).Hours() / 24
	if want := fmt.Sprintf("2^%d ms (%.2f days)", bits.Len64(limit)-1, days); !strings.Contains(string(text), want) {
		t.Errorf("no limit of %s", want)
	}
}
