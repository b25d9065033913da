package rawlog

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Estimate is what it takes to collect raw events. It is made of what is counted of each day, and of a page of some shards.
type Estimate struct {
	Events    int64   // that are read, also of records that the topic has
	ReadUnits float64 // with those of the estimate
	FileBytes int64   // of the temporary file, if all of them are of records that the topic has lost

	days map[int64]int64 // events by day
}

const (
	sampledSites = 24  // the largest sites
	sampledItems = 200 // of a shard
)

// sample is what the first items of a kind in a shard are, or the means of several.
type sample struct{ events, bytes, values, ms float64 }

// each are the means of an event.
type each struct{ bytes, value float64 }

// mix returns the means of events, some in items and others in packs, by how frequent they are.
func mix(kinds []sample) (e each, ok bool) {
	total := 0.0
	for _, k := range kinds {
		if k.events > 0 {
			rate := k.events / max(1, k.ms)
			total += rate
			e.bytes += rate * k.bytes / k.events
			e.value += rate * k.values / k.events
		}
	}
	if total == 0 {
		return e, false
	}
	return each{e.bytes / total, e.value / total}, true
}

// Estimate finds out what Collect takes. keys are those of the generation that has counted the events.
func (of Source) Estimate(ctx context.Context, keys sinks.Keys) (e Estimate, err error) {
	c := collector{Source: of, table: retry.Policy{}.Table(of.Table)}
	e.days = make(map[int64]int64)
	listed := 0 // bytes of the list of sites, which is read now and then
	events, queries := make(map[string]int64), make(map[string][]sinks.Query)
	for entry, err := range Entries(ctx, c.table) {
		if err != nil {
			return e, err
		}
		listed += entry.Size()
		site := entry[sinks.AttrSiteID].Str()
		if events[site], err = c.counted(ctx, keys, site, &e); err != nil {
			return e, err
		}
		queries[site] = c.queries(entry)
		e.Events += events[site]
	}
	e.ReadUnits += 2 * max(sinks.SiteListShards, float64(listed)/readUnitBytes)
	bySize := slices.SortedFunc(maps.Keys(events), func(a, b string) int {
		return cmp.Or(cmp.Compare(events[b], events[a]), cmp.Compare(a, b))
	})
	known, all := make(map[string]each), []sample{}
	for _, site := range bySize[:min(len(bySize), sampledSites)] {
		kinds, err := c.sample(ctx, queries[site], &e)
		if err != nil {
			return e, err
		}
		if m, ok := mix(kinds); ok {
			known[site] = m
			all = append(all, sample{events: 1, bytes: m.bytes, values: m.value, ms: 1 / float64(max(1, events[site]))})
		}
	}
	mean, _ := mix(all)
	for site, n := range events {
		m, ok := known[site]
		if !ok {
			m = mean
		}
		e.FileBytes += int64(2 * (m.value + 16) * float64(n)) // Unsorted and sorted.
		shards := float64(len(queries[site]))
		e.ReadUnits += shards * max(1, float64(n)*m.bytes/shards/readUnitBytes+0.5)
	}
	return e, nil
}

// Since returns the first of the last days that have about that number of events, in ms since the epoch.
func (e Estimate) Since(events int64) (day int64) {
	for _, day = range slices.Backward(slices.Sorted(maps.Keys(e.days))) {
		if events -= e.days[day]; events <= 0 {
			break
		}
	}
	return day
}

const readUnitBytes = 4096

// counted returns how many events of a site are counted since the first that is wanted, about: by days in its zone.
func (c *collector) counted(ctx context.Context, keys sinks.Keys, site string, e *Estimate) (n int64, err error) {
	in := sinks.Query{PK: keys.Site(site), From: sinks.DayStatsPrefix + sinks.Day(c.Since), To: sinks.DayStatsPrefix + "~"}
	for page, err := range sinks.Pages(ctx, c.table, in) {
		if err != nil {
			return 0, fmt.Errorf("read what is counted of site %q: %w", site, err)
		}
		e.ReadUnits += page.Units
		for _, it := range page.Items {
			of := it[sinks.AttrEvents].Int() + it[sinks.AttrBotEvents].Int() + it[sinks.AttrExcludedEvents].Int()
			if day, err := sinks.ParseDay(it[sinks.AttrSK].Str()[len(sinks.DayStatsPrefix):]); err == nil && of > 0 {
				e.days[day] += of
			}
			n += of
		}
	}
	return n, nil
}

// sample reads a page of each kind in a shard that has some.
func (c *collector) sample(ctx context.Context, queries []sinks.Query, e *Estimate) (kinds []sample, err error) {
	found := make(map[string]*sample)
	for i := range queries {
		q := queries[(i+len(queries)/2)%len(queries)]
		kind := q.To
		if found[kind] != nil {
			continue
		}
		q.Limit = sampledItems
		page, err := c.table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read raw events: %w", err)
		}
		if e.ReadUnits += page.Units; len(page.Items) == 0 {
			continue
		}
		s := new(sample)
		found[kind] = s
		first, last := int64(0), int64(0)
		for _, it := range page.Items {
			events, err := c.eventsOf(it)
			if err != nil {
				return nil, err
			}
			for _, x := range events {
				if c.written, err = appendValue(c.written[:0], x); err != nil {
					return nil, err
				}
				s.values += float64(len(c.written))
				last = max(last, x["timestamp"].Int())
				if first == 0 {
					first = x["timestamp"].Int()
				}
			}
			s.events += float64(len(events))
			s.bytes += float64(it.Size())
		}
		s.ms = float64(last - first)
		if page.Next == "" { // All that there are.
			s.ms = max(s.ms, float64(24*time.Hour.Milliseconds()))
		}
		kinds = append(kinds, *s)
	}
	return kinds, nil
}

// eventsOf returns the raw events of an item, which may be a pack.
func (c *collector) eventsOf(it sinks.Item) ([]sinks.Item, error) {
	if it[sinks.AttrEntity].Str() != sinks.EntityPack {
		return []sinks.Item{it}, nil
	}
	p, err := c.packs.Read(it)
	if err != nil {
		return nil, err
	}
	return p.Items(), nil
}
