package scope

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Rulebook is what was decided about sites, as of each revision, and the settings of steps.
type Rulebook struct {
	*Scope
	Rules     *sites.Log
	Zones     map[string]count.FirstZone // that entries in the list of sites fix, by site; UTC is left out
	revs      []int64                    // revisions that steps were folded under, in order
	usedTo    int64                      // steps may have had any revision up to this one: the history of a chain was merged; 0: none was
	settings  map[string]*checkpoint.Settings
	used      map[string]rulesUsed      // by site
	swept     map[int64]bool            // by revision, the erasures that are done
	purges    map[string]purge.Last     // by site
	standings map[ruledAt]standing      // of records so far
	paths     map[string]*regexp.Regexp // of excluded paths
}

// New returns an empty one for the sites of a part.
func New(o Options, p Part) *Rulebook {
	o.Table = patience.Reads(o.Table)
	return &Rulebook{Scope: &Scope{Opts: o, Keys: o.Keys, Hashes: p}, settings: make(map[string]*checkpoint.Settings),
		used: make(map[string]rulesUsed), standings: make(map[ruledAt]standing)}
}

// ReadRules reads what was appended to the rules of sites. It comes after the checkpoints, which name revisions.
func (v *Rulebook) ReadRules(ctx context.Context) error {
	log, err := sites.ReadLog(ctx, v.Opts.Table, v.Keys, v.Rules)
	if err == nil {
		v.Rules = log
	}
	return err
}

// ReadZones reads which zones the list of sites fixes. It comes after the checkpoints: a site is listed before a flush counts it, and what
// an entry fixes never changes.
func (v *Rulebook) ReadZones(ctx context.Context) error {
	if v.Zones == nil {
		v.Zones = make(map[string]count.FirstZone)
	}
	take := func(it sinks.Item) { // What is wrong with it, judgeSite finds.
		first := count.FirstZone{}
		name := it[sinks.AttrZone].Str()
		for _, z := range ZoneMarks(it) {
			if z.Generation == v.Keys.Generation {
				name, first.Until = z.Name, z.Until
			}
		}
		if loc, err := sites.LoadZone(name); err == nil && (loc != time.UTC || first.Until > 0) {
			first.Loc = loc
			v.Zones[sinks.ListedSite(it)] = first
		}
	}
	if site := v.Opts.Site; site != "" {
		found, err := v.Load(ctx, []sinks.Key{v.Keys.SiteEntry(site)})
		if err != nil {
			return fmt.Errorf("read the entry of site %q in the list of sites: %w", site, err)
		}
		take(found[v.Keys.SiteEntry(site)])
		return nil
	}
	for nn := range sinks.SiteListShards {
		for it, err := range v.Items(ctx, sinks.Query{PK: v.Keys.SiteList(nn)}) {
			if err != nil {
				return fmt.Errorf("read the zones of the list of sites: %w", err)
			}
			take(it)
		}
	}
	return nil
}

// DaySpan returns the span of a site's day.
func (v *Rulebook) DaySpan(site string, day int64) (from, to int64) {
	fixed := sites.Zone{}
	if first := v.Zones[site]; first.Loc != nil {
		fixed = sites.FirstZone(first.Loc.String(), first.Until)
	}
	return v.Rules.DaySpan(site, fixed, day)
}

// A ZoneMark is the zone of a generation in a site's entry.
type ZoneMark struct {
	Generation int
	Until      int64 // zones of rules replace it if they begin later, ms since the epoch
	Name       string
}

// ZoneMarks reads them. Generation is 0 where the text is none.
func ZoneMarks(entry sinks.Item) (all []ZoneMark) {
	for _, text := range strings.Fields(entry[sinks.AttrGenerationZones].Str()) {
		var z ZoneMark
		if _, err := fmt.Sscanf(text, "%d:%d:%s", &z.Generation, &z.Until, &z.Name); err != nil {
			z.Generation = 0
		}
		all = append(all, z)
	}
	return all
}

