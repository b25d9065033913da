package filters_test

import (
	"fmt"

	"github.com/footfall/footfall/query/filters"
)

func ExampleParseCondition() {
	c, err := filters.ParseCondition(`city!=Vienna,"Washington, D.C."`)
	fmt.Printf("%s %s %q %v\n", c.Dimension, c.Op, c.Values, err)
	_, err = filters.ParseCondition("page^=")
	fmt.Println(err)
	// Output:
	// city != ["Vienna" "Washington, D.C."] <nil>
	// where "page^=": the value is empty: write one after ^=
}
