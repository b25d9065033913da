package rebuild

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks/retry"
)

// Comparison is what differs between the live generation and the one that was built: figures of whole days of all sites, and of the
// hours of today; of a site that has another zone since, today as a whole.
type Comparison struct {
	Sites   int  `json:"sites"`   // compared
	Uneven  int  `json:"uneven"`  // sites of these compared in part: their clocks change by a part of an hour
	Figures int  `json:"figures"` // compared: of a site, a day or hour, by name
	Moving  int  `json:"moving"`  // figures of these that changed while they were compared
	Differ  []Of `json:"differ"`  // by site and figure

	Raw *RawPart `json:"fromRaw"` // null: no raw events were read
}

// Of is a figure of a site that differs.
type Of struct {
	Site    string    `json:"siteId"`
	Figure  string    `json:"figure"`
	Buckets int       `json:"buckets"` // days and hours in which it differs
	First   time.Time `json:"first"`   // of them; of a day, its date in UTC
	Live    string    `json:"live"`    // in the first, as JSON; "": it has nothing then
	Rebuilt string    `json:"rebuilt"`
}

// compare compares all sites. A figure differs only if its live value stayed the same while the live generation passed all positions at
// which the other one may have been read. Figures that keep changing are not compared.
func (p *phases) compare(ctx context.Context) (Comparison, error) {
	table := retry.Policy{}.Reads(p.Pipeline.Table)
	live, built := query.NewOf(table, p.live.keys, time.Now), query.NewOf(table, p.built.keys, time.Now)
	c := Comparison{Differ: []Of{}}
	doubtful := make(map[string]query.By)
	err := eachSite(ctx, live, func(site string) error {
		by, err := byOfToday(ctx, live, built, site)
		if err != nil {
			return err
		}
		a, whole, err := cellsOf(ctx, live, site, by, p.source)
		if err != nil {
			return err
		}
		b, _, err := cellsOf(ctx, built, site, by, p.source)
		if err != nil {
			return err
		}
		c.Sites++
		if !whole {
			c.Uneven++
		}
		c.Figures += len(a)
		if !maps.Equal(a, b) {
			doubtful[site] = by
		}
		return nil
	})
	if err != nil || len(doubtful) == 0 {
		return c, err
	}
	err = p.settle(ctx, live, built, doubtful, &c)
	return c, err
}

// settle looks at sites again whose figures were not equal at once: between the reads of the live generation, both have passed where the
// other was.
func (p *phases) settle(ctx context.Context, live, built *query.Reader, doubtful map[string]query.By, c *Comparison) error {
	before, err := p.cellsOfEach(ctx, live, doubtful)
	if err != nil {
		return err
	}
	at, err := p.live.ends(ctx)
	if err != nil {
		return err
	}
	p.leaveOut(at)
	err = p.built.reach(ctx, at, p.every(), func(now Offsets) error {
		p.note(Comparing, now.behind(at))
		return nil
	})
	if err != nil {
		return err
	}
	rebuilt, err := p.cellsOfEach(ctx, built, doubtful)
	if err != nil {
		return err
	}
	if at, err = p.built.ends(ctx); err != nil {
		return err
	}
	if err := p.untilLive(ctx, Comparing, at); err != nil {
		return err
	}
	after, err := p.cellsOfEach(ctx, live, doubtful)
	if err != nil {
		return err
	}
	for _, site := range slices.Sorted(maps.Keys(doubtful)) {
		c.judge(site, before[site], rebuilt[site], after[site])
	}
	return nil
}

// byOfToday says how today is compared: by hour, or as a day where the generations have the site in zones of other midnights.
func byOfToday(ctx context.Context, live, built *query.Reader, site string) (query.By, error) {
	a, _, err := todayOf(ctx, live, site)
	if err != nil {
		return "", err
	}
	b, _, err := todayOf(ctx, built, site)
	if err != nil || a.Equal(b) {
		return query.Hour, err
	}
	return query.Day, nil
}

// cellsOfEach reads the figures of sites, by what today is compared by.
func (p *phases) cellsOfEach(ctx context.Context, r *query.Reader, sites map[string]query.By) (map[string]cells, error) {
	all := make(map[string]cells, len(sites))
	for site, by := range sites {
		var err error
		if all[site], _, err = cellsOf(ctx, r, site, by, p.source); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bucket is a day or an hour.
type bucket struct {
	start int64 // ms since the epoch
	by    query.By
}

// judge compares the figures of a site in the live generation, before and after those of the other were read. If one figure of a bucket
// has changed in between, others may have changed and changed back, as bounces and rates do.
func (c *Comparison) judge(site string, before, rebuilt, after cells) {
	moving := make(map[bucket]bool)
	for of, now := range after {
		if before[of] != now {
			moving[bucket{of.start, of.by}] = true
		}
	}
	at := make(map[string]int) // by figure, in Differ
	all := slices.Collect(maps.Keys(before))
	for cell := range rebuilt {
		if _, ok := before[cell]; !ok {
			all = append(all, cell)
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.figure, b.figure)) })
	for _, of := range all {
		was, now := before[of], after[of]
		switch {
		case rebuilt[of] == was || rebuilt[of] == now:
			continue
		case moving[bucket{of.start, of.by}] || was != now:
			c.Moving++
			continue
		}
		i, known := at[of.figure]
		if !known {
			i = len(c.Differ)
			at[of.figure] = i
			c.Differ = append(c.Differ, Of{Site: site, Figure: of.figure, First: time.UnixMilli(of.start).UTC(), Live: was, Rebuilt: rebuilt[of]})
		}
		c.Differ[i].Buckets++
	}
}

// eachSite walks all sites, those that were deleted included.
func eachSite(ctx context.Context, r *query.Reader, visit func(site string) error) error {
	p := query.SitesParams{Deleted: true, Consistent: true, Paging: query.Paging{Limit: query.MaxLimit}}
	for {
		page, err := r.Sites(ctx, p)
		if err != nil {
			return err
		}
		for _, s := range page.Sites {
			if err := visit(s.SiteID); err != nil {
				return fmt.Errorf("compare site %q: %w", s.SiteID, err)
			}
		}
		if p.Cursor = page.Cursor; p.Cursor == "" {
			return nil
		}
	}
}
