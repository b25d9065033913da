package sinks_test

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
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

// A Table takes increments that are guarded by a mark, and is read a partition key at a time. Here it is in memory; dynamo.New makes one
// of DynamoDB.
func ExampleTable() {
	if err := addTwice(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// refused: false
	// refused: true
	// 3 page views
}

func addTwice(ctx context.Context) error {
	table := new(memory.Table)
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return err
	}
	key := sinks.Keys{}.HourStats("shop.example", 1778594400000)
	mark := sinks.AttrMark("stats", sinks.TP{Topic: 1, Partition: 0})
	flush := sinks.Update{Key: key, Add: []sinks.Attr{{Name: sinks.AttrPageViews, Value: sinks.Int(3)}},
		Set: []sinks.Attr{{Name: mark, Value: sinks.Int(1)}},
		If:  []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(1)}}}
	for range 2 { // The second time the item has the mark of flush 1, and stays as it is.
		result, err := table.Update(ctx, flush)
		if err != nil {
			return err
		}
		fmt.Println("refused:", result.Refused)
	}
	for item, err := range sinks.Items(ctx, table, sinks.Query{PK: key.PK, Prefix: sinks.HourStatsPrefix}) {
		if err != nil {
			return err
		}
		fmt.Println(item[sinks.AttrPageViews].Int(), "page views")
	}
	return nil
}
