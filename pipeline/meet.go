package pipeline

import (
	"context"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/sinks"
)

// meet makes sure of what must be true of a site before the first of its records is folded, and decides which of the sites that
// were not created are counted. A site that is counted is in the list of sites; and where `site create` has listed it, the
// rules that it got then are known, since they hold always. So is the zone that its entry fixes: see sites.EntryZone.
func (in *intake) meet(ctx context.Context, records []decoding.Record) error {
	for i := range records {
		r := &records[i]
		in.at = r.Raw.Offset
		for _, l := range in.lanes {
			if r.Verdicts[l.N] != event.Accepted {
				continue
			}
			if err := lanes.Renew(in.lanes, l, r.Site); err != nil {
				return err
			}
			if !r.Site.Entry.Met {
				r.Site.Entry.Met = true
				in.askEntry(r.Site)
			}
			if !l.Admission.Asked && l.Settings.NewSites > 0 {
				in.askNewSites(l)
			}
		}
	}
	if err := in.load.Load(ctx); err != nil {
		return err
	}
	var fresh []*aggregate.Site
	for i := range records {
		r := &records[i]
		in.at = r.Raw.Offset
		for _, l := range in.lanes {
			switch {
			case r.Verdicts[l.N] != event.Accepted:
			case !in.admit(l, r):
				r.Verdicts[l.N] = event.TooManySites
			case !r.Site.Entry.Listed:
				r.Site.Entry.Listed = true
				fresh = append(fresh, r.Site)
			}
		}
	}
	if err := in.list(ctx, fresh); err != nil {
		return err
	}
	return in.markRaw(ctx, records)
}

// askEntry reads a site's entry in the list of sites.
func (in *intake) askEntry(s *aggregate.Site) {
	in.load.Ask(in.keys.SiteEntry(s.ID), aggregate.FillFunc(func(entry sinks.Item) error {
		if entry != nil {
			var f damage.Faults
			f.Kinds(sinks.EntitySiteEntry, in.tp, entry)
			if entry[sinks.AttrSiteID].Kind() == sinks.None {
				f.Add(sinks.AttrSiteID, sinks.ErrMissing)
			}
			if err := f.State(in.keys.SiteEntry(s.ID)); err != nil {
				return err
			}
		}
		s.Entry.Found, s.Entry.Claimed = entry != nil, sinks.Claimed(entry)
		in.readAdmitted(s, entry)
		readRawMarks(s, entry)
		var err error
		s.Zone, err = sites.EntryZone(entry, in.keys)
		return err
	}))
}
