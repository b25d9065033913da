package capacity

import (
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// memory is the table of a simulation. It keeps items, and counts what reading and writing them consumes.
type memory struct {
	items map[string]map[string]*stored // by partition key and sort key
	book  book
	marks []string // of other partitions, which are in the items that partitions share
	now   float64  // seconds since the first hour began
	hours int      // that are counted
	runUp bool     // the hour before them is drawn whole
}

// stored is an item of the table.
type stored struct {
	sinks.Item // nil: there is none
	name       string
	size       int
	index      sinks.Key // in GSI1
	made       bool      // in the hours that are counted
}

// named are the items that flushes write, by entity. Days have the entity of hours, and a list of their own in a plan.
var named = map[string]string{
	sinks.EntitySession: itemSession, sinks.EntityVisitor: itemVisitor, sinks.EntityArrival: itemArrival,
	sinks.EntityRecent: itemRecent, sinks.EntityNewSessions: itemNew, sinks.EntityVisitorSessions: itemListed, sinks.EntityStats: itemHour,
	sinks.EntityUniques: itemUniques, sinks.EntityBreakdown: itemBreakdown, sinks.EntityLate: itemJournal, sinks.EntityRealtime: itemRealtime,
}

// counting reports whether what is read and written now is in the hours that are counted.
func (m *memory) counting() bool { return m.now >= 0 && m.now < float64(m.hours*hourSeconds) }

// has reports whether an item of an hour is of one that is counted. All of its writes count, also those after the hour's end.
func (m *memory) has(key sinks.Key) bool {
	hour := strings.TrimPrefix(strings.TrimPrefix(key.SK, sinks.StatsPrefix), sinks.UniquesPrefix)
	return sinks.Hour(firstHour) <= hour && hour < sinks.Hour(instant(float64(m.hours*hourSeconds)))
}

func (m *memory) at(key sinks.Key) *stored {
	if m.items[key.PK] == nil {
		m.items[key.PK] = make(map[string]*stored)
	}
	x := m.items[key.PK][key.SK]
	if x == nil {
		x = new(stored)
		m.items[key.PK][key.SK] = x
	}
	return x
}

func (m *memory) read(key sinks.Key) sinks.Item {
	x := m.at(key)
	m.consumed(itemAt(key), x.size)
	return x.Item
}

// query returns the items of one partition key whose sort keys are within the bounds.
func (m *memory) query(q sinks.Query) (found []sinks.Item) {
	size := 0
	of := m.items[q.PK]
	for _, sk := range slices.Sorted(maps.Keys(of)) {
		if q.From <= sk && sk <= q.To && of[sk].Item != nil {
			found = append(found, of[sk].Item)
			size += of[sk].size
		}
	}
	m.consumed(itemJournal, size)
	return found
}

func (m *memory) consumed(item string, bytes int) {
	if m.counting() {
		m.book.of(item).reads += consumed.ReadUnits(bytes, true)
	}
}

// itemAt says which item of those that folds ask for lies at key.
func itemAt(key sinks.Key) string {
	switch {
	case strings.HasPrefix(key.SK, sinks.SessionPrefix):
		return itemSession
	case strings.HasPrefix(key.SK, sinks.VisitorPrefix):
		return itemVisitor
	case strings.HasPrefix(key.SK, sinks.ArrivalPrefix):
		return itemArrival
	case strings.HasPrefix(key.SK, sinks.HourStatsPrefix):
		return itemHour
	case strings.HasPrefix(key.SK, sinks.RealtimePrefix):
		return itemRealtime
	case strings.HasPrefix(key.PK, sinks.Keys{}.BreakdownList(site)):
		return itemBreakdown
	}
	return itemUniques
}

// write does what a flush asks for. Conditions hold, because every mark has one writer.
func (m *memory) write(name string, w *plan.Write) {
	if w.Item != nil {
		m.replace(name, w.Item.Key(), w.Item)
		return
	}
	u := &w.Update
	it := m.at(u.Key).Item
	if it == nil {
		it = make(sinks.Item, 2+len(u.Add)+len(u.Set))
		it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(u.Key.PK), sinks.Str(u.Key.SK)
		for _, mark := range m.marks {
			if name == itemHour || name == itemDay {
				it[mark] = sinks.Int(someStep)
			}
		}
	}
	for _, a := range u.Add {
		it[a.Name] = sinks.Num(it[a.Name].Num().Plus(a.Value.Num()))
	}
	for _, a := range u.Set {
		it[a.Name] = a.Value
	}
	for _, attr := range u.Remove {
		delete(it, attr)
	}
	m.replace(name, u.Key, it)
}

// replace puts an item in place of the one at key, and counts the write. A nil item removes it.
func (m *memory) replace(name string, key sinks.Key, it sinks.Item) {
	counts := m.counting()
	switch name {
	case itemHour, itemUniques, itemBreakdown:
		if !m.runUp {
			counts = m.has(key)
		}
	}
	x := m.at(key)
	was := *x
	*x = stored{it, name, it.Size(), consumed.IndexKeyOf(it), it != nil && (was.made || was.Item == nil && counts)}
	if !counts {
		return
	}
	f := m.book.of(name)
	f.write(max(was.size, x.size))
	f.units[sinks.GSI1] += consumed.IndexUnits(key, was.index, x.index)
}

// store books what of the hours that are counted is there in the end. A day is longer than they are: there is one in 24 hours.
func (m *memory) store() {
	for _, of := range m.items {
		for _, x := range of {
			if !x.made || x.name == itemDay {
				continue
			}
			f := m.book.of(x.name)
			f.store(1, x.size)
			if size := consumed.EntrySize(x.Key(), x.index); size > 0 {
				f.index += float64(size + storedBytes)
			}
		}
	}
	m.book.of(itemDay).store(float64(m.hours)/24, m.largest(itemDay).size)
}

// largest returns the largest item of that name.
func (m *memory) largest(name string) (most stored) {
	for _, of := range m.items {
		for _, x := range of {
			if x.name == name && x.size > most.size {
				most = *x
			}
		}
	}
	return most
}
