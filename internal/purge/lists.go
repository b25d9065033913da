package purge

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/sinks"
)

// readers is how many lists are read at a time.
const readers = 4

const dayMs = int64(24 * time.Hour / time.Millisecond)

// margin is how many days hours are looked for before the first item that is known of a site, and after the last one and now.
const margin = 3

// firstDay returns the first day that the site may have hours of. It is read before anything is deleted: visitors and breakdowns of hours
// lie under keys with a date, and only the stats show which dates there are.
func (r *run) firstDay(ctx context.Context) (int64, error) {
	first, _, err := r.days(ctx)
	return first, err
}

// days returns the first and the last day that the site may have hours of.
func (r *run) days(ctx context.Context) (first, last int64, err error) {
	first, last = r.Now().UnixMilli(), r.Now().UnixMilli()
	if r.decided > 0 {
		first = min(first, r.decided)
	}
	for _, keys := range erase.EveryKeys(r.has) {
		for _, prefix := range []string{sinks.HourStatsPrefix, sinks.DayStatsPrefix} {
			least, greatest, err := r.ends(ctx, keys.Site(r.Site), prefix)
			if err != nil {
				return 0, 0, err
			}
			first, last = min(first, least), max(last, greatest)
		}
	}
	first -= margin * dayMs
	return first - first%dayMs, last + margin*dayMs, nil
}

// ends returns the first and the last instant that sort keys with a prefix spell. Without items, least is later than all instants, and
// greatest is 0.
func (r *run) ends(ctx context.Context, pk, prefix string) (least, greatest int64, err error) {
	least = math.MaxInt64
	for _, desc := range []bool{false, true} {
		page, err := r.table.Query(ctx, sinks.Query{PK: pk, Prefix: prefix, Desc: desc, Limit: 1, Consistent: true})
		if err != nil {
			return 0, 0, fmt.Errorf("query %s / %s: %w", pk, prefix, err)
		}
		for _, it := range page.Items {
			name := strings.TrimPrefix(it.Key().SK, prefix)
			at, err := sinks.ParseDay(name[:min(len(name), len(time.DateOnly))])
			if err != nil {
				return 0, 0, fmt.Errorf("item %s / %s: %w", it.Key().PK, it.Key().SK, err)
			}
			least, greatest = min(least, at), max(greatest, at)
		}
	}
	return least, greatest, nil
}

// each calls take with every item of the site, some at a time, and read with the units of each page. The site's entry in the list of sites
// comes last. from is the first day that the site may have hours of; 0: the first that is found now.
func (r *run) each(ctx context.Context, from int64, consistent bool, take func(context.Context, sinks.Item) error,
	read func(units float64)) error {
	first, last, err := r.days(ctx)
	if err != nil {
		return err
	}
	if from != 0 {
		first = min(first, from)
	}
	for _, keys := range erase.EveryKeys(r.has) {
		if err := r.lists(ctx, r.queriesOf(keys, first, last), consistent, take, read); err != nil {
			return err
		}
	}
	if err := r.lists(ctx, r.queriesOfTable(), consistent, take, read); err != nil {
		return err
	}
	if err := r.quarantined(ctx, take); err != nil {
		return err
	}
	entry := sinks.Keys{}.SiteEntry(r.Site)
	found, err := sinks.Get(ctx, r.table, entry)
	if err != nil || found[entry] == nil {
		return err
	}
	return take(ctx, found[entry])
}

// queriesOf selects the items of a generation. Those of the first generation include what belongs to all, such as raw events. The key whose
// items show which days there are comes last: see lists.
func (r *run) queriesOf(keys sinks.Keys, first, last int64) (all []sinks.Query) {
	for day := range sinks.DaysOfHours(first, last+1) {
		all = append(all, sinks.Query{PK: keys.UniquesOfDay(r.Site, day)}, sinks.Query{PK: keys.BreakdownOfDay(r.Site, day)})
	}
	for _, pk := range []string{keys.UniquesList(r.Site), keys.BreakdownList(r.Site), keys.RecentList(r.Site), keys.VisitorList(r.Site)} {
		all = append(all, sinks.Query{PK: pk})
	}
	for nn := range sinks.MaxShards {
		all = append(all, sinks.Query{PK: keys.Shard(r.Site, nn)})
	}
	return append(all, sinks.Query{PK: keys.Site(r.Site)})
}

// queriesOfTable selects what people have entered about the site, and results of recounts.
func (r *run) queriesOfTable() (all []sinks.Query) {
	for _, list := range []func(string) (pk, prefix string){sinks.Keys{}.Annotations, sinks.Keys{}.Verifications, sinks.Alerts,
		sinks.Findings} {
		pk, prefix := list(r.Site)
		all = append(all, sinks.Query{PK: pk, Prefix: prefix})
	}
	return all
}

// quarantined calls take with the copies of damaged items of the site, and with the lost spans that name the copies.
func (r *run) quarantined(ctx context.Context, take func(context.Context, sinks.Item) error) error {
	for _, keys := range erase.EveryKeys(r.has) {
		topics, err := sinks.Topics(ctx, r.table, keys)
		if err != nil {
			return err
		}
		for number := range topics {
			pk, prefix := keys.LostSpans(number)
			for it, err := range sinks.Items(ctx, r.table, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
				if err != nil {
					return err
				}
				if it[sinks.AttrSiteID].Str() != r.Site {
					continue
				}
				sk := it.Key().SK
				key := keys.Damaged(sinks.Key{PK: it[sinks.AttrOfPK].Str(), SK: it[sinks.AttrOfSK].Str()}, sk[strings.LastIndexByte(sk, '#')+1:])
				found, err := sinks.Get(ctx, r.table, key)
				if err == nil && found[key] != nil {
					err = take(ctx, found[key])
				}
				if err == nil {
					err = take(ctx, it)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// lists reads lists, some at a time, and calls take with their items. The last list is read when all others have been taken.
func (r *run) lists(ctx context.Context, queries []sinks.Query, consistent bool, take func(context.Context, sinks.Item) error,
	read func(units float64)) error {
	last := len(queries) - 1
	for _, some := range [][]sinks.Query{queries[:last], queries[last:]} {
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(readers)
		for _, q := range some {
			q.Consistent = consistent
			g.Go(func() error {
				for page, err := range sinks.Pages(gctx, r.table, q) {
					if err != nil {
						return err
					}
					read(page.Units)
					if err := r.page(gctx, page.Items, take); err != nil {
						return fmt.Errorf("%s / %s: %w", q.PK, q.Prefix, err)
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// writers is how many items of a page are taken at a time.
const writers = 8

func (r *run) page(ctx context.Context, items []sinks.Item, take func(context.Context, sinks.Item) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for _, it := range items {
		g.Go(func() error { return take(ctx, it) })
	}
	return g.Wait()
}

// Each calls take with every item of a site, in all generations, some at a time. It reads consistently, and changes nothing. Copies of
// damaged items, verifications and annotations are among them.
func Each(ctx context.Context, o Options, take func(context.Context, sinks.Item) error) error {
	r, _, err := open(ctx, o)
	if err != nil {
		return err
	}
	return r.each(ctx, 0, true, take, func(float64) {})
}
