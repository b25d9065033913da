package verify

import (
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// siteScan reads all partition keys of a site, judges each item, and judges what the table lacks.
type siteScan struct {
	*scanner
	site   string
	lists  []list
	known  map[string]judge.Subject       // subjects by sort key, of those with an id
	seen   map[judge.Subject]bool         // raw events aside: those are remembered in the recount
	listed map[judge.Subject][]sinks.Item // the lists of a minute or an hour
	sealed []judge.Subject
	dates  map[int64]bool
	gone   bool // the site was purged

	divided finding.Divided
	before  sinks.Key // the last session or arrival that was read, without its partition; zero: none
	twice   bool      // it was counted as divided
}

func newSiteScan(v *scanner, site string) *siteScan {
	return &siteScan{scanner: v, site: site, lists: v.listsOf(site), known: v.Known(site), seen: make(map[judge.Subject]bool),
		listed: make(map[judge.Subject][]sinks.Item), dates: make(map[int64]bool)}
}

// open adds the lists of an hour's dates, where what else is kept of it lies.
func (x *siteScan) open(s judge.Subject) {
	if s.Kind != finding.KindHour && s.Kind != finding.KindUniques && s.Kind != finding.KindBreakdown {
		return
	}
	for date := range sinks.DaysOfHours(s.At, s.At+1) {
		if !x.dates[date] {
			x.dates[date] = true
			x.lists = append(x.lists, x.listsOfDate(judge.LateDate{Site: x.site, Date: date})...)
		}
	}
}

// place judges an item, or keeps it until others are read.
func (x *siteScan) place(kind string, it sinks.Item) {
	s, ok := x.SubjectOf(kind, x.site, it, x.known)
	switch {
	case !ok:
		x.unexplained(kind, it)
		return
	case s.Kind == finding.KindHour:
		x.open(s)
	}
	switch {
	case !x.Chosen(s, it):
	case s.Sealed():
		x.sealed = append(x.sealed, s)
	case s.InLists():
		x.listed[s] = append(x.listed[s], it)
	default:
		if s.Kind != finding.KindEvent {
			x.seen[s] = true
		}
		x.weigh(s, []sinks.Item{it})
	}
}

// divide counts a session or an arrival if the item read before is another partition's part of it. The parts of one follow one another.
func (x *siteScan) divide(kind string, key sinks.Key) {
	if kind != finding.KindSession && kind != finding.KindArrival {
		return
	}
	key.SK = key.SK[:strings.LastIndexByte(key.SK, '#')+1]
	if key != x.before {
		x.before, x.twice = key, false
		return
	}
	if x.twice {
		return
	}
	x.twice = true
	if kind == finding.KindSession {
		x.divided.Sessions++
	} else {
		x.divided.Visitors++
	}
}

// subjectOfRaw returns what a raw event of the site is as a subject.
func (x *siteScan) subjectOfRaw(key recount.RawKey) judge.Subject {
	if key.Packed > 0 {
		return judge.Subject{Kind: finding.KindPack, Site: x.site, TP: sinks.TP{Topic: x.Number, Partition: key.Partition}, Raw: key}
	}
	return judge.Subject{Kind: finding.KindEvent, Site: x.site, Raw: key}
}
