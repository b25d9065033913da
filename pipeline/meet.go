package pipeline

import (
	"context"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/sinks"
)

// meet makes sure of what must be true of a site before the first of its records is folded: it is in the list of sites, and
// where `site create` has listed it, the rules that it got then are known, since they hold always.
func (w *worker) meet(ctx context.Context, records []record) error {
	var fresh []*site
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		if r.reason != Accepted {
			continue
		}
		if s := w.sites.of(r); !s.met && w.folds(r) {
			s.met = true
			fresh = append(fresh, s)
		}
	}
	if fresh == nil {
		return nil
	}
	claimed := make([]bool, len(fresh))
	for i, s := range fresh {
		w.load.ask(w.keys.SiteEntry(s.id), func(entry sinks.Item) error {
			if entry == nil {
				w.load.then = append(w.load.then, func(ctx context.Context) (err error) {
					claimed[i], err = w.list(ctx, s.id)
					return err
				})
			}
			claimed[i] = sinks.Claimed(entry)
			return nil
		})
	}
	if err := w.load.load(ctx); err != nil {
		return err
	}
	for i, s := range fresh {
		if claimed[i] && !plant.FirstRulesUnknown {
			if err := w.rules.first(ctx, &w.reads, s.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// folds reports whether any lane is to fold the record.
func (w *worker) folds(r *record) bool {
	for _, l := range w.lanes {
		if l.position(r) >= l.pos && w.judge(l, r) == Accepted {
			return true
		}
	}
	return false
}

// list puts a site in the list of sites, and reports whether `site create` has been faster.
func (w *worker) list(ctx context.Context, id string) (claimed bool, err error) {
	r, err := w.send.put(ctx, &w.reads, sinks.EntitySiteEntry, sinks.Put{Item: sinks.SiteEntryItem(w.keys, id),
		If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	return r.Refused && sinks.Claimed(r.Item), err
}
