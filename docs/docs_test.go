package docs_test

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/docs"
)

func Example() {
	title, _, _ := strings.Cut(docs.Patterns, "\n")
	fmt.Println(title)
	// Output: # Who asks what of the table
}
