package erase

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// patience repeats what the table refuses for lack of capacity, or does not answer, without end: a sweep takes what the pipeline
// leaves. Every request of this package may be repeated.
var patience retry.Policy

// deciding are the attributes that show whose an item is.
var deciding = []string{sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrSessionID, sinks.AttrGSI1PK, sinks.AttrErased,
	sinks.AttrBot, sinks.AttrListed}

// decidable returns an error if an item is damaged in an attribute that shows whose it is. Other damage of another person's item does
// not stop an erasure.
func decidable(it sinks.Item) error {
	for _, name := range sinks.WrongKinds(it[sinks.AttrEntity].Str(), it) {
		if slices.Contains(deciding, name) {
			return sinks.Damaged(it.Key(), name, sinks.ErrKind)
		}
	}
	return nil
}

// items reads what a query selects, strongly. An item whose owner cannot be decided is an error.
func items(ctx context.Context, t sinks.Table, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Checked(sinks.Items(ctx, t, q), decidable)
}

// inPages reads what a query selects, as items does, and has every item of a page written, some at a time.
func inPages(ctx context.Context, t sinks.Table, q sinks.Query, write func(context.Context, sinks.Item) error) error {
	q.Consistent = true
	for page, err := range sinks.Pages(ctx, t, q) {
		for i := 0; err == nil && i < len(page.Items); i++ {
			err = decidable(page.Items[i])
		}
		if err != nil {
			return err
		}
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(writers)
		for _, it := range page.Items {
			g.Go(func() error { return write(ctx, it) })
		}
		if err := g.Wait(); err != nil {
			return fmt.Errorf("%s / %s: %w", q.PK, q.Prefix, err)
		}
	}
	return nil
}
