package sites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// A copy of a table has items of different instants. Its log may lack a revision that was put after its part of the log was copied, and
// have later ones. These name what is not there any more, and their numbers are given out again: they are removed. What was published of
// them is written again as the log has it.

// Mending mends the sites of a copy, whose settings nothing else may change.
type Mending struct {
	Table sinks.Table
	// May is called before anything is removed. An error ends the mending: the copy may have been mended by another process.
	May func(context.Context) error
}

// Log removes the revisions after the first that is missing, the last one first, and how far their erasures and purges have come. removed
// is called before each. It may be cut short and repeated.
func (m Mending) Log(ctx context.Context, removed func(Revision)) (log *Log, err error) {
	var after []Revision
	for ahead := true; ahead && len(after) == 0; {
		if log, ahead, err = readOn(ctx, m.Table, sinks.Keys{}, log); err != nil {
			return nil, err
		}
		if after, err = m.after(ctx, log.Rev()); err != nil {
			return nil, err
		}
	}
	for _, c := range slices.Backward(after) {
		removed(c)
		if err := m.remove(ctx, c.item(sinks.Keys{}), sinks.AttrCreatedAt); err != nil {
			return nil, err
		}
	}
	return log, errors.Join(m.forgetProgress(ctx, log.Rev()), m.claim(ctx, log))
}

// claim lists the sites that were created before they were counted, as their creation does: the copy may lack the entry.
func (m Mending) claim(ctx context.Context, log *Log) (err error) {
	log.Sites(func(site string) {
		if history := log.History(site); err == nil && FirstRules(history) != nil && LastPurge(history) == 0 {
			_, err = sinks.ClaimSite(ctx, m.Table, sinks.Keys{}, site, time.UnixMilli(history[0].At))
		}
	})
	return err
}

// after reads the revisions after one that is missing; none if it is not.
func (m Mending) after(ctx context.Context, last int64) (after []Revision, err error) {
	pk, from := sinks.Keys{}.RulesAfter(last)
	for it, err := range sinks.Items(ctx, m.Table, sinks.Query{PK: pk, From: from, To: sinks.Keys{}.RulesEnd(), Consistent: true}) {
		if err != nil {
			return nil, fmt.Errorf("read the site settings after revision %d: %w", last, err)
		}
		c, err := readRevision(it)
		if err != nil || c.Rev == last+1 { // It was appended just now.
			return nil, err
		}
		after = append(after, c)
	}
	return after, nil
}

// forgetProgress deletes how far erasures and purges of revisions have come that the log lacks.
func (m Mending) forgetProgress(ctx context.Context, last int64) error {
	for _, first := range []sinks.Key{sinks.Keys{}.Erasure(last + 1), sinks.Keys{}.Purge(last + 1)} {
		kind, _, _ := strings.Cut(first.SK, "#")
		for it, err := range sinks.Items(ctx, m.Table, sinks.Query{PK: first.PK, From: first.SK, To: kind + "#~", Consistent: true}) {
			if err == nil {
				err = m.remove(ctx, it, sinks.AttrState)
			}
			if err != nil {
				return fmt.Errorf("forget erasures and purges after revision %d: %w", last, err)
			}
		}
	}
	return nil
}

// Published has readers see a site as the log has it: what was published of a revision that the log lacks is deleted first. Another
// revision may have its number by now. It may be repeated.
func (m Mending) Published(ctx context.Context, log *Log, site string) error {
	history := log.History(site)
	if Gone(history) > 0 { // The purge deletes all of it.
		return nil
	}
	key := sinks.Keys{}.Metadata(site)
	found, err := sinks.Get(ctx, m.Table, key)
	if it := found[key]; err == nil && it != nil && !shows(history, it) {
		err = m.remove(ctx, it, sinks.AttrRules)
	}
	if err != nil {
		return fmt.Errorf("site %q: mend its metadata: %w", site, err)
	}
	goals := goalViews(SincePurge(history))
	for it, err := range sinks.Items(ctx, m.Table, sinks.Query{PK: sinks.Decided(site), Prefix: sinks.GoalPrefix, Consistent: true}) {
		if err == nil {
			rev := it[sinks.AttrRev].Int()
			if v, ok := goals[it[sinks.AttrGoal].Str()]; !ok || rev > v.rev || rev == v.rev && it[sinks.AttrDefinition].Str() != v.String() {
				err = m.remove(ctx, it, sinks.AttrDefinition)
			}
		}
		if err != nil {
			return fmt.Errorf("site %q: mend its goals: %w", site, err)
		}
	}
	return PublishSite(ctx, m.Table, sinks.Keys{}, site, history)
}

// shows reports whether a site's metadata is that of a revision of its history.
func shows(history []Revision, metadata sinks.Item) bool {
	return slices.ContainsFunc(history, func(c Revision) bool {
		return c.Rev == metadata[sinks.AttrRev].Int() && c.Rules.String() == metadata[sinks.AttrRules].Str()
	})
}

// remove deletes an item that has still the revision and the attribute. A late copy of the request meets what was written since.
func (m Mending) remove(ctx context.Context, it sinks.Item, attr string) error {
	if err := m.May(ctx); err != nil {
		return err
	}
	key := it.Key()
	same := []sinks.Cond{{Attr: sinks.AttrRev, Op: sinks.Equal, Value: it[sinks.AttrRev]}, {Attr: attr, Op: sinks.Equal, Value: it[attr]}}
	if _, err := m.Table.Delete(ctx, sinks.Delete{Key: key, If: same}); err != nil {
		return fmt.Errorf("delete %s / %s: %w", key.PK, key.SK, err)
	}
	return nil
}
