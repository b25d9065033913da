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

// Two rows for three pages. A session that entered by /a is taken back after /a has lost its row and has got another
// one: it is taken from where it is.
func ExampleBreakdown() {
	b := sketch.NewBreakdown(2)
	visit := func(position int64, page string, visitor uint64) {
		b.Event(sketch.Page, page, position, sketch.Hit{Visitor: visitor, PageView: true})
	}
	visit(100, "/a", 1)
	b.Book(sketch.Page, "/a", 100, sketch.Booking{Sessions: 1, Entries: 1})
	b.Trim(sketch.MaxBreakdownBytes) // after each record
	for position, page := range []string{"/b", "/b", "/c", "/c", "/c", "/a"} {
		visit(101+int64(position), page, 2)
		b.Trim(sketch.MaxBreakdownBytes)
	}
	b.Book(sketch.Page, "/a", 100, sketch.Booking{Sessions: -1, Entries: -1})

	for _, row := range b.Rows(sketch.Page) {
		fmt.Printf("%s  %d to %d events, %d visitors, %d sessions\n",
			row.Value, row.Events, row.Rank(), row.Visitors.Estimate(), row.Sessions)
	}
	other := b.Other(sketch.Page)
	fmt.Printf("other %d events, %d visitors, %d sessions\n", other.Events, other.Visitors.Estimate(), other.Sessions)
	// Output:
	// /c  3 to 4 events, 1 visitors, 0 sessions
	// /a  1 to 3 events, 1 visitors, 0 sessions
	// other 3 events, 2 visitors, 0 sessions
}
