package rebuild

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// FixZones writes into the entries of sites which zone the generation that is being built has from the beginning on, if decisions up to an
// instant hold for all of it. It must have returned before anything is counted. It may be repeated, with the same result: it uses the
// revisions of that time.
func FixZones(ctx context.Context, table sinks.Table, has sinks.Generations) error {
	until, keys := kept.ZonesDecidedBy(has, has.Building), has.BuildingKeys()
	if until == 0 {
		return nil
	}
	return eachRuled(ctx, table, until, func(site string, rules *sites.Rules) error {
		zone := sites.GenerationZone(keys, rules, until)
		return changeZones(ctx, table, site, func(text string) string {
			if zone == "" || without(text, keys.Generation) != text {
				return text
			}
			return with(text, zone)
		})
	})
}

// zones deletes the zones of the generation that is dropped from the entries of sites. It reads no rules: a copy may lack some.
func (d *dropping) zones(ctx context.Context, has sinks.Generations) error {
	if kept.ZonesDecidedBy(has, has.Dropping) == 0 {
		return nil
	}
	return eachSite(ctx, query.NewOf(d.table, d.keys, time.Now), func(site string) error {
		return changeZones(ctx, d.table, site, func(text string) string { return without(text, has.Dropping) })
	})
}

// eachRuled calls do for each site that had more than one zone at an instant, with its rules of then.
func eachRuled(ctx context.Context, table sinks.Table, at int64, do func(site string, rules *sites.Rules) error) (err error) {
	log, err := sites.ReadLog(ctx, table, sinks.Keys{}, nil)
	if err != nil {
		return err
	}
	log.Sites(func(site string) {
		var rules *sites.Rules
		for _, c := range sites.SincePurge(log.History(site)) {
			if c.At <= at {
				rules = c.Rules
			}
		}
		if err == nil && rules.ChangesZone() {
			err = do(site, rules)
		}
	})
	return err
}

// changeZones changes the zones of generations that a site's entry has. A site without an entry has no events.
func changeZones(ctx context.Context, table sinks.Table, site string, change func(text string) string) error {
	key := sinks.Keys{}.SiteEntry(site)
	found, err := sinks.Get(ctx, table, key)
	if err != nil {
		return err
	}
	for entry := found[key]; entry != nil; {
		text := entry[sinks.AttrGenerationZones].Str()
		next := change(text)
		if next == text {
			return nil
		}
		u := sinks.Update{Key: key, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}}
		if text == "" {
			u.If = append(u.If, sinks.Cond{Attr: sinks.AttrGenerationZones, Op: sinks.Absent})
		} else {
			u.If = append(u.If, sinks.Cond{Attr: sinks.AttrGenerationZones, Op: sinks.Equal, Value: sinks.Str(text)})
		}
		if next == "" {
			u.Remove = []string{sinks.AttrGenerationZones}
		} else {
			u.Set = []sinks.Attr{{Name: sinks.AttrGenerationZones, Value: sinks.Str(next)}}
		}
		r, err := table.Update(ctx, u)
		if err != nil {
			return fmt.Errorf("site %q: its zone in generations of items: %w", site, err)
		}
		if !r.Refused {
			return nil
		}
		entry = r.Item
	}
	return nil
}
