package filters_test

import (
	"fmt"

	"github.com/footfall/footfall/query/filters"
)

func ExampleParseCondition() {
	c, err := filters.ParseCondition("country!=DE")
	fmt.Println(c.Dimension, c.Op, c.Value, err)
	_, err = filters.ParseCondition("page^=")
	fmt.Println(err)
	// Output:
	// country != DE <nil>
	// where "page^=": the value is empty: write one after ^=
}
