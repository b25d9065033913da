package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// A write under a condition is refused when the condition does not hold. That is an answer, not an error.
func Example() {
	dir, err := os.MkdirTemp("", "footfall")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	table, err := sqlite.Open(filepath.Join(dir, "footfall.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	ctx := context.Background()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		fmt.Println(err)
		return
	}
	item := sinks.Item{sinks.AttrPK: sinks.Str("SITE#shop.example"), sinks.AttrSK: sinks.Str("NOTE"), "text": sinks.Str("first")}
	absent := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	for range 2 {
		r, err := table.Put(ctx, sinks.Put{Item: item, If: absent})
		fmt.Println(r.Refused, err)
	}
	// Output:
	// false <nil>
	// true <nil>
}
