package erase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// ErrUnknownSite reports a site that was never counted and has no settings.
var ErrUnknownSite = errors.New("not known")

// open reads what the table was made with and what is known of the site.
func open(ctx context.Context, o Options) (*run, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace = cmp.Or(o.Grace, Grace)
	r := &run{Options: o, table: patience.Table(o.Table)}
	r.watch = &Watch{Table: r.table, Skip: o.Skip}
	settings, ok, err := sinks.LoadTableSettings(ctx, r.table, sinks.Keys{})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("no pipeline has written to this table: there is nothing to look for")
	}
	if fault := sinks.CheckHashKey(settings, o.HashKey); fault != "" {
		return nil, errors.New(fault)
	}
	key := o.HashKey
	if key == nil {
		key = settings.HashKey
	}
	if r.hasher, err = sketch.NewHasher(key); err != nil {
		return nil, err
	}
	r.shards, r.watch.has = settings.SessionShards, settings.Generations
	r.hash = sites.HashPerson(r.hasher, o.Person, []byte(o.Site), []byte(o.ID))
	if r.log, err = sites.ReadLog(ctx, r.table, sinks.Keys{}, nil); err != nil {
		return nil, err
	}
	entry := sinks.Keys{}.SiteEntry(o.Site)
	found, err := sinks.Get(ctx, r.table, entry)
	if err != nil {
		return nil, err
	}
	if _, err = sites.EntryZone(found[entry], r.watch.has.Keys()); err != nil {
		return nil, err
	}
	if sites.Gone(r.log.History(o.Site)) > 0 {
		return nil, fmt.Errorf("site %q is %w any more: it was purged, with all its visitors and users", o.Site, ErrUnknownSite)
	}
	if len(found) == 0 && len(r.log.History(o.Site)) == 0 {
		return nil, fmt.Errorf("site %q: %w: `footfall site list` lists all sites", o.Site, ErrUnknownSite)
	}
	return r, nil
}

// maxConflicts is how often a tombstone is appended again because another revision was appended first.
const maxConflicts = 20

// begin returns the progress of the person's last erasure if that is not done. If it is, begin appends the tombstone of a new one.
// A tombstone whose run was cut short before it was recorded is found in the log.
func (r *run) begin(ctx context.Context) (progress, error) {
	for range maxConflicts {
		if last, ok := r.last(); ok {
			p, err := loadProgress(ctx, r.table, last)
			if err != nil {
				return p, err
			}
			if !p.over() && r.Breakdowns && last.Erase.Breakdowns == nil {
				return p, fmt.Errorf("an erasure without breakdowns, revision %d, is under way: run the command without "+
					"--include-breakdowns until it is done, and then with it", last.Rev)
			}
			if !p.over() {
				return r.resumed(p), r.publish(ctx)
			}
		}
		until, err := r.until(ctx)
		if err != nil {
			return progress{}, err
		}
		c := sites.Revision{At: r.Now().UnixMilli(), Site: r.Site, Rules: r.log.At(r.log.Rev()).Site(r.Site),
			Erase: &sites.Erasure{Person: r.Person, Hash: r.hash, Until: until, Breakdowns: r.breakdowns()}}
		after, err := sites.AppendLog(ctx, r.table, sinks.Keys{}, r.log, c)
		if errors.Is(err, sites.ErrBehind) {
			if r.log, err = sites.ReadLog(ctx, r.table, sinks.Keys{}, r.log); err != nil {
				return progress{}, err
			}
			continue
		}
		if err != nil {
			return progress{}, err
		}
		r.log = after
		if err := r.publish(ctx); err != nil {
			return progress{}, err
		}
		c, _ = r.last()
		return loadProgress(ctx, r.table, c)
	}
	return progress{}, fmt.Errorf("site %q: other commands changed site settings %d times in between; nothing was changed: repeat the command",
		r.Site, maxConflicts)
}

// breakdowns returns what the tombstone says of breakdowns.
func (r *run) breakdowns() *uint64 {
	if !r.Breakdowns {
		return nil
	}
	hash := r.hasher.Visitor('v', []byte(r.ID))
	return &hash
}

// publish has readers see the site's rules as of their last revision, which may be the tombstone's.
func (r *run) publish(ctx context.Context) error {
	return sites.PublishSite(ctx, r.table, sinks.Keys{}, r.Site, r.log.History(r.Site))
}

// resumed is the progress that a run continues from: chains that were not waited for may have come back.
func (r *run) resumed(p progress) progress {
	if p.State == Done {
		p.State = Swept
	}
	return p
}

// last returns the person's last tombstone.
func (r *run) last() (sites.Revision, bool) {
	for _, c := range slices.Backward(r.log.History(r.Site)) {
		if c.Erase != nil && c.Erase.Person == r.Person && c.Erase.Hash == r.hash {
			return c, true
		}
	}
	return sites.Revision{}, false
}

// leastAhead is how far ahead of the clock events are erased at least.
const leastAhead = 10 * time.Minute

// until is up to which event time the person is erased: so far ahead as any chain has let events be ahead of their records.
func (r *run) until(ctx context.Context) (int64, error) {
	if !r.Until.IsZero() {
		return r.Until.UnixMilli(), nil
	}
	ahead := leastAhead.Milliseconds()
	chains, err := r.watch.chains(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range chains {
		for _, ver := range c.settings {
			s, err := checkpoint.ParseSettings(ver)
			if err != nil {
				return 0, err
			}
			ahead = max(ahead, s.EarlyMs)
		}
	}
	return r.Now().UnixMilli() + ahead, nil
}
