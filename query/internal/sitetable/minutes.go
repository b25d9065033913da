package sitetable

import (
	"iter"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// MaxPages is how many pages a minute has at most.
const MaxPages = 50

// Minute is what the table holds of a minute: the parts of all partitions together.
type Minute struct {
	Start    int64
	Sums     figures.Sums
	Visitors *sketch.Uniques
	Tops     []*sketch.Top // pages by their views, one of each part
}

// MinutesOf yields the minutes that some parts belong to, which come in order.
func MinutesOf(parts iter.Seq2[BucketItem, error]) iter.Seq2[*Minute, error] {
	return func(yield func(*Minute, error) bool) {
		var m *Minute // not yet passed on
		for part, err := range parts {
			if err == nil && m != nil && m.Start != part.Start {
				if !yield(m, nil) {
					return
				}
				m = nil
			}
			if m == nil {
				m = &Minute{Start: part.Start, Visitors: sketch.NewMinute()}
			}
			if err == nil {
				err = m.add(part.Item)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if m != nil {
			yield(m, nil)
		}
	}
}

// add folds in a part.
func (m *Minute) add(it sinks.Item) error {
	AddItem(&m.Sums, it)
	if it[sinks.AttrVisitors].Kind() == sinks.Binary {
		if err := Union(m.Visitors, sketch.NewMinute(), it, sinks.AttrVisitors); err != nil {
			return err
		}
	}
	if pages := it[sinks.AttrPages]; pages.Kind() == sinks.Binary {
		top := sketch.NewTop(MaxPages)
		if err := top.UnmarshalBinary(pages.Bytes()); err != nil {
			return sinks.Damaged(it.Key(), sinks.AttrPages, err)
		}
		m.Tops = append(m.Tops, top)
	}
	return nil
}
