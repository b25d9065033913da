package verify

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
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
}

func newSiteScan(v *scanner, site string) *siteScan {
	return &siteScan{scanner: v, site: site, lists: v.listsOf(site), known: v.Known(site), seen: make(map[judge.Subject]bool),
		listed: make(map[judge.Subject][]sinks.Item), dates: make(map[int64]bool)}
}

func (x *siteScan) run(ctx context.Context) error {
	for s := range x.Explained(x.site) {
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
	for s := range x.Explained(x.site) {
		if !x.seen[s] && x.Chosen(s, nil) {
			x.seen[s] = true // Several partitions may know of an hour.
			x.weigh(s, nil)
		}
	}
	if !x.Opts.SkipRaw {
		for key, e := range x.Raw.Sites[x.site] {
			if e.Required && !e.Seen {
				x.weigh(x.subjectOfRaw(key), nil)
			}
		}
	}
	for _, s := range x.sealed {
		items, err := x.readSealed(ctx, s)
		if err != nil {
			return fmt.Errorf("site %q: read %s: %w", s.Site, s.Kind, err)
		}
		x.weigh(s, items)
	}
	return nil
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

func (x *siteScan) read(ctx context.Context, l list) error {
	if l.journal != nil {
		return x.Late.ReadJournal(ctx, *l.journal)
	}
	for it, err := range x.Items(ctx, l.query) {
		if err != nil {
			return fmt.Errorf("site %q: read its items: %w", x.site, err)
		}
		switch kind := l.kindOf(it.Key().SK); kind {
		case finding.KindFunnel:
			x.compareFunnel(x.site, it)
		case finding.KindLate: // Read before the items of its hours.
		case finding.KindPack:
			x.placePack(it)
		case finding.KindNew:
			x.placeNew(it)
		default:
			x.place(kind, it)
		}
	}
	return nil
}

// place judges an item, or keeps it until others are read.
func (x *siteScan) place(kind string, it sinks.Item) {
	s, ok := x.SubjectOf(kind, x.site, it, x.known)
	switch {
	case !ok:
		x.unexplained(kind, x.site, it)
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
