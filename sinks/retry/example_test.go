package retry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// A table that throttles is asked again.
func ExamplePolicy_Reads() {
	table := &failing{request: request{failures: 2, with: sinks.ErrThrottled}}
	patient := retry.Policy{First: time.Millisecond, Within: time.Minute}.Reads(table)
	_, err := patient.Query(context.Background(), sinks.Query{PK: "SITE#shop"})
	fmt.Println(err, table.tries)
	// Output: <nil> 3
}