// RulesOf returns the rules as of a revision that a chain names, and notes that they were used.
func (v *Rulebook) RulesOf(rev int64) (sites.View, error) {
	if rev < 0 || rev > v.Rules.Rev() {
		return sites.View{}, fmt.Errorf("a flush used revision %d of the site settings, and the table has %d: was a revision "+
			"deleted, or the table restored?", rev, v.Rules.Rev())
	}
	if i, found := slices.BinarySearch(v.revs, rev); !found {
		v.revs = slices.Insert(v.revs, i, rev)
	}
	return v.Rules.At(rev), nil
}

// UsedTo notes that steps may have been folded under any revision up to this one.
func (v *Rulebook) UsedTo(rev int64) { v.usedTo = max(v.usedTo, rev) }

// ruledBy returns all rules of a site under which any step was folded, once or twice; nil stands for none.
func (v *Rulebook) ruledBy(site string) (all []*sites.Rules) {
	from, history := int64(0), v.Rules.History(site)
	for i, rules := range v.everRuled(site) { // Up to the site's next revision.
		to := int64(math.MaxInt64)
		if i < len(history) {
			to = history[i].Rev
		}
		if n, _ := slices.BinarySearch(v.revs, from); n < len(v.revs) && v.revs[n] < to || from > 0 && from <= v.usedTo {
			all = append(all, rules)
		}
		from = to
	}
	return all
}

// WrittenUnder returns all rules of a site under which raw events may have been written, once each: those of every revision, since
// a process may have used any that ended before it began a step. Only one goroutine may call it.
func (v *Rulebook) WrittenUnder(site string) []*sites.Rules {
	now := rulesUsed{rev: v.Rules.Rev()}
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
func (v *Rulebook) everRuled(site string) []*sites.Rules {
	all := []*sites.Rules{sites.FirstRules(v.Rules.History(site))}
	for _, c := range v.Rules.History(site) {
		all = append(all, c.Rules)
	}
	return all
}

// Zoned reports whether a site has ever had another zone than UTC.
func (v *Rulebook) Zoned(site string) bool {
	return v.Zones[site].Loc != nil ||
		slices.ContainsFunc(v.everRuled(site), func(s *sites.Rules) bool { return s != nil && len(s.Zones) > 0 })
}

// standing is what has been decided about a site as of a revision.
type standing uint8

const (
	unregistered standing = iota
	Registered
	Deleted
)

// ruledAt is a site as of a revision.
type ruledAt struct {
	site              string
	rev, own, counted int64
}

// maxStandings is how many of them are remembered.
const maxStandings = 1 << 16

// Standing is what a site was as of a revision.
func (v *Rulebook) Standing(site string, view sites.View) (s standing) {
	rev := view.Ruled()
	at := ruledAt{site, rev, view.Rev, view.Counted()}
	if len(v.Rules.History(site)) == 0 {
		return unregistered
	}
	if s, ok := v.standings[at]; ok {
		return s
	}
	if len(v.standings) == maxStandings {
		clear(v.standings)
	}
	defer func() { v.standings[at] = s }()
	for _, c := range v.Rules.History(site) {
		if c.Rev > rev {
			break
		}
		switch {
		case c.Rules.Empty():
			s = unregistered
		case c.Rules.DeletedAt != 0:
			s = Deleted
		default:
			s = Registered
		}
	}
	for _, c := range v.Rules.History(site) {
		if c.Purge && at.counted < c.Rev && c.Rev <= at.own { // The step repeats what was purged since it was counted.
			s = Deleted
		}
	}
	return s
}

// SettingsOf reads the settings that a step has recorded.
func (v *Rulebook) SettingsOf(ver string) (*checkpoint.Settings, error) {
	if s := v.settings[ver]; s != nil {
		return s, nil
	}
	s, err := checkpoint.ParseSettings(ver)
	if err != nil {
		return nil, err
	}
	v.settings[ver] = &s
	return &s, nil
}

// GoalsOf yields the ids of all goals that a site has ever had; some twice.
func (v *Rulebook) GoalsOf(site string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range sites.SincePurge(v.Rules.History(site)) {
			if c.Rules == nil {
				continue
			}
			for _, g := range c.Rules.Goals {
				if !yield(g.ID) {
					return
				}
			}
		}
	}
}
