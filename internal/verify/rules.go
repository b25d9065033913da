package verify

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// rulebook is what was decided about sites, as of each revision, and the settings of steps.
type rulebook struct {
	*scope
	rules     *sites.Log
	zones     map[string]*time.Location // that entries in the list of sites fix, by site; UTC is left out
	revs      []int64                   // revisions that steps were folded under, in order
	settings  map[string]*checkpoint.Settings
	used      map[string]rulesUsed      // by site
	swept     map[int64]bool            // by revision, the erasures that are done
	standings map[ruledAt]standing      // of records so far
	paths     map[string]*regexp.Regexp // of excluded paths
}

// newRulebook returns an empty one for the sites of a part.
func newRulebook(o Options, p part) *rulebook {
	o.Table = patience.Reads(o.Table)
	return &rulebook{scope: &scope{opts: o, keys: o.Keys, hashes: p}, settings: make(map[string]*checkpoint.Settings),
		used: make(map[string]rulesUsed), standings: make(map[ruledAt]standing)}
}

// readRules reads what was appended to the rules of sites. It comes after the checkpoints, which name revisions.
func (v *rulebook) readRules(ctx context.Context) error {
	log, err := sites.ReadLog(ctx, v.opts.Table, v.keys, v.rules)
	if err == nil {
		v.rules = log
	}
	return err
}

// readZones reads which zones the list of sites fixes. It comes after the checkpoints: a site is listed before a flush counts it, and what
// an entry fixes never changes.
func (v *rulebook) readZones(ctx context.Context) error {
	if v.zones == nil {
		v.zones = make(map[string]*time.Location)
	}
	take := func(it sinks.Item) {
		if loc, err := sites.LoadZone(it[sinks.AttrZone].Str()); err == nil && loc != time.UTC { // What is wrong with it, judgeSite finds.
			v.zones[sinks.ListedSite(it)] = loc
		}
	}
	if site := v.opts.Site; site != "" {
		found, err := v.get(ctx, []sinks.Key{v.keys.SiteEntry(site)})
		if err != nil {
			return fmt.Errorf("read the entry of site %q in the list of sites: %w", site, err)
		}
		take(found[v.keys.SiteEntry(site)])
		return nil
	}
	for nn := range sinks.SiteListShards {
		for it, err := range v.items(ctx, sinks.Query{PK: v.keys.SiteList(nn)}) {
			if err != nil {
				return fmt.Errorf("read the zones of the list of sites: %w", err)
			}
			if it[sinks.AttrZone].Kind() != sinks.None {
				take(it)
			}
		}
	}
	return nil
}

// daySpan returns the span of a site's day.
func (v *rulebook) daySpan(site string, day int64) (from, to int64) {
	fixed := sites.Zone{}
	if loc := v.zones[site]; loc != nil {
		fixed.Name = loc.String()
	}
	return v.rules.DaySpan(site, fixed, day)
}

// rulesOf returns the rules as of a revision that a chain names, and notes that they were used.
func (v *rulebook) rulesOf(rev int64) (sites.View, error) {
	if rev < 0 || rev > v.rules.Rev() {
		return sites.View{}, fmt.Errorf("a flush used revision %d of the site settings, and the table has %d: was a revision "+
			"deleted, or the table restored?", rev, v.rules.Rev())
	}
	if i, found := slices.BinarySearch(v.revs, rev); !found {
		v.revs = slices.Insert(v.revs, i, rev)
	}
	return v.rules.At(rev), nil
}

// ruledBy returns all rules of a site under which any step was folded, once or twice; nil stands for none.
func (v *rulebook) ruledBy(site string) (all []*sites.Rules) {
	from, history := int64(0), v.rules.History(site)
	for i, rules := range v.everRuled(site) { // Up to the site's next revision.
		to := int64(math.MaxInt64)
		if i < len(history) {
			to = history[i].Rev
		}
		if n, _ := slices.BinarySearch(v.revs, from); n < len(v.revs) && v.revs[n] < to {
			all = append(all, rules)
		}
		from = to
	}
	return all
}

// writtenUnder returns all rules of a site under which raw events may have been written, once each: those of every revision, since
// a process may have used any that ended before it began a step. Only one goroutine may call it.
func (v *rulebook) writtenUnder(site string) []*sites.Rules {
	now := rulesUsed{rev: v.rules.Rev()}
	if used := v.used[site]; used.rev == now.rev && used.all != nil {
		return used.all
	}
	for _, s := range v.everRuled(site) {
		if !slices.ContainsFunc(now.all, func(o *sites.Rules) bool { return s.String() == o.String() }) {
			now.all = append(now.all, s)
		}
	}
	v.used[site] = now
	return now.all
}

// rulesUsed are rules of a site, as of the last revision.
type rulesUsed struct {
	rev int64
	all []*sites.Rules
}

// everRuled returns all rules that a site has ever had; nil stands for none.
func (v *rulebook) everRuled(site string) []*sites.Rules {
	all := []*sites.Rules{sites.FirstRules(v.rules.History(site))}
	for _, c := range v.rules.History(site) {
		all = append(all, c.Rules)
	}
	return all
}

// zoned reports whether a site has ever had another zone than UTC.
func (v *rulebook) zoned(site string) bool {
	return v.zones[site] != nil || slices.ContainsFunc(v.everRuled(site), func(s *sites.Rules) bool { return s != nil && len(s.Zones) > 0 })
}

// expiry returns the times to live that an item may carry, under any settings that the chains had and the site's
// own: end is where its bucket ends, in milliseconds; attr names the retention. gone means that it has expired
// under one of them.
func (v *rulebook) expiry(site, attr string, end int64) (gone bool, allowed []sinks.Value) {
	ruled := v.ruledBy(site)
	for _, s := range v.settings {
		for _, own := range ruled {
			days := own.DaysOf(attr, retentionOf(s, attr))
			if days == checkpoint.Never {
				allowed = append(allowed, sinks.Value{})
				continue
			}
			ttl := end/1000 + days*86400
			allowed = append(allowed, sinks.Int(ttl))
			if end%1000 != 0 {
				allowed = append(allowed, sinks.Int(ttl+1)) // Rounded up.
			}
			gone = gone || ttl <= v.now()
		}
	}
	return gone, allowed
}

func retentionOf(s *checkpoint.Settings, attr string) int64 {
	switch attr {
	case sinks.AttrRawDays:
		return s.Retention.RawDays
	case sinks.AttrSessionDays:
		return s.Retention.SessionDays
	case sinks.AttrHourDays:
		return s.Retention.HourDays
	}
	return s.Retention.DayDays
}
