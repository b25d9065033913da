package erase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
)

// patient is a table that is asked again, for ever, where it refuses a request for lack of capacity or does not answer it: a
// sweep takes what the pipeline leaves. Every request of this package may be repeated.
type patient struct{ sinks.Table }

// Backoff between two tries, with full jitter, doubling from the first to the last, as in package pipeline.
const (
	backoffFirst = 25 * time.Millisecond
	backoffLast  = 4 * time.Second
)

func again(ctx context.Context, request func() error) error {
	for backoff := backoffFirst; ; backoff = min(2*backoff, backoffLast) {
		err := request()
		if err == nil || !sinks.Retryable(err) {
			return err
		}
		select {
		case <-time.After(rand.N(backoff)):
		case <-ctx.Done():
			return errors.Join(errCut, context.Cause(ctx), err)
		}
	}
}

func (p patient) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = again(ctx, func() (err error) { r, err = p.Table.Update(ctx, u); return err })
	return r, err
}

func (p patient) Put(ctx context.Context, put sinks.Put) (r sinks.Result, err error) {
	err = again(ctx, func() (err error) { r, err = p.Table.Put(ctx, put); return err })
	return r, err
}

func (p patient) Delete(ctx context.Context, d sinks.Delete) (r sinks.Result, err error) {
	err = again(ctx, func() (err error) { r, err = p.Table.Delete(ctx, d); return err })
	return r, err
}

func (p patient) Query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = again(ctx, func() (err error) { page, err = p.Table.Query(ctx, q); return err })
	return page, err
}

func (p patient) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	all := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item)}
	err = again(ctx, func() (err error) {
		r, err = p.Table.BatchGet(ctx, g)
		for k, it := range r.Items {
			all.Items[k] = it
		}
		if err == nil && len(r.Left) > 0 {
			g.Keys, err = r.Left, fmt.Errorf("%d items left over: %w", len(r.Left), sinks.ErrThrottled)
		}
		return err
	})
	return all, err
}

// deciding are the attributes that show whose an item is.
var deciding = []string{sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrSessionID, sinks.AttrErased, sinks.AttrBot}

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

// each reads what a query selects, page by page.
func each(ctx context.Context, t sinks.Table, q sinks.Query, take func([]sinks.Item) error) error {
	for q.Consistent = true; ; {
		page, err := t.Query(ctx, q)
		for i := 0; err == nil && i < len(page.Items); i++ {
			err = decidable(page.Items[i])
		}
		if err == nil {
			err = take(page.Items)
		}
		if err != nil {
			return fmt.Errorf("%s / %s: %w", q.PK, q.Prefix, err)
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}
