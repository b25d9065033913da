package simulation_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// simDamages are the damages of a simulation.
type simDamages struct {
	wanted bool
	done   map[part]wound
}

// damage damages some parts of partitions, like a store that has lost a few bytes, on condition that they are unchanged since they were
// read. A redo, a zombie or a late request may meet them.
func (s *simulation) damage() {
	dice := rand.New(rand.NewPCG(s.seed, uint64(len(s.damages.done)+1)*77))
	var all []sinks.Item
	keys := sinks.Keys{}
	for _, site := range []string{"site-0", "site-1"} {
		list := []sinks.Query{{PK: keys.Site(site), Prefix: sinks.HourStatsPrefix}, {PK: keys.Site(site), Prefix: sinks.RealtimePrefix}}
		for _, day := range []int64{s.about.UnixMilli() - 24*3_600_000, s.about.UnixMilli()} {
			list = append(list, sinks.Query{PK: keys.UniquesOfDay(site, day)}, sinks.Query{PK: keys.BreakdownOfDay(site, day),
				Prefix: sinks.BreakdownPrefix})
		}
		for _, q := range list {
			page, err := s.Table.Query(context.Background(), q)
			if err != nil {
				s.problem("look for parts: %v", err)
				return
			}
			all = append(all, page.Items...)
		}
	}
	for _, it := range all {
		if dice.IntN(3) > 0 {
			continue
		}
		parts := slices.DeleteFunc(slices.Sorted(maps.Keys(it)), func(name string) bool {
			return it[name].Kind() != sinks.Binary || it[name].Equal(s.damages.done[part{it.Key(), name}].bad)
		})
		if len(parts) == 0 {
			continue
		}
		name := parts[dice.IntN(len(parts))]
		way := slices.Sorted(maps.Keys(damages))[dice.IntN(len(damages))]
		bad := damages[way](it[name])
		if bad.Kind() == sinks.None {
			bad = sinks.Int(17)
		}
		r, err := s.Table.Update(context.Background(), sinks.Update{Key: it.Key(), Set: []sinks.Attr{{Name: name, Value: bad}},
			If: []sinks.Cond{{Attr: name, Op: sinks.Equal, Value: it[name]}}})
		if err != nil {
			s.problem("damage %v: %v", it.Key(), err)
		} else if !r.Refused {
			s.cover.Hit(onDamaged)
			s.damages.done[part{it.Key(), name}] = wound{it[name], bad}
		}
	}
}

// part is an attribute of an item.
type part struct {
	key  sinks.Key
	name string
}

// wound is what a part was damaged from, and to.
type wound struct{ was, bad sinks.Value }

// mend restores the parts that are still damaged, as from a backup. No step has touched them since.
func (s *simulation) mend() {
	for p, d := range s.damages.done {
		_, err := s.Table.Update(context.Background(), sinks.Update{Key: p.key, Set: []sinks.Attr{{Name: p.name, Value: d.was}},
			If: []sinks.Cond{{Attr: p.name, Op: sinks.Equal, Value: d.bad}}})
		if err != nil {
			s.problem("mend %v: %v", p.key, err)
		}
	}
}

// quarantined notes that a damaged part was replaced.
func (e *eye) quarantined(u sinks.Update, r sinks.Result) {
	for _, a := range u.Set {
		tp, err := sinks.ParseTP(strings.TrimPrefix(a.Name, "l"))
		if err != nil || a.Name != sinks.AttrLost(tp) || r.Refused {
			continue
		}
		for mark, h := range e.heads {
			if h.accumulating && attr(u.Set, mark).Int() == h.step && h.step > 0 {
				e.cover.Hit(onQuarantineRedone)
			}
		}
	}
}
