package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/sinks"
)

// scanners is how many sites are read at a time, and maxPending after how many subjects that did not agree these are read again.
const (
	scanners   = 8
	maxPending = 10_000
)

// scan reads every item of every site and judges it, and judges what the table lacks. What does not agree is left
// for settle.
func (v *verifier) scan(ctx context.Context) error {
	sites, err := v.sites(ctx)
	if err != nil {
		return err
	}
	for at := 0; at < len(sites); at += scanners {
		group, gctx := errgroup.WithContext(ctx)
		for _, site := range sites[at:min(at+scanners, len(sites))] {
			group.Go(func() error { return v.scanSite(gctx, site) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if len(v.pending) > maxPending {
			if err := v.settle(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdicts is how many items, or records, have been compared, found to differ or to move, or left out.
func (v *verifier) verdicts() int64 {
	n := v.report.ComparedCount + v.report.DifferenceCount + v.report.UnsettledCount
	for _, left := range v.report.LeftOut {
		n += left
	}
	return n
}

// checkSite notes that the site that was asked for is known to nobody: neither the list of sites nor the recount has it,
// and since there were so many verdicts, on chains, none was added by an item of it.
func (v *verifier) checkSite(verdicts int64) {
	if v.opts.Site == "" || v.siteKnown || v.verdicts() > verdicts {
		return
	}
	v.report.UnknownSite = true
	v.report.Note = fmt.Sprintf("neither the table nor the log has anything of site %s: `footfall query sites` lists those there are",
		quote(v.opts.Site))
}

// scanNewSites judges how many sites each chain has admitted.
func (v *verifier) scanNewSites(ctx context.Context) error {
	seen := make(map[sinks.Key]bool)
	pk, prefix := v.keys.NewSitesOf(v.number)
	for it, err := range v.items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return fmt.Errorf("read how many sites are new: %w", err)
		}
		seen[it.Key()] = true
		if s, ok := v.newSitesAt(it.Key()); ok {
			v.weigh(s, []sinks.Item{it})
		} else {
			v.unexplained(kindNewSites, "", it)
		}
	}
	for id, c := range v.chains {
		if !seen[v.keys.NewSites(c.tp, id.Lane)] {
			v.weigh(subject{kind: kindNewSites, tp: c.tp, id: id.Lane}, nil)
		}
	}
	return nil
}

// newSitesAt returns which chain counts its new sites in the item of that key; ok is false when none does.
func (v *verifier) newSitesAt(key sinks.Key) (s subject, ok bool) {
	for id, c := range v.chains {
		if v.keys.NewSites(c.tp, id.Lane) == key {
			return subject{kind: kindNewSites, tp: c.tp, id: id.Lane}, true
		}
	}
	return subject{}, false
}

// sites reads the list of sites, judges its entries, and returns all sites that the list, the log or the rules know.
func (v *verifier) sites(ctx context.Context) ([]string, error) {
	seen := make(map[string]bool)
	for nn := range sinks.SiteListShards {
		for it, err := range v.items(ctx, sinks.Query{PK: v.keys.SiteList(nn)}) {
			if err != nil {
				return nil, fmt.Errorf("read the list of sites: %w", err)
			}
			site := it[sinks.AttrSiteID].Str()
			if key := it.Key(); key != v.keys.SiteEntry(site) {
				if v.opts.Site == "" && v.hashes.first() {
					v.differ(Difference{Kind: kindSite, PK: key.PK, SK: key.SK, Attribute: sinks.AttrSiteID, Table: quote(site),
						Recount: "the site that the key spells"})
				}
				continue
			}
			if v.wants([]byte(site)) {
				seen[site] = true
				v.weigh(subject{kind: kindSite, site: site}, []sinks.Item{it})
			}
		}
	}
	for _, c := range v.chains {
		var known []string
		if c.stats != nil {
			for site := range c.stats.sites {
				known = append(known, site)
			}
		} else {
			for site := range c.realtime.sites {
				known = append(known, site)
			}
		}
		for site := range c.admitted.sites {
			if v.wants([]byte(site)) {
				known = append(known, site)
			}
		}
		for _, site := range known {
			if !seen[site] {
				seen[site] = true
				v.weigh(subject{kind: kindSite, site: site}, nil)
			}
		}
	}
	v.rules.Sites(func(site string) {
		if v.wants([]byte(site)) && !seen[site] {
			seen[site] = true
			v.weigh(subject{kind: kindSite, site: site}, nil)
		}
	})
	if v.opts.Site != "" {
		v.siteKnown = seen[v.opts.Site]
		seen[v.opts.Site] = true
	}
	var sites []string
	for site := range seen {
		sites = append(sites, site)
	}
	slices.Sort(sites)
	return sites, nil
}

// scanSite reads all partitions of a site.
func (v *verifier) scanSite(ctx context.Context, site string) error {
	parts := []list{everything(v.keys.Site(site), siteLists), everything(v.keys.RecentList(site), recentLists),
		everything(v.keys.UniquesList(site), sealedUniques), everything(v.keys.BreakdownList(site), sealedTops)}
	for nn := range sinks.MaxShards { // An item of a shard that the site does not have is nobody's, and readers may find it.
		parts = append(parts, v.shardLists(v.keys.Shard(site, nn))...)
	}
	seen := make(map[subject]bool)
	recent := make(map[subject][]sinks.Item)
	var sealed []subject
	spelled := v.spelledSessions(site)
	dates := make(map[int64]bool)
	open := func(hour int64) { // What else is kept of an hour lies under the key of its date.
		for date := range sinks.DaysOfHours(hour, hour+1) {
			if !dates[date] {
				dates[date] = true
				parts = append(parts, list{journal: &lateDate{site, date}}, everything(v.keys.UniquesOfDay(site, date), uniquesLists),
					everything(v.keys.BreakdownOfDay(site, date), breakdownLists))
			}
		}
	}
	for s := range v.explained(site) {
		if s.kind == kindHour || s.kind == kindUniques || s.kind == kindBreakdown {
			open(s.at)
		}
	}
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if p.journal != nil {
			if err := v.readJournal(ctx, *p.journal); err != nil {
				return err
			}
			continue
		}
		for it, err := range v.items(ctx, p.query) {
			if err != nil {
				return fmt.Errorf("site %q: read its items: %w", site, err)
			}
			kind := p.kindOf(it.Key().SK)
			switch kind {
			case kindFunnel:
				v.compareFunnel(site, it)
				continue
			case kindLate: // Read before the items of its hours.
				continue
			}
			s, ok := v.subjectOf(kind, site, it, spelled)
			if ok && s.kind == kindHour {
				open(s.at)
			}
			switch {
			case !ok:
				v.unexplained(kind, site, it)
			case !v.chosen(s, it):
			case s.sealed():
				sealed = append(sealed, s)
			case s.kind == kindRecent:
				recent[s] = append(recent[s], it)
			default:
				if s.kind != kindEvent { // Those are remembered in the recount.
					seen[s] = true
				}
				v.weigh(s, []sinks.Item{it})
			}
		}
	}
	for s, items := range recent {
		seen[s] = true
		v.weigh(s, items)
	}
	for s := range v.explained(site) {
		if !seen[s] && v.chosen(s, nil) {
			seen[s] = true // Several partitions may know of an hour.
			v.weigh(s, nil)
		}
	}
	v.missingEvents(site)
	return v.scanSealed(ctx, sealed)
}

// eventQuery selects the raw events of a shard in the span of event time that is verified.
func (v *verifier) eventQuery(pk string) sinks.Query {
	if v.opts.From.IsZero() && v.opts.To.IsZero() {
		return sinks.Query{PK: pk, Prefix: sinks.EventPrefix}
	}
	q := sinks.Query{PK: pk, From: sinks.EventPrefix, To: sinks.EventPrefix + "~"}
	var id ulid.ULID
	if !v.opts.From.IsZero() && id.SetTime(uint64(max(0, v.opts.From.UnixMilli()))) == nil {
		q.From = sinks.EventPrefix + id.String()
	}
	if !v.opts.To.IsZero() && id.SetTime(uint64(max(0, v.opts.To.UnixMilli()))) == nil {
		q.To = sinks.EventPrefix + id.String()
	}
	return q
}

// weigh judges a subject that was read once. What does not agree may have moved: settle reads it again.
func (v *verifier) weigh(s subject, items []sinks.Item) {
	j := v.judge(s, items)
	if !v.accept(s, j) {
		v.mu.Lock()
		v.pending = append(v.pending, s)
		v.mu.Unlock()
	}
}

// accept counts what needs no second look; false: it may have moved.
func (v *verifier) accept(s subject, j judgement) bool {
	switch {
	case j.nothing:
	case j.leftOut != "":
		v.leaveOut(j.leftOut, s.kind)
	case len(j.differences) > 0 || j.ahead:
		return false
	default:
		v.count(s.kind)
		if j.partly != "" {
			v.leaveOut(j.partly, s.kind)
		}
	}
	return true
}

// unexplained reports an item that no key template spells.
func (v *verifier) unexplained(kind, site string, it sinks.Item) {
	if it.Expired(v.now()) {
		v.leaveOut(becauseRetention, kind)
		return
	}
	if kind == kindSession && it[sinks.AttrErased].Kind() != sinks.None { // It has lost the id that the key spells.
		v.leaveOut(becauseErased, kind)
		return
	}
	key := it.Key()
	v.differ(Difference{Kind: kind, PK: key.PK, SK: key.SK, Attribute: whole, Table: summary(it), Recount: absent})
}

// missingEvents judges the raw events of a site that its scan has not seen.
func (v *verifier) missingEvents(site string) {
	if v.opts.SkipRaw {
		return
	}
	for key, e := range v.raw.sites[site] {
		if e.required && !e.seen {
			v.weigh(subject{kind: kindEvent, site: site, raw: key}, nil)
		}
	}
}

// explained yields every subject of a site, raw events aside, that the log or the rules know something of.
func (v *verifier) explained(site string) func(yield func(subject) bool) {
	return func(yield func(subject) bool) {
		if len(v.rules.History(site)) > 0 && !yield(subject{kind: kindMetadata, site: site}) {
			return
		}
		for id := range v.goalsOf(site) {
			if !yield(subject{kind: kindGoal, site: site, id: id}) {
				return
			}
		}
		for _, c := range v.chains {
			var all []subject
			if c.stats != nil {
				all = c.statsSubjects(site)
			} else if known := c.realtime.sites[site]; known != nil {
				for at := range known.live {
					all = append(all, subject{kind: kindRealtime, site: site, at: at, tp: c.tp})
				}
				for at := range known.expired {
					all = append(all, subject{kind: kindRealtime, site: site, at: at, tp: c.tp})
				}
			}
			for _, s := range all {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func (c *chain) statsSubjects(site string) (all []subject) {
	known := c.stats.site(site)
	if known == nil {
		return nil
	}
	for at := range known.hours {
		all = append(all, subject{kind: kindHour, site: site, at: at}, subject{kind: kindUniques, site: site, at: at, tp: c.tp})
	}
	for at := range known.breakdowns {
		all = append(all, subject{kind: kindBreakdown, site: site, at: at, tp: c.tp})
	}
	for at := range known.days {
		all = append(all, subject{kind: kindDay, site: site, at: at})
	}
	for id := range known.sessions {
		all = append(all, subject{kind: kindSession, site: site, id: id, tp: c.tp})
	}
	for id := range known.visitors {
		all = append(all, subject{kind: kindVisitor, site: site, id: id, tp: c.tp})
	}
	for of := range known.conversions {
		all = append(all, subject{kind: kindConversion, site: site, id: of.session, goal: of.goal, tp: c.tp})
	}
	if len(known.budget) > 0 {
		all = append(all, subject{kind: kindBudget, site: site, tp: c.tp})
	}
	for at := range known.opened {
		all = append(all, subject{kind: kindRecent, site: site, at: at, tp: c.tp})
	}
	return all
}
