package verify

import (
	"context"
	"fmt"
	"iter"

	"github.com/footfall/footfall/sinks"
)

// siteScan reads all partition keys of a site, judges each item, and judges what the table lacks.
type siteScan struct {
	*scanner
	site   string
	lists  []list
	known  map[string]subject       // subjects by sort key, of those with an id
	seen   map[subject]bool         // raw events aside: those are remembered in the recount
	listed map[subject][]sinks.Item // the lists of a minute or an hour
	sealed []subject
	dates  map[int64]bool
}

func newSiteScan(v *scanner, site string) *siteScan {
	return &siteScan{scanner: v, site: site, lists: v.listsOf(site), known: v.known(site), seen: make(map[subject]bool),
		listed: make(map[subject][]sinks.Item), dates: make(map[int64]bool)}
}

func (x *siteScan) run(ctx context.Context) error {
	for s := range x.explained(x.site) {
		x.open(s)
	}
	for i := 0; i < len(x.lists); i++ { // An hour's item opens further lists.
		if err := x.read(ctx, x.lists[i]); err != nil {
			return err
		}
	}
	for s, items := range x.listed {
		x.seen[s] = true
		x.weigh(s, items)
	}
	for s := range x.explained(x.site) {
		if !x.seen[s] && x.chosen(s, nil) {
			x.seen[s] = true // Several partitions may know of an hour.
			x.weigh(s, nil)
		}
	}
	if !x.opts.SkipRaw {
		for key, e := range x.raw.sites[x.site] {
			if e.required && !e.seen {
				x.weigh(x.subjectOfRaw(key), nil)
			}
		}
	}
	for _, s := range x.sealed {
		items, err := x.readSealed(ctx, s)
		if err != nil {
			return fmt.Errorf("site %q: read %s: %w", s.site, s.kind, err)
		}
		x.weigh(s, items)
	}
	return nil
}

// open adds the lists of an hour's dates, where what else is kept of it lies.
func (x *siteScan) open(s subject) {
	if s.kind != kindHour && s.kind != kindUniques && s.kind != kindBreakdown {
		return
	}
	for date := range sinks.DaysOfHours(s.at, s.at+1) {
		if !x.dates[date] {
			x.dates[date] = true
			x.lists = append(x.lists, x.listsOfDate(lateDate{x.site, date})...)
		}
	}
}

func (x *siteScan) read(ctx context.Context, l list) error {
	if l.journal != nil {
		return x.late.readJournal(ctx, *l.journal)
	}
	for it, err := range x.items(ctx, l.query) {
		if err != nil {
			return fmt.Errorf("site %q: read its items: %w", x.site, err)
		}
		switch kind := l.kindOf(it.Key().SK); kind {
		case kindFunnel:
			x.compareFunnel(x.site, it)
		case kindLate: // Read before the items of its hours.
		case kindPack:
			x.placePack(it)
		case kindNew:
			x.placeNew(it)
		default:
			x.place(kind, it)
		}
	}
	return nil
}

// place judges an item, or keeps it until others are read.
func (x *siteScan) place(kind string, it sinks.Item) {
	s, ok := x.subjectOf(kind, x.site, it, x.known)
	switch {
	case !ok:
		x.unexplained(kind, x.site, it)
		return
	case s.kind == kindHour:
		x.open(s)
	}
	switch {
	case !x.chosen(s, it):
	case s.sealed():
		x.sealed = append(x.sealed, s)
	case s.inLists():
		x.listed[s] = append(x.listed[s], it)
	default:
		if s.kind != kindEvent {
			x.seen[s] = true
		}
		x.weigh(s, []sinks.Item{it})
	}
}

// explained yields every subject of a site, raw events aside, that the log or the rules know something of.
func (v *judges) explained(site string) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		more := true
		one := func(s subject) {
			s.site = site
			more = more && yield(s)
		}
		if len(v.rules.History(site)) > 0 {
			one(subject{kind: kindMetadata})
		}
		for id := range v.goalsOf(site) {
			one(subject{kind: kindGoal, id: id})
		}
		for _, c := range v.chains {
			if c.stats != nil {
				c.stats.explained(site, one)
			} else if known := c.realtime.sites[site]; known != nil {
				for at := range known.live {
					one(subject{kind: kindRealtime, at: at, tp: c.tp})
				}
				for at := range known.expired {
					one(subject{kind: kindRealtime, at: at, tp: c.tp})
				}
			}
		}
	}
}

func (s *statsRecount) explained(name string, one func(subject)) {
	site, tp := s.site(name), s.chain.tp
	for at := range site.hours {
		one(subject{kind: kindHour, at: at})
		one(subject{kind: kindUniques, at: at, tp: tp})
	}
	for at := range site.breakdowns {
		one(subject{kind: kindBreakdown, at: at, tp: tp})
	}
	for at := range site.days {
		one(subject{kind: kindDay, at: at})
	}
	for id := range site.sessions {
		one(subject{kind: kindSession, id: id, tp: tp})
	}
	for id := range site.visitors {
		one(subject{kind: kindVisitor, id: id, tp: tp})
	}
	for hash := range site.arrivals {
		one(subject{kind: kindArrival, id: hash, tp: tp})
	}
	for of := range site.conversions {
		one(subject{kind: kindConversion, id: of.session, goal: of.goal, tp: tp})
	}
	if len(site.budget) > 0 {
		one(subject{kind: kindBudget, tp: tp})
	}
	for at := range site.opened {
		one(subject{kind: kindRecent, at: at, tp: tp})
	}
	for at := range site.listings {
		one(subject{kind: kindListed, at: at, tp: tp})
	}
}
