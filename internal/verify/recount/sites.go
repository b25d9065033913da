package recount

import (
	"cmp"
	"iter"
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// order keeps the chains of the stats lane in the order of their partitions.
func (v *Model) order() {
	v.Stats = v.Stats[:0]
	for _, c := range v.Chains {
		if c.Stats != nil {
			v.Stats = append(v.Stats, c)
		}
	}
	slices.SortFunc(v.Stats, func(a, b *Chain) int { return int(a.Partition) - int(b.Partition) })
}

// StatsChain is the chain of the stats lane of a partition; nil: it is of another topic, or has none.
func (v *Model) StatsChain(tp sinks.TP) *Chain {
	if tp.Topic != v.Number {
		return nil
	}
	return v.Chains[checkpoint.ChainID{Partition: tp.Partition, Lane: checkpoint.LaneStats}]
}

// RecountedSites yields the sites that the log or the rules know; some more than once.
func (v *Model) RecountedSites() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		one := func(site string) { more = more && yield(site) }
		for _, c := range v.Chains {
			for site := range c.Admitted.Sites {
				one(site)
			}
			if c.Stats != nil {
				for site := range c.Stats.Sites {
					one(site)
				}
				continue
			}
			for site := range c.Realtime.Sites {
				one(site)
			}
		}
		v.Rules.Sites(one)
	}
}

// Minute returns the cell of a minute; nil when nothing is known of it.
func (s *Realtime) Minute(site string, start int64) *count.Cell[*count.Minute] {
	if known := s.Sites[site]; known != nil {
		return known.Live[start]
	}
	return nil
}

// Site returns what is known of a site, which may be nothing.
func (s *Stats) Site(name string) *count.Site { return cmp.Or(s.Sites[name], &unseen) }

var unseen count.Site

func (s *Stats) siteOf(r *count.Record) *count.Site {
	if known := s.Sites[string(r.Event.SiteID)]; known != nil {
		return known
	}
	site := &count.Site{
		Name: string(r.Event.SiteID), First: r.Position,
		Hours: make(map[int64]*count.Cell[*count.Hour]), Days: make(map[int64]*count.Cell[*count.Day]),
		Breakdowns: make(map[int64]*count.Cell[*count.Breakdown]),
		Sessions:   make(map[string]*count.Cell[*count.Session]), Opened: make(map[int64][]count.Opening),
		Listings: make(map[int64][]count.Listing),
		Visitors: make(map[string]*count.Cell[*count.Visitor]), Arrivals: make(map[string]*count.Cell[*count.Arrival]),
		Conversions: make(map[count.Converted]*count.Conversion),
		Budget:      make(map[struct{}]*count.Cell[*count.LatestCount]),
	}
	s.Sites[site.Name] = site
	return site
}

func (s *Stats) hour(site *count.Site, start int64) *count.Hour {
	c := count.Change(&s.Step, site.Hours, start)
	if c.End == nil {
		c.End = &count.Hour{Visitors: sketch.NewHour()}
		s.v.Ledger.grow(site.Name, weighHour)
	}
	return c.End
}

func (s *Stats) day(site *count.Site, start int64) *count.Day {
	c := count.Change(&s.Step, site.Days, start)
	if c.End == nil {
		c.End = new(count.Day)
		s.v.Ledger.grow(site.Name, weighHour)
	}
	return c.End
}
