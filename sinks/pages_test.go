package sinks_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// paged is a table of the items 0 to 9 in pages of three. It fails at a page, unless that is 0.
type paged struct {
	asked  []string
	failAt int
}

var errPaged = errors.New("no page")

func (p *paged) Query(_ context.Context, q sinks.Query) (page sinks.Page, err error) {
	if p.asked = append(p.asked, q.After); len(p.asked) == p.failAt {
		return page, errPaged
	}
	var first int64
	if q.After != "" {
		fmt.Sscan(q.After, &first)
	}
	for n := first; n < min(first+3, 10); n++ {
		page.Items = append(page.Items, sinks.Item{"n": sinks.Int(n)})
	}
	if first+3 < 10 {
		page.Next = fmt.Sprint(first + 3)
	}
	return page, nil
}

func TestItemsOfAllPagesInOrder(t *testing.T) {
	table, want := &paged{}, int64(4)
	for it, err := range sinks.Items(t.Context(), table, sinks.Query{After: "4"}) {
		if err != nil || it["n"].Int() != want {
			t.Fatalf("item %v, %v, want %d", it, err, want)
		}
		want++
	}
	if want != 10 || fmt.Sprintf("%q", table.asked) != `["4" "7"]` {
		t.Errorf("items up to %d with the pages %q, want up to 10 with 4 and 7", want, table.asked)
	}
}

// TestPageIsReadWhenItIsNeeded holds what a caller pays that has found what it looks for.
func TestPageIsReadWhenItIsNeeded(t *testing.T) {
	table := &paged{}
	for it, err := range sinks.Items(t.Context(), table, sinks.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if it["n"].Int() == 5 {
			break
		}
	}
	if len(table.asked) != 2 {
		t.Errorf("%d pages were read for the sixth of items in threes, want 2", len(table.asked))
	}
}

func TestFailedPageEndsTheSequence(t *testing.T) {
	items, failures := 0, 0
	for _, err := range sinks.Items(t.Context(), &paged{failAt: 3}, sinks.Query{}) {
		switch {
		case err == nil && failures == 0:
			items++
		case errors.Is(err, errPaged):
			failures++
		default:
			t.Fatalf("%v after %d failures", err, failures)
		}
	}
	if items != 6 || failures != 1 {
		t.Errorf("%d items and %d failures of a table whose third page of three fails, want 6 and 1", items, failures)
	}
}

func TestCheckedItemsEndAtTheFirstFault(t *testing.T) {
	var seen []int64
	fault := errors.New("fault")
	var last error
	checked := sinks.Checked(sinks.Items(t.Context(), &paged{}, sinks.Query{}), func(it sinks.Item) error {
		if it["n"].Int() == 4 {
			return fault
		}
		return nil
	})
	for it, err := range checked {
		if last = err; err == nil {
			seen = append(seen, it["n"].Int())
		}
	}
	if fmt.Sprint(seen) != "[0 1 2 3]" || last != fault {
		t.Errorf("items %v and %v, want 0 to 3 and the fault of 4", seen, last)
	}
}
