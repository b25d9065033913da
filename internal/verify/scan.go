package verify

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// scanners is how many sites are read at a time, and maxPending after how many subjects that did not agree these are read again.
const (
	scanners   = 8
	maxPending = 10_000
)

// scanner finds what is to be compared.
type scanner struct {
	*judges
	siteKnown bool // the list of sites or the recount has Options.Site

	mu      sync.Mutex // covers pending: sites are scanned side by side
	pending []subject  // that did not agree
}

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
			group.Go(func() error { return newSiteScan(v.scanner, site).run(gctx) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		v.scanned(min(at+scanners, len(sites)), len(sites))
		if len(v.pending) > maxPending {
			if err := v.settle(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSite notes that the requested site is unknown: neither the list of sites nor the recount has it, and no item of it has added
// to the verdicts that there were on chains.
func (v *scanner) checkSite(verdicts int64) {
	if v.opts.Site == "" || v.siteKnown || v.verdicts() > verdicts {
		return
	}
	v.report.UnknownSite = true
	v.report.Note = fmt.Sprintf("site %s is in neither the table nor the topic: `footfall query sites` lists all sites",
		quote(v.opts.Site))
}

// scanNewSites judges how many sites each chain has admitted.
func (v *scanner) scanNewSites(ctx context.Context) error {
	seen := make(map[subject]bool)
	pk, prefix := v.keys.NewSitesOf(v.number)
	for it, err := range v.items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return fmt.Errorf("read how many sites are new: %w", err)
		}
		s, ok := v.subjectOf(kindNewSites, "", it, nil)
		if seen[s] = true; ok && v.chains[checkpoint.ChainID{Partition: s.tp.Partition, Lane: s.id}] != nil {
			v.weigh(s, []sinks.Item{it})
		} else {
			v.unexplained(kindNewSites, "", it)
		}
	}
	for id, c := range v.chains {
		if s := (subject{kind: kindNewSites, tp: c.tp, id: id.Lane}); !seen[s] {
			v.weigh(s, nil)
		}
	}
	return nil
}

// sites reads the list of sites, judges its entries, and returns all sites that the list, the log or the rules know.
func (v *scanner) sites(ctx context.Context) ([]string, error) {
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
	for site := range v.recountedSites() {
		if v.wants([]byte(site)) && !seen[site] {
			seen[site] = true
			v.weigh(subject{kind: kindSite, site: site}, nil)
		}
	}
	if v.opts.Site != "" {
		v.siteKnown = seen[v.opts.Site]
		seen[v.opts.Site] = true
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

// recountedSites yields the sites that the log or the rules know; some more than once.
func (v *model) recountedSites() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		one := func(site string) { more = more && yield(site) }
		for _, c := range v.chains {
			for site := range c.admitted.sites {
				one(site)
			}
			if c.stats != nil {
				for site := range c.stats.sites {
					one(site)
				}
				continue
			}
			for site := range c.realtime.sites {
				one(site)
			}
		}
		v.rules.Sites(one)
	}
}

// weigh judges a subject that was read once. What does not agree may have moved: settle reads it again.
func (v *scanner) weigh(s subject, items []sinks.Item) {
	j := v.judge(s, items)
	if !v.accept(s, j) {
		v.mu.Lock()
		v.pending = append(v.pending, s)
		v.mu.Unlock()
	}
}

// accept counts what needs no second look; false: it may have moved.
func (v *scanner) accept(s subject, j judgement) bool {
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
func (v *scanner) unexplained(kind, site string, it sinks.Item) {
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
