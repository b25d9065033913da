package capacity

import (
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Items of the plan, by the names that they have in the catalogue.
const (
	itemEvent      = "event"
	itemPack       = "pack"
	itemSession    = "session"
	itemVisitor    = "visitor"
	itemArrival    = "arrival"
	itemRecent     = "recent sessions"
	itemNew        = "new sessions"
	itemListed     = "visitor sessions"
	itemHour       = "hour stats"
	itemDay        = "day stats"
	itemMonth      = "month stats"
	itemUniques    = "uniques"
	itemBreakdown  = "breakdown"
	itemJournal    = "journal entry"
	itemRealtime   = "realtime minute"
	itemCheckpoint = "checkpoint"
	itemDayUniques = "sealed uniques of a day"
	itemDayBreak   = "sealed breakdown of a day"
	itemMonUniques = "sealed uniques of a month"
	itemMonBreak   = "sealed breakdown of a month"
)

// items are all of them, in the order of the plan.
var items = []string{itemEvent, itemPack, itemSession, itemVisitor, itemArrival, itemRecent, itemNew, itemListed, itemHour, itemDay,
	itemUniques, itemBreakdown, itemJournal, itemRealtime, itemCheckpoint, itemMonth, itemDayUniques, itemDayBreak,
	itemMonUniques, itemMonBreak}

// scaling are the items that there are more of the more events a site has, however many. Of all others a step writes one, or a
// few, and their bytes have a ceiling.
var scaling = []string{itemEvent, itemSession, itemVisitor, itemArrival, itemRecent, itemNew, itemListed}

// figures say what items of a type take in some span.
type figures struct {
	writes float64
	units  [2]float64 // of writes: to the table, and to GSI1
	reads  float64    // read units, for states that a worker loads and for what is sealed
	made   float64    // items that are there afterwards and were not before
	bytes  float64    // of these, as DynamoDB bills storage, in the end
	index  float64    // bytes of their entries
}

func (f *figures) write(size int) { f.writeTimes(1, size) }

func (f *figures) writeTimes(n float64, size int) {
	f.writes += n
	f.units[sinks.Base] += n * consumed.WriteUnits(size)
}

// store says that there is another item, of so many bytes.
func (f *figures) store(n float64, bytes int) {
	f.made += n
	f.bytes += n * float64(bytes+storedBytes)
}

func (f *figures) total() float64 { return f.units[sinks.Base] + f.units[sinks.GSI1] }

func (f *figures) add(o *figures, times float64) {
	f.writes += o.writes * times
	for i := range f.units {
		f.units[i] += o.units[i] * times
	}
	f.reads += o.reads * times
	f.made += o.made * times
	f.bytes += o.bytes * times
	f.index += o.index * times
}

// scale multiplies what is written and read, and what is stored.
func (f *figures) scale(written, stored float64) {
	was := *f
	*f = figures{made: (stored - written) * was.made, bytes: (stored - written) * was.bytes, index: (stored - written) * was.index}
	f.add(&was, written)
}

// book is figures by item.
type book map[string]*figures

func (b book) of(item string) *figures {
	if b[item] == nil {
		b[item] = new(figures)
	}
	return b[item]
}

func (b book) add(o book, times float64) {
	for item, f := range o {
		b.of(item).add(f, times)
	}
}
