package sessionlists

import (
	"context"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Asked is whose sessions are asked for, and in which order.
type Asked struct {
	Site       string
	Visitor    string // whose sessions; "": recent ones
	Desc       bool
	Consistent bool // strongly consistent reads
}

// Refs walks a list that names items: an index, whose items name one each; the recent sessions, whose lists name up to 500; or
// the lists by visitor.
type Refs struct {
	t       *sitetable.Store
	all     func(context.Context) iter.Seq2[itemRef, error] // in order
	keep    func(sinks.Item, []sitetable.Position) bool     // whether an item belongs to the answer, named at these places; nil: each
	expired int                                             // items of the list that were left out
	cut     bool                                            // the list has more after last, which this page does not read
	Last    sitetable.Position                              // of the last ref that was taken, or of an item that was left out after it
}

// wholeItem is the number of a position after everything that an item names.
const wholeItem = 1 << 30

// An itemRef names an item and its place in the list.
type itemRef struct {
	key sinks.Key
	pos sitetable.Position
}

// Indexed lists the items of some partition keys of an index, by time: their sort keys begin with an instant.
func Indexed(t *sitetable.Store, index sinks.Index, s calendar.Span, list sitetable.Listing, pks ...string) *Refs {
	q := sinks.Query{Index: index, From: sinks.InstantBound(s.From), To: sinks.InstantBound(s.To-1) + "~", Desc: list.Desc}
	return refsOf(t, t.Walk(q, list.Limit, list.Cursor.Position(), pks...).All,
		func(it sitetable.Listed) ([]itemRef, error) { return []itemRef{{it.Key(), it.At}}, nil })
}

// refsOf lists what the items of a list name that have not expired; read returns what an item names.
func refsOf(t *sitetable.Store, items func(context.Context) iter.Seq2[sitetable.Listed, error],
	read func(sitetable.Listed) ([]itemRef, error)) *Refs {
	l := &Refs{t: t}
	l.all = func(ctx context.Context) iter.Seq2[itemRef, error] {
		return func(yield func(itemRef, error) bool) {
			for it, err := range items(ctx) {
				var refs []itemRef
				switch {
				case err != nil:
				case t.Expired(it.Item):
					l.expired++
					l.Last = sitetable.Position{Key: it.At.Key, N: wholeItem}
				default:
					refs, err = read(it)
				}
				if err != nil {
					yield(itemRef{}, err)
					return
				}
				for _, ref := range refs {
					if !yield(ref, nil) {
						return
					}
				}
			}
		}
	}
	return l
}

// Page is what collect took from a list.
type Page struct {
	Items   []sinks.Item
	Expired int
	More    bool // the list has more
}

// Collect reads the items that the list names first, until it has limit of them or the list ends. Lists hold
// keys alone, so whether an item has expired, or is gone, is seen only when it is read.
func (l *Refs) Collect(ctx context.Context, limit int, consistent bool) (Page, error) {
	var p Page
	refs := sitetable.HeadOf(l.all(ctx))
	defer refs.Stop()
	if err := refs.Advance(); err != nil {
		return Page{}, err
	}
	for scanned := 0; refs.Ok && len(p.Items) < limit && scanned < sitetable.MaxScanned; {
		var keys []sinks.Key
		named := make(map[sinks.Key][]sitetable.Position)
		for refs.Ok && (len(keys) < limit-len(p.Items) || refs.Value.pos == l.Last) { // A cursor names a sort key, which two may share.
			key := refs.Value.key
			if named[key] == nil {
				keys = append(keys, key)
			}
			named[key] = append(named[key], refs.Value.pos)
			l.Last = refs.Value.pos
			scanned++
			if err := refs.Advance(); err != nil {
				return Page{}, err
			}
		}
		items, err := l.t.BatchGet(ctx, keys, consistent)
		if err != nil {
			return Page{}, err
		}
		for _, key := range keys {
			switch it := items[key]; {
			case it == nil: // Deleted, or on its way: a flush writes the list and the item in no order.
			case l.keep != nil && !l.keep(it, named[key]):
			case l.t.Expired(it):
				p.Expired++
			case it[sinks.AttrErased].Kind() != sinks.None: // A person's whose data are erased: it has numbers alone, which the stats have.
			default:
				p.Items = append(p.Items, it)
			}
		}
	}
	p.More = refs.Ok || l.cut
	p.Expired += l.expired
	return p, nil
}

// Only restricts the list to items that pass.
func (l *Refs) Only(passes func(sinks.Item) bool) {
	keep := l.keep
	l.keep = func(it sinks.Item, at []sitetable.Position) bool { return passes(it) && (keep == nil || keep(it, at)) }
}
