package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
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
			group.Go(func() error { return newSiteScan(v.scanner, site).run(gctx) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		v.Scanned(min(at+scanners, len(sites)), len(sites))
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
	if v.Opts.Site == "" || v.siteKnown || v.Verdicts() > verdicts {
		return
	}
	v.Report.UnknownSite = true
	v.Report.Note = fmt.Sprintf("site %s is in neither the table nor the topic: `footfall query sites` lists all sites",
		finding.Quote(v.Opts.Site))
}

// scanNewSites judges how many sites each chain has admitted.
func (v *scanner) scanNewSites(ctx context.Context) error {
	seen := make(map[judge.Subject]bool)
	pk, prefix := v.Keys.NewSitesOf(v.Number)
	for it, err := range v.Items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return fmt.Errorf("read how many sites are new: %w", err)
		}
		s, ok := v.SubjectOf(finding.KindNewSites, "", it, nil)
		if seen[s] = true; ok && v.Chains[checkpoint.ChainID{Partition: s.TP.Partition, Lane: s.ID}] != nil {
			v.weigh(s, []sinks.Item{it})
		} else {
			v.unexplained(finding.KindNewSites, it)
		}
	}
	for id, c := range v.Chains {
		if s := (judge.Subject{Kind: finding.KindNewSites, TP: c.TP, ID: id.Lane}); !seen[s] {
			v.weigh(s, nil)
		}
	}
	return nil
}

// sites reads the list of sites, judges its entries, and returns all sites that the list, the log or the rules know.
func (v *scanner) sites(ctx context.Context) ([]string, error) {
	seen := make(map[string]bool)
	for nn := range sinks.SiteListShards {
		for it, err := range v.Items(ctx, sinks.Query{PK: v.Keys.SiteList(nn)}) {
			if err != nil {
				return nil, fmt.Errorf("read the list of sites: %w", err)
			}
			site := it[sinks.AttrSiteID].Str()
			if key := it.Key(); key != v.Keys.SiteEntry(site) {
				if v.Opts.Site == "" && v.Hashes.First() {
					v.Differ(finding.Difference{Kind: finding.KindSite, PK: key.PK, SK: key.SK, Attribute: sinks.AttrSiteID, Table: finding.Quote(site),
						Recount: "the site that the key spells"})
				}
				continue
			}
			if v.Wants([]byte(site)) {
				seen[site] = true
				v.weigh(judge.Subject{Kind: finding.KindSite, Site: site}, []sinks.Item{it})
			}
		}
	}
	for site := range v.RecountedSites() {
		if v.Wants([]byte(site)) && !seen[site] {
			seen[site] = true
			v.weigh(judge.Subject{Kind: finding.KindSite, Site: site}, nil)
		}
	}
	if v.Opts.Site != "" {
		v.siteKnown = seen[v.Opts.Site]
		seen[v.Opts.Site] = true
	}
	return slices.Sorted(maps.Keys(seen)), nil
}
