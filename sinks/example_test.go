package sinks_test

import (
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// Keys spells the keys of all items. A variable part is escaped, so no id can spell another site's key.
func ExampleKeys() {
	var keys sinks.Keys
	fmt.Println(keys.HourStats("shop.example", 1778594400000))
	fmt.Println(keys.HourStats("shop#1", 1778594400000).PK)
	// Output:
	// {SITE#shop.example STATS#hour#2026-05-12T14}
	// SITE#shop%231
}
