package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// planOf returns the revisions of a site in the new table: those of the old one in order, all of a deleted site, and one more under which
// it is there. zone is what the site's entry fixes in the old table; the rules say it in the new one.
func planOf(history []sites.Revision, zone sites.Zone) (plan []sites.Revision) {
	for _, c := range history {
		c.Rules, c.Rev, c.Always = c.Rules.In(zone).Clone(), 0, false
		if !c.Rules.Deleted() {
			c.Rules.DeletedAt = max(c.At, 1)
		}
		plan = append(plan, c)
	}
	last := plan[len(plan)-1]
	last.Rules, last.Erase = last.Rules.Clone(), nil
	last.Rules.DeletedAt = 0
	return append(plan, last)
}

// decided returns the site's revisions in the new table, if they are the first ones of the plan. If there are none, the table has nothing
// of the site.
func (r *run) decided(ctx context.Context) (done []sites.Revision, err error) {
	for range 2 { // Another run may begin in between.
		log, unread := sites.ReadLog(ctx, r.to, sinks.Keys{}, nil)
		if unread != nil {
			return nil, unread
		}
		if done, unread = r.among(ctx, log); unread != nil || len(done) > 0 {
			return done, unread
		}
		if err = r.untouched(ctx); err == nil {
			return nil, nil
		}
	}
	return nil, err
}

// among finds them in the log.
func (r *run) among(ctx context.Context, log *sites.Log) (done []sites.Revision, err error) {
	for _, c := range sites.SincePurge(log.History(r.Site)) {
		switch i := len(done); {
		case c.Purge:
			last, err := purge.LastOf(ctx, r.to, log)
			if err == nil && !last[r.Site].Done {
				err = &sites.PurgingError{Site: r.Site}
			}
			if err != nil {
				return nil, err
			}
		case i >= len(r.plan): // It has moved, and was changed since.
		case !same(c, r.plan[i]):
			return nil, fmt.Errorf("the new table has other settings of site %q, since revision %d: a site can only be moved to where nothing of "+
				"it was counted and decided; run footfall site purge there if they may go", r.Site, c.Rev)
		default:
			done = append(done, c)
		}
	}
	return done, nil
}

// same reports whether a revision is that of the plan.
func same(c, plan sites.Revision) bool {
	erase := func(c sites.Revision) string {
		if c.Erase == nil {
			return ""
		}
		return c.Erase.String()
	}
	return c.At == plan.At && c.Rules.String() == plan.Rules.String() && erase(c) == erase(plan)
}

// decide appends revisions of the plan up to n of them, and publishes the last.
func (r *run) decide(ctx context.Context, n int) ([]sites.Revision, error) {
	log, err := sites.ReadLog(ctx, r.to, sinks.Keys{}, nil)
	if err != nil {
		return nil, err
	}
	if len(log.History(r.Site)) == 0 {
		claimed, err := sinks.ClaimSite(ctx, r.to, sinks.Keys{}, r.Site, time.UnixMilli(r.plan[0].At))
		if err == nil && !claimed {
			err = fmt.Errorf("events of site %q have just come to the new table: run footfall site purge there, or refuse them by its settings "+
				"sites.accept", r.Site)
		}
		if err != nil {
			return nil, err
		}
	}
	for {
		done, err := r.among(ctx, log)
		if err != nil {
			return nil, err
		}
		if len(done) >= n {
			return done, r.publish(ctx, log)
		}
		c := r.plan[len(done)]
		c.Always = len(log.History(r.Site)) == 0
		after, err := sites.AppendLog(ctx, r.to, sinks.Keys{}, log, c)
		if errors.Is(err, sites.ErrBehind) {
			after, err = sites.ReadLog(ctx, r.to, sinks.Keys{}, log)
		}
		if err != nil {
			return nil, err
		}
		log = after
	}
}

// publish has readers and workers see the site, and where its raw events may be.
func (r *run) publish(ctx context.Context, log *sites.Log) error {
	if err := sites.PublishSite(ctx, r.to, sinks.Keys{}, r.Site, log.History(r.Site)); err != nil {
		return err
	}
	key := sinks.Keys{}.SiteEntry(r.Site)
	found, err := sinks.Get(ctx, r.from, key)
	if err != nil {
		return err
	}
	u := sinks.Update{Key: key, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}}
	for _, name := range []string{sinks.AttrRawItems, sinks.AttrRawPacks} {
		if v := found[key][name]; v.Kind() != sinks.None {
			u.Set = append(u.Set, sinks.Attr{Name: name, Value: v})
		}
	}
	if len(u.Set) > 0 {
		_, err = r.to.Update(ctx, u)
	}
	return err
}
