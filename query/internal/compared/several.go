package compared

import (
	"context"
	"sync"

	"github.com/footfall/footfall/query/internal/sitetable"
)

// Several sums up the rows of several sites. Its fields are read once all sites are added.
type Several struct {
	mu          sync.Mutex            // covers all below
	Rows        map[int64]*SeveralRow // by the number of the bucket
	Total       *sitetable.Total
	Expired     int // items
	WithEvents  int // sites with events in the range
	CountingNew int // of these, those that have counted new visitors since it began
}

// SeveralRow is a bucket of several sites.
type SeveralRow struct {
	sitetable.Total
	Partial, InProgress bool
	Uncounted           bool // a site of the row has not counted new visitors since it began
}

// NewSeveral makes sums of no site.
func NewSeveral() *Several {
	return &Several{Rows: make(map[int64]*SeveralRow), Total: sitetable.NewTotal()}
}

// Add adds the rows of a site. counts reports whether the site has counted new visitors since an instant. Safe for concurrent use.
func (v *Several) Add(ctx context.Context, q Question, counts func(from int64) bool) error {
	sum, events := sitetable.NewTotal(), false
	walk := q.Table.RowsOf(q.Cal, q.Span, q.Rest, sum)
	for r, err := range walk.All(ctx) {
		if err == nil {
			events = true
			err = v.addRow(&q, r, counts(r.Part.From))
		}
		if err != nil {
			return err
		}
	}
	past, err := q.Table.Past(ctx, walk, walk.Days.Kept)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if events {
		v.WithEvents++
		if counts(q.Span.From) {
			v.CountingNew++
		}
	}
	v.Expired += walk.Days.Expired()
	sum.Incomplete = sum.Incomplete || past
	return v.Total.Merge(sum)
}

// addRow adds a row of a site to that of all. counted says that the site counted new visitors in it.
func (v *Several) addRow(q *Question, r *sitetable.Row, counted bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	into := v.Rows[r.N]
	if into == nil {
		into = &SeveralRow{Total: *sitetable.NewTotal()}
		v.Rows[r.N] = into
	}
	into.Partial, into.InProgress = into.Partial || q.Clipped(r), into.InProgress || q.Running(r)
	into.Uncounted = into.Uncounted || !counted
	return into.Add(r)
}
