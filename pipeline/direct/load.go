package direct

import (
	"context"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
)

// loader reads the states that a fold asks for.
type loader struct {
	table sinks.Table
	keys  []sinks.Key
	fill  []aggregate.Filler // who takes the item at keys[i]
	then  []selection
}

// selection is a query that was asked for.
type selection struct {
	sinks.Query
	each func(sinks.Item) error
}

// Ask implements [aggregate.Asker].
func (l *loader) Ask(key sinks.Key, to aggregate.Filler) {
	l.keys, l.fill = append(l.keys, key), append(l.fill, to)
}

// AskAll implements [aggregate.Asker].
func (l *loader) AskAll(_ string, q sinks.Query, each func(sinks.Item) error) {
	l.then = append(l.then, selection{q, each})
}

// asked reports whether anything was asked for since the last read.
func (l *loader) asked() bool { return len(l.keys) > 0 }

// read reads what was asked for.
func (l *loader) read(ctx context.Context) error {
	for from := 0; from < len(l.keys); from += sinks.MaxBatchGet {
		to := min(from+sinks.MaxBatchGet, len(l.keys))
		found, err := l.table.BatchGet(ctx, sinks.BatchGet{Keys: l.keys[from:to], Consistent: true})
		if err != nil {
			return err
		}
		for i := from; i < to; i++ {
			if err := l.fill[i].Fill(found.Items[l.keys[i]]); err != nil {
				return err
			}
		}
	}
	clear(l.fill)
	l.keys, l.fill = l.keys[:0], l.fill[:0]
	for _, s := range l.then {
		for it, err := range sinks.Items(ctx, l.table, s.Query) {
			if err == nil {
				err = s.each(it)
			}
			if err != nil {
				return err
			}
		}
	}
	clear(l.then)
	l.then = l.then[:0]
	return nil
}
