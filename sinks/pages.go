package sinks

import (
	"context"
	"fmt"
	"iter"
)

// Querier answers queries. Every [Table] is one.
type Querier interface {
	Query(ctx context.Context, q Query) (Page, error)
}

// Pages reads what q selects, a page at a time, from q.After on. It asks for a page when the caller comes to it. An error, which
// names the partition key, ends the sequence.
func Pages(ctx context.Context, t Querier, q Query) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for {
			page, err := t.Query(ctx, q)
			if err != nil {
				yield(Page{}, fmt.Errorf("query %s: %w", q.PK, err))
				return
			}
			if !yield(page, nil) || page.Next == "" {
				return
			}
			q.After = page.Next
		}
	}
}

// Items reads what q selects, as [Pages] does, an item at a time.
func Items(ctx context.Context, t Querier, q Query) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for page, err := range Pages(ctx, t, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, it := range page.Items {
				if !yield(it, nil) {
					return
				}
			}
		}
	}
}

// Checked passes items on until check returns an error for one, which ends the sequence.
func Checked(items iter.Seq2[Item, error], check func(Item) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for it, err := range items {
			if err == nil {
				err = check(it)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}
