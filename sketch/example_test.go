package sketch_test

import (
	"fmt"
	"strconv"

	"github.com/footfall/footfall/sketch"
)

// Two partitions count an hour's visitors; the reader merges what they know. Visitors that both have seen count once.
func ExampleUniques() {
	hasher, err := sketch.NewHasher([]byte("sixteen byte key"))
	if err != nil {
		fmt.Println(err)
		return
	}
	first, second := sketch.NewHour(), sketch.NewHour()
	for i := range 600 {
		first.Add(hasher.Visitor('v', []byte(strconv.Itoa(i))))
		second.Add(hasher.Visitor('v', []byte(strconv.Itoa(i+300))))
	}
	stored, err := second.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	var part sketch.Uniques
	if err := part.UnmarshalBinary(stored); err != nil {
		fmt.Println(err)
		return
	}
	if err := first.Merge(&part); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Estimate(), "visitors")
	// Output: 900 visitors
}

// Three rows for five pages: what two of them lost is in Other, and in the error of the rows that came later.
func ExampleTop() {
	top := sketch.NewTop(3)
	for _, page := range []string{"/", "/a", "/", "/b", "/", "/c", "/a", "/d", "/"} {
		top.Add([]byte(page))
	}
	for _, row := range top.Rows() {
		fmt.Printf("%-3s seen %d to %d times\n", row.Value, row.Count, row.Rank())
	}
	fmt.Println("other:", top.Other(), "a page without a row was seen", top.Floor(), "times at most")
	// Output:
	// /   seen 4 to 4 times
	// /d  seen 1 to 3 times
	// /c  seen 1 to 2 times
	// other: 3 a page without a row was seen 2 times at most
}
