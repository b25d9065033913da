package query

import (
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// extremes are the least and the greatest value of events, in millionths. They are kept by the hour, as visitors are: days and longer
// buckets derive them from their hours, or have them from the sealed item that has the visitors.
type extremes struct {
	least, greatest int64
	known           bool // there is a value
}

func (x *extremes) plus(o extremes) {
	switch {
	case !o.known:
	case !x.known:
		*x = o
	default:
		x.least, x.greatest = min(x.least, o.least), max(x.greatest, o.greatest)
	}
}

// extremesOf reads the two attributes of an item.
func extremesOf(it sinks.Item, least, greatest string) extremes {
	if it[least].Kind() != sinks.Number || it[greatest].Kind() != sinks.Number {
		return extremes{}
	}
	return extremes{it[least].Int(), it[greatest].Int(), true}
}

// addExtremes folds in those of all partitions in an hour's stats.
func (hr *hour) addExtremes(it sinks.Item) {
	for name := range it {
		suffix, ok := strings.CutPrefix(name, "mn")
		if !ok {
			continue
		}
		if tp, err := sinks.ParseTP(suffix); err == nil && sinks.AttrLeast(tp) == name {
			hr.extremes.plus(extremesOf(it, name, sinks.AttrGreatest(tp)))
		}
	}
}

// extremes fills in the least and the greatest value. Hours keep none of bots', so they are unknown where figures include such.
func (f *Figures) extremes(x extremes, s *sums, of senders) {
	if !x.known || s.Counts[figures.Values] == 0 || of == everybody && s.Counts[figures.BotValues] > 0 {
		return
	}
	least, greatest := decimal(int128.From(x.least)), decimal(int128.From(x.greatest))
	f.ValueMin, f.ValueMax = &least, &greatest
}
