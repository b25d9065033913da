package verify

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/verify/finding"
)

func (x *siteScan) run(ctx context.Context) error {
	for s := range x.Explained(x.site) {
		x.open(s)
	}
	for i := 0; i < len(x.lists); i++ { // An hour's item opens further lists.
		if err := x.read(ctx, x.lists[i]); err != nil {
			return err
		}
	}
	for s, items := range x.listed {
		x.seen[s] = true
		x.weigh(s, items)
	}
	for s := range x.Explained(x.site) {
		if !x.seen[s] && x.Chosen(s, nil) {
			x.seen[s] = true // Several partitions may know of an hour.
			x.weigh(s, nil)
		}
	}
	if !x.Opts.SkipRaw {
		for key, e := range x.Raw.Sites[x.site] {
			if e.Required && !e.Seen {
				x.weigh(x.subjectOfRaw(key), nil)
			}
		}
	}
	for _, s := range x.sealed {
		items, err := x.readSealed(ctx, s)
		if err != nil {
			return fmt.Errorf("site %q: read %s: %w", s.Site, s.Kind, err)
		}
		x.weigh(s, items)
	}
	return nil
}

func (x *siteScan) read(ctx context.Context, l list) error {
	if l.journal != nil {
		return x.Late.ReadJournal(ctx, *l.journal)
	}
	for it, err := range x.Items(ctx, l.query) {
		if err != nil {
			return fmt.Errorf("site %q: read its items: %w", x.site, err)
		}
		switch kind := l.kindOf(it.Key().SK); kind {
		case finding.KindFunnel:
			x.compareFunnel(x.site, it)
		case finding.KindLate: // Read before the items of its hours.
		case finding.KindPack:
			x.placePack(it)
		case finding.KindNew:
			x.placeNew(it)
		default:
			x.place(kind, it)
		}
	}
	return nil
}
