package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/loading"
	"github.com/footfall/footfall/sinks"
)

// Readers look for a site's raw events only where the site's entry in the list of sites says that they may be: among items, in packs, or
// both. So the entry gets the mark of a kind before the first raw event of that kind is written. A mark is never taken away. Usually it
// comes with the entry and costs no write.

// rawMark is the attribute of a site's entry for how the accumulating step keeps raw events; "": it keeps none.
func (in *intake) rawMark() string {
	switch s := &in.stats.Settings; {
	case !s.RawEvents, s.Rebuilt:
		return ""
	case s.RawPacked:
		return sinks.AttrRawPacks
	}
	return sinks.AttrRawItems
}

// readRawMarks notes which marks a site's entry has.
func readRawMarks(s *aggregate.Site, entry sinks.Item) {
	s.Entry.RawItems = s.Entry.RawItems || entry[sinks.AttrRawItems].Kind() != sinks.None
	s.Entry.RawPacks = s.Entry.RawPacks || entry[sinks.AttrRawPacks].Kind() != sinks.None
}

// markRaw marks the entries of sites whose raw events are about to be written in a way that their entries do not mention.
func (in *intake) markRaw(ctx context.Context, records []decoding.Record) error {
	attr := in.rawMark()
	if attr == "" {
		return nil
	}
	var unmarked []*aggregate.Site
	for i := range records {
		r := &records[i]
		if r.Verdicts[in.stats.N] != event.Accepted {
			continue
		}
		marked := &r.Site.Entry.RawItems
		if attr == sinks.AttrRawPacks {
			marked = &r.Site.Entry.RawPacks
		}
		if !*marked {
			*marked = true // Or the worker ends with an error.
			unmarked = append(unmarked, r.Site)
		}
	}
	if len(unmarked) == 0 {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(loading.Concurrency)
	for _, s := range unmarked {
		g.Go(func() error { return in.markEntry(gctx, s.ID, attr) })
	}
	return g.Wait()
}

// markEntry sets a mark of a site's entry.
func (in *intake) markEntry(ctx context.Context, site, attr string) error {
	key := in.keys.SiteEntry(site)
	r, err := in.send.Update(ctx, &in.reads, sinks.EntitySiteEntry, sinks.Update{Key: key,
		Set: []sinks.Attr{{Name: attr, Value: sinks.Int(1)}}, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
	if err == nil && r.Refused { // Someone has deleted it since it was read.
		err = sinks.Damaged(key, sinks.AttrSiteID, sinks.ErrMissing)
	}
	return err
}
