package scope

import (
	"context"
	"slices"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
)

// A purge removes what steps of earlier revisions have counted of a site. Totals of chains still have these records, so the recount counts
// them there and nowhere else. Until the purge is done, the items of the site may be there or not.

// LoadPurges reads how far the purges of sites have come, as of the rules that the recount has followed.
func (v *Rulebook) LoadPurges(ctx context.Context) (err error) {
	v.purges, err = purge.LastOf(ctx, v.Opts.Table, v.Rules)
	return err
}

// Purged reports whether a site was purged since a step of a view counted its records.
func (v *Rulebook) Purged(site string, view sites.View) bool {
	return slices.ContainsFunc(v.Rules.History(site), func(c sites.Revision) bool { return c.Purge && c.Rev > view.Rev })
}

// Purging reports whether the last purge of a site is not done, or was not when the purges were loaded.
func (v *Rulebook) Purging(site string) bool {
	rev := sites.LastPurge(v.Rules.History(site))
	known := v.purges[site]
	return rev > 0 && (known.Revision != rev || !known.Done)
}

// Gone returns the purge of a site that is done, if the site was not created again since.
func (v *Rulebook) Gone(site string) (purge.Last, bool) {
	known := v.purges[site]
	return known, known.Done && sites.Gone(v.Rules.History(site)) == known.Revision
}
