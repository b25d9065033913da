package sinks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryReads returns a table that repeats reads which were throttled, or not answered in time, until the answer is
// there, ctx ends or a minute has passed. Writes pass through: whether one may be repeated depends on the write.
// It serves commands that ask one thing after the other. The pipeline has a layer of its own, which adapts to throttles.
func RetryReads(t Table) Table { return readRetrier{t} }

// Pauses between two tries have full jitter over a span that doubles from the first to the last (Brooker, "Exponential
// backoff and jitter", 2015).
const (
	readPatience   = time.Minute
	readPauseFirst = 25 * time.Millisecond
	readPauseLast  = 4 * time.Second
)

type readRetrier struct{ Table }

func (r readRetrier) Query(ctx context.Context, q Query) (page Page, err error) {
	err = repeatRead(ctx, func() error {
		page, err = r.Table.Query(ctx, q)
		return err
	})
	return page, err
}

func (r readRetrier) BatchGet(ctx context.Context, g BatchGet) (result BatchResult, err error) {
	err = repeatRead(ctx, func() error {
		result, err = r.Table.BatchGet(ctx, g)
		return err
	})
	return result, err
}

func repeatRead(ctx context.Context, read func() error) error {
	giveUp := time.Now().Add(readPatience)
	for pause, tries := readPauseFirst, 1; ; pause, tries = min(2*pause, readPauseLast), tries+1 {
		err := read()
		switch {
		case err == nil, !Retryable(err):
			return err
		case time.Now().After(giveUp):
			return fmt.Errorf("after %d tries: %w", tries, err)
		}
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
