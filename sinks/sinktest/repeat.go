package sinktest

import (
	"context"
	"errors"

	"github.com/footfall/footfall/sinks"
)

// repeating is a store whose reads and batches are sent again when their outcome is unknown, as the contract asks
// of callers: repeating them changes nothing. Large answers of DynamoDB need it now and then, since net/http may
// close a connection while its answer is still being read (aws/aws-sdk-go-v2, issue 2737). Updates, puts and
// deletes under conditions are sent once: the suite checks what a single one does.
type repeating struct{ Store }

// repeats is how often a request is sent at most, since on a busy machine connections were closed three times running. A store that never
// answers fails all the same.
const repeats = 10

func (r repeating) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	return repeat(func() (sinks.BatchResult, error) { return r.Store.BatchPut(ctx, items) })
}

func (r repeating) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	return repeat(func() (sinks.BatchResult, error) { return r.Store.BatchGet(ctx, g) })
}

func (r repeating) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	return repeat(func() (sinks.Page, error) { return r.Store.Query(ctx, q) })
}

func repeat[A any](send func() (A, error)) (answer A, err error) {
	for range repeats {
		if answer, err = send(); !errors.Is(err, sinks.ErrUnknownOutcome) {
			break
		}
	}
	return answer, err
}
