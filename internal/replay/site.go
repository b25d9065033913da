package replay

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// siteCounts returns [Counted] where the step that has a record counted it as far as its site goes, and "" where it rejected it
// since the site was deleted, was not created, or was one new site too many. [NotKnown] and [NotDecided]: that is not known, or not
// yet.
//
// Where any site is counted, the site's entry in the list of sites says from which position on the partition has. That never
// changes once it is there; so every run finds the same.
func (r *run) siteCounts(ctx context.Context, site string, partition int32, held checkpoint.Held) (Skipped, error) {
	if held.Rev > r.rules.Rev() {
		return NotKnown, nil
	}
	switch standing := r.viewOf(held).Standing(site); {
	case standing == sites.Registered:
		return Counted, nil
	case standing == sites.Deleted, held.Settings.Sites == checkpoint.SitesRegistered:
		return "", nil
	case held.Settings.NewSites == 0:
		return Counted, nil
	case held.Open:
		return NotDecided, nil
	}
	entry, err := r.entryOf(ctx, site)
	if err != nil {
		return "", err
	}
	from := entry[sinks.AttrAdmitted(sinks.TP{Topic: r.number, Partition: partition})]
	if from.Kind() != sinks.None && from.Int() <= held.Position {
		return Counted, nil
	}
	return "", nil
}

// viewOf is the view of the rules that a step has folded a record under.
func (r *run) viewOf(held checkpoint.Held) sites.View {
	return r.rules.At(held.Rev).As(held.Settings.Rules).CountedAt(held.Settings.Counted)
}

// maxListed is how many entries of the list of sites are remembered.
const maxListed = 100_000

// entryOf returns a site's entry in the list of sites, nil where it has none.
func (r *run) entryOf(ctx context.Context, site string) (sinks.Item, error) {
	if it, ok := r.listed[site]; ok {
		return it, nil
	}
	key := r.o.Keys.SiteEntry(site)
	found, err := sinks.Get(ctx, r.o.Table, key)
	if err != nil {
		return nil, fmt.Errorf("read the entry of site %q in the list of sites: %w", site, err)
	}
	if len(r.listed) == maxListed {
		clear(r.listed)
	}
	r.listed[site] = found[key]
	return found[key], nil
}
