package rebuild

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Mended is what a copy lacks or cannot show, and an operator must decide about.
type Mended struct {
	// Removed are revisions of the site settings after one that the copy lacks, the last one first.
	Removed []sites.Revision
	// Again are revisions of erasures and purges that were under way or over shortly before the copy was made: what they had deleted may be
	// there again.
	Again []sites.Revision
}

// mending mends what all generations of a copy have in common.
type mending struct {
	Mended
	table sinks.Table // that repeats requests
	log   *slog.Logger
	rules *sites.Log
}

// sites mends what is decided about sites until the copy is live.
func (m *mending) sites() sites.Mending {
	return sites.Mending{Table: m.table, May: func(ctx context.Context) error {
		has, err := Look(ctx, m.table)
		if err == nil && !has.Restoring {
			err = ErrChanged
		}
		return err
	}}
}

// decisions mends the log of the site settings.
func (m *mending) decisions(ctx context.Context) (err error) {
	m.rules, err = m.sites().Log(ctx, func(c sites.Revision) {
		m.Removed = append(m.Removed, c)
		// Cause: The copy of the table was not made at one instant: it has a later change of the settings of sites and lacks an earlier one.
		// Remedy: Decide it again: the line has the site and the time.
		m.log.Warn("a decision about a site is lost: the copy lacks an earlier one", "revision", c.Rev, "site", c.Site,
			"decided", time.UnixMilli(c.At).UTC().Format(time.RFC3339))
	})
	return err
}

// published mends what readers see of the decisions. All sites that the topic has are listed by now.
func (m *mending) published(ctx context.Context, r *query.Reader) error {
	listed := make(map[string]bool)
	m.rules.Sites(func(site string) { listed[site] = true })
	for _, c := range m.Removed {
		listed[c.Site] = true
	}
	err := eachSite(ctx, r, func(site string) error {
		listed[site] = true
		return nil
	})
	for _, site := range slices.Sorted(maps.Keys(listed)) {
		if err == nil {
			err = m.sites().Published(ctx, m.rules, site)
		}
	}
	return err
}

// copyMargin is how much longer ago than the last flush that a copy shows its first item may have been copied.
const copyMargin = 10 * time.Minute

// again has erasures and purges repeated that may have been under way while the copy was made: an item that was copied earlier is there
// again. How far they have come is forgotten, so the same command begins again with its tombstone. A site that was purged and created again
// stays.
func (m *mending) again(ctx context.Context, copied checkpoint.ChainStates) error {
	last := int64(0)
	for _, s := range copied {
		last = max(last, s.Head.FlushedAt)
	}
	before := time.UnixMilli(last).Add(-copyMargin).UnixMilli()
	var err error
	m.rules.Sites(func(site string) {
		history := m.rules.History(site)
		for _, c := range history {
			if err == nil && (c.Erase != nil || c.Purge && sites.Gone(history) == c.Rev) {
				err = m.repeat(ctx, c, before)
			}
		}
	})
	slices.SortFunc(m.Again, func(a, b sites.Revision) int { return int(a.Rev - b.Rev) })
	return err
}

// repeat forgets how far an erasure or a purge has come unless it was done before an instant, ms since the epoch.
func (m *mending) repeat(ctx context.Context, c sites.Revision, before int64) error {
	key, command := sinks.Keys{}.Erasure(c.Rev), "footfall erase"
	if c.Purge {
		key, command = sinks.Keys{}.Purge(c.Rev), "footfall site purge"
	}
	found, err := sinks.Get(ctx, m.table, key)
	if err != nil {
		return fmt.Errorf("revision %d: read how far it has come: %w", c.Rev, err)
	}
	if done := found[key][sinks.AttrDoneAt].Int(); done > 0 && done < before && len(found[key][sinks.AttrOpen].Strings()) == 0 {
		return nil
	}
	if _, err := m.table.Delete(ctx, sinks.Delete{Key: key}); err != nil {
		return fmt.Errorf("revision %d: forget how far it has come: %w", c.Rev, err)
	}
	m.Again = append(m.Again, c)
	// Cause: The copy may have been made before an erasure or a purge was done. Remedy: Run the command that the line names for the site once
	// more.
	m.log.Warn("what was deleted of a site may be there again: repeat the command", "command", command, "site", c.Site, "revision", c.Rev)
	return nil
}
