package ranges_test

import (
	"fmt"

	"github.com/footfall/footfall/query/ranges"
)

func ExampleParseZone() {
	_, err := ranges.ParseZone("Europe/Berlinn")
	fmt.Println(err)
	// Output: tz "Europe/Berlinn": not a time zone: name one of the IANA database, as in Europe/Berlin or UTC
}
