package int128_test

import (
	"fmt"
	"math"

	"github.com/footfall/footfall/sinks/int128"
)

// A sum passes 64 bits and is exact.
func ExampleInt_Plus() {
	sum := int128.From(math.MaxInt64).Plus(int128.From(math.MaxInt64))
	fmt.Println(sum)
	// Output: 18446744073709551614
}
