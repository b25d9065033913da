package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Reader answers questions from one table. It writes nothing. A read that is throttled or gets no answer is tried up to six times,
// unless the table retries by itself. Safe for concurrent use. Make one with [New].
type Reader struct{ live *sitetable.Live }

// New makes a Reader of a table. now is the current time: it decides which items have expired, and is the default end of a range.
//
// It reads the generation of items that is live. Each answer is of one generation; after a rebuild, answers are of the new one within five
// seconds.
func New(table sinks.Table, now func() time.Time) *Reader {
	return &Reader{sitetable.NewLive(table, now)}
}

// NewOf makes a Reader of one generation of items, whether it is live or not.
func NewOf(table sinks.Table, keys sinks.Keys, now func() time.Time) *Reader {
	return &Reader{sitetable.Pinned(sitetable.New(table, keys, now))}
}

// OfOneGeneration returns a context in which all answers of a Reader are of one generation, and under the settings of a site that the first
// has read: for one page that is made of several answers.
func OfOneGeneration(ctx context.Context) context.Context { return sitetable.OfOneGeneration(ctx) }

// ask answers a question from the live generation, or returns an error that says which question failed.
func ask[P, A any](ctx context.Context, r *Reader, p P, answer func(context.Context, *sitetable.Store, P) (A, error), question string,
	args ...any) (A, error) {
	a, err := sitetable.OnLive(ctx, r.live, p, answer)
	return about(a, err, question, args...)
}

// about returns an answer, or an error that says which question failed.
func about[A any](answer A, err error, question string, args ...any) (A, error) {
	if err != nil {
		var none A
		return none, fmt.Errorf("%s: %w", fmt.Sprintf(question, args...), err)
	}
	return answer, nil
}
