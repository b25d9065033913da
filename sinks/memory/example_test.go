package memory_test

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// Numbers are added to what is there; an absent item counts as 0.
func Example() {
	table, ctx := new(memory.Table), context.Background()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		r, err := table.Update(ctx, sinks.Update{Key: sinks.Key{PK: "SITE#shop.example", SK: "NOTE"},
			Add: []sinks.Attr{{Name: "views", Value: sinks.Int(3)}}, Return: true})
		fmt.Println(r.Item["views"].Int(), err)
	}
	// Output:
	// 3 <nil>
	// 6 <nil>
}
