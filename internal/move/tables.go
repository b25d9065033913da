package move

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// open checks both tables, and reads what is decided about the site.
func (r *run) open(ctx context.Context) error {
	old, ok, err := sinks.LoadTableSettings(ctx, r.from, sinks.Keys{})
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the old table has counted nothing")
	}
	if err := ready(old, "old"); err != nil {
		return err
	}
	now, ok, err := sinks.LoadTableSettings(ctx, r.to, sinks.Keys{})
	if err == nil && !ok {
		now, err = r.begin(ctx)
	}
	if err != nil {
		return fmt.Errorf("new table: %w", err)
	}
	if err := ready(now, "new"); err != nil {
		return err
	}
	switch {
	case old.HashKeyPrint != now.HashKeyPrint:
		return fmt.Errorf("the tables have different visitor hash keys, of the fingerprints %s and %s: visitors of before and after would not "+
			"be the same; a new table that is empty takes the key of the old one", old.HashKeyPrint, now.HashKeyPrint)
	case old.SessionShards != now.SessionShards:
		return fmt.Errorf("the old table has %d shards of sessions, and the new one %d: they must be the same", old.SessionShards,
			now.SessionShards)
	}
	r.old, r.new, r.shards = old.Generations.Keys(), now.Generations.Keys(), old.SessionShards
	return r.read(ctx)
}

// begin makes the settings of an empty table, with the hash key of the old one if that is kept in the table.
func (r *run) begin(ctx context.Context) (s sinks.TableSettings, err error) {
	key := sinks.Keys{}.TableSettings()
	found, err := sinks.Get(ctx, r.from, key)
	if err != nil {
		return s, err
	}
	if _, err = sinks.EnsureTableSettings(ctx, r.to, sinks.Keys{}, nil); err != nil {
		return s, err
	}
	print, kept := found[key][sinks.AttrHashKeyPrint], found[key][sinks.AttrHashKey]
	u := sinks.Update{Key: key, Set: []sinks.Attr{{Name: sinks.AttrHashKeyPrint, Value: print}},
		If: []sinks.Cond{{Attr: sinks.AttrTopics, Op: sinks.Equal, Value: sinks.Int(0)}}} // Nothing is counted under the key that was drawn.
	if kept.Kind() == sinks.None {
		u.Remove = []string{sinks.AttrHashKey}
	} else {
		u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrHashKey, Value: kept})
	}
	if _, err = r.to.Update(ctx, u); err != nil {
		return s, err
	}
	s, _, err = sinks.LoadTableSettings(ctx, r.to, sinks.Keys{})
	return s, err
}

// ready returns an error unless the table is in the latest format and has one generation of items.
func ready(s sinks.TableSettings, name string) error {
	has := s.Generations
	switch _, kept := has.KeptBefore(has.Live); {
	case s.Fencing || s.Format != sinks.LastFormat:
		return fmt.Errorf("the %s table has format %d, and must have %d: run footfall upgrade finalize there first", name, s.Format,
			sinks.LastFormat)
	case has.Restoring:
		return fmt.Errorf("the %s table is a copy that is being counted again: complete footfall table resume-restored first", name)
	case has.Building+has.Former+has.Dropping > 0:
		return fmt.Errorf("the %s table has another generation of items beside the live one: run footfall rebuild drop there first", name)
	case kept:
		return fmt.Errorf("the %s table has kept dates of a generation before a rebuild: no site can be moved from or to it", name)
	}
	return nil
}

// read reads the site's history in the old table. It must be deleted there.
func (r *run) read(ctx context.Context) error {
	log, err := sites.ReadLog(ctx, r.from, sinks.Keys{}, nil)
	if err != nil {
		return err
	}
	all := log.History(r.Site)
	switch {
	case sites.Gone(all) > 0:
		return fmt.Errorf("site %q was purged: there is nothing to move", r.Site)
	case len(all) == 0 || !all[len(all)-1].Rules.Deleted():
		return fmt.Errorf("site %q is not deleted: run footfall site delete %s first, so that nothing more of it is counted", r.Site, r.Site)
	}
	entry := sinks.Keys{}.SiteEntry(r.Site)
	found, err := sinks.Get(ctx, r.from, entry)
	if err != nil {
		return err
	}
	zone, err := sites.EntryZone(found[entry], r.old)
	if err != nil {
		return err
	}
	for _, c := range sites.SincePurge(all) {
		if c.Purge {
			continue
		}
		r.history = append(r.history, c)
		if c.Erase != nil {
			r.erasures = append(r.erasures, c.Rev)
		}
	}
	r.plan = planOf(r.history, zone)
	return nil
}

// uncounted returns an error if chains of the new table have counted events of the site: they came just before it was known as a deleted
// one. Each event is marked in the stats of its day.
func (r *run) uncounted(ctx context.Context) error {
	topics, err := sinks.Topics(ctx, r.to, r.new)
	if err != nil {
		return err
	}
	for day, err := range sinks.Items(ctx, r.to, sinks.Query{PK: r.new.Site(r.Site), Prefix: sinks.DayStatsPrefix, Consistent: true}) {
		if err != nil {
			return err
		}
		for _, tp := range sinks.MarkedBy(day) {
			if !sites.IsMoved(topics[tp.Topic]) {
				return fmt.Errorf("the new table has counted events of site %q, from topic %q: run footfall site purge there, and begin again", r.Site,
					topics[tp.Topic])
			}
		}
	}
	return nil
}

// untouched returns an error if the new table has anything of the site.
func (r *run) untouched(ctx context.Context) error {
	e, err := purge.Count(ctx, purge.Options{Table: r.to, Site: r.Site, Now: r.Now})
	if errors.Is(err, sites.ErrUnknown) {
		return nil
	}
	key := sinks.Keys{}.SiteEntry(r.Site)
	found, unread := sinks.Get(ctx, r.to, key)
	if sinks.Claimed(found[key]) { // By a run that was cut short.
		e.Items--
	}
	if err = errors.Join(err, unread); err == nil && e.Items > 0 {
		err = fmt.Errorf("the new table has %d items of site %q already: a site can only be moved to where nothing of it was counted and "+
			"decided; run footfall site purge there if they may go", e.Items, r.Site)
	}
	return err
}
