package pipeline

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/loading"
	"github.com/footfall/footfall/sinks"
)

// Which sites are counted. A deleted site is not, a created one is. Of all others a lane counts none if the settings require sites to be
// registered. Otherwise it admits as many new ones in an hour of record time as the settings allow, and a site that was admitted once
// stays admitted.
//
// Each lane decides for itself, once for each record and in the order of offsets, before any state of the record is asked for.
// What it decides by is under its own mark. That a site is admitted says the mark on the site's entry in the list of sites,
// which the step of the first record sets, and nothing else does: absent, the site is new; that of the step which is being
// done again, it was admitted by this very step, and is new again; earlier, it is known. How many were admitted in the latest
// hour is state of the third kind, one item for each partition and lane.

// standing returns whether the site is registered, as of the rules of the lane's accumulating step.
func (in *intake) standing(l *lanes.Lane, s *aggregate.Site) sites.Standing {
	return l.StandingOf(s)
}

// registered is the lane's verdict on a record's site by the rules of its step.
func (in *intake) registered(l *lanes.Lane, r *decoding.Record) event.Reason {
	s := in.sites.Of(&r.Input)
	switch in.standing(l, s) {
	case sites.Registered:
		return event.Accepted
	case sites.Unregistered:
		if l.Settings.Sites != checkpoint.SitesRegistered {
			return event.Accepted
		}
	}
	in.refuse(s)
	return event.UnknownSite
}

// admit reports whether the lane counts a record that is not rejected for any other reason. A new site takes from the hour.
func (in *intake) admit(l *lanes.Lane, r *decoding.Record) bool {
	s := r.Site
	if s.Admitted[l.N] > 0 || in.standing(l, s) == sites.Registered {
		return true
	}
	a := &l.Admission
	at := r.Time
	if n := l.Settings.NewSites; n > 0 && !a.Cur.Take(at, n) {
		in.refuse(s)
		return false
	}
	a.Admit(s, l.N, l.Step, l.Position(r))
	return true
}

// refusedShare is which part of the cache of states refused sites may take besides: a fifth.
const refusedShare = 5

// refuse remembers that a record of the site was rejected: a site without any counted record must not stay in memory for ever.
func (in *intake) refuse(s *aggregate.Site) {
	if !s.Refused {
		s.Refused = true
		in.refused = append(in.refused, s)
	}
}

// forgetRefused forgets refused sites that have nothing in memory. Their next record meets them again.
func (in *intake) forgetRefused() {
	if len(in.refused) <= in.options.Limits.CacheBytes/(refusedShare*aggregate.SiteRoom) {
		return
	}
	for i, s := range in.refused {
		s.Refused = false
		if s.Empty() && in.sites[s.ID] == s { // It may have been let go, and met again, before.
			delete(in.sites, s.ID)
		}
		in.refused[i] = nil
	}
	in.refused = in.refused[:0]
}

// askNewSites reads how many sites the lane has admitted. Of a redo's own step it takes the state before.
func (in *intake) askNewSites(l *lanes.Lane) {
	a := &l.Admission
	a.Asked = true
	in.load.Ask(a.Key, aggregate.FillFunc(func(it sinks.Item) error {
		if err := damage.CheckCounts(a.Key, it, sinks.NewSitesAttrs[:], a.Mark); err != nil {
			return err
		}
		in.checkMark(l, a.Key, it)
		cur, prev := transition.ReadNewSites(it)
		if l.Redo && it[a.Mark].Int() == l.Step {
			cur = prev
		}
		a.Cur, a.Before = cur, cur
		return nil
	}))
}

// readAdmitted takes from a site's entry which lanes have admitted it before their accumulating steps.
func (in *intake) readAdmitted(s *aggregate.Site, entry sinks.Item) {
	for _, l := range in.lanes {
		mark := entry[l.Admission.Mark].Int()
		in.checkMark(l, in.keys.SiteEntry(s.ID), entry)
		if mark != l.Step {
			s.Admitted[l.N] = mark
		}
	}
}

// checkMark looks at the mark of a state that was read. One that is ahead of the lane, or level with a step that is no redo, was
// written by another owner.
func (in *intake) checkMark(l *lanes.Lane, key sinks.Key, it sinks.Item) {
	if mark := it[l.Admission.Mark].Int(); mark > l.Step || mark == l.Step && !l.Redo {
		in.load.After(func(ctx context.Context) error { return l.Chain.Overtaken(ctx, l.Epoch, key, mark) })
	}
}

// list has every site that is to be counted in the list of sites. Where `site create` was faster, the rules that the site got
// then are known afterwards.
func (in *intake) list(ctx context.Context, fresh []*aggregate.Site) error {
	if len(fresh) == 0 {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(loading.Concurrency)
	for _, s := range fresh {
		if s.Entry.Found {
			continue
		}
		g.Go(func() error { return in.listSite(gctx, s) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, s := range fresh {
		if s.Entry.Claimed {
			if err := in.rules.First(ctx, &in.reads, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// listSite puts a site's entry with the zone of this process. Where another owner or `site create` was faster, theirs holds, and nothing
// of the site is folded before it is known.
func (in *intake) listSite(ctx context.Context, s *aggregate.Site) error {
	entry := sinks.SiteEntryItem(in.keys, s.ID)
	if in.options.SiteZone != "" && in.options.SiteZone != time.UTC.String() {
		entry[sinks.AttrZone] = sinks.Str(in.options.SiteZone)
	}
	if attr := in.rawMark(); attr != "" {
		entry[attr] = sinks.Int(1)
	}
	r, err := in.send.Put(ctx, &in.reads, sinks.EntitySiteEntry, sinks.Put{Item: entry,
		If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return err
	}
	if r.Refused {
		entry = r.Item
	}
	readRawMarks(s, entry)
	s.Entry.Claimed = sinks.Claimed(entry)
	s.Zone, err = sites.EntryZone(entry, in.keys)
	return err
}
