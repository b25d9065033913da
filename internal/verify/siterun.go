package verify

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

func (x *siteScan) run(ctx context.Context) error {
	if x.Purging(x.site) {
		x.LeaveOut(finding.BecausePurged, finding.KindSite)
		return nil
	}
	x.openPurged()
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
	if d := x.divided; d.Sessions > 0 || d.Visitors > 0 {
		d.Site = x.site
		x.Divide(d)
	}
	return nil
}

func (x *siteScan) read(ctx context.Context, l list) error {
	if l.journal != nil {
		return x.Late.ReadJournal(ctx, *l.journal)
	}
	for it, err := range x.Items(ctx, l.query) {
		if err != nil {
			return fmt.Errorf("site %q: read its items: %w", x.site, err)
		}
		kind := l.kindOf(it.Key().SK)
		if x.gone && unjudged[kind] {
			x.unexplained(kind, it)
			continue
		}
		switch kind {
		case finding.KindFunnel:
			x.compareFunnel(x.site, it)
		case finding.KindSegment:
			x.compareSegment(x.site, it)
		case finding.KindLate: // Read before the items of its hours.
		case finding.KindPack:
			x.placePack(it)
		case finding.KindNew:
			x.placeNew(it)
		default:
			if !it.Expired(x.Now()) {
				x.divide(kind, it.Key())
			}
			x.place(kind, it)
		}
	}
	return nil
}

// unjudged are the kinds of items that are not judged one by one. Of a site that was purged, each of them is a difference.
var unjudged = map[string]bool{finding.KindFunnel: true, finding.KindSegment: true, finding.KindLate: true,
	finding.KindPack: true, finding.KindNew: true}

// openPurged adds the lists of all dates that a site which was purged may have had hours of: no stats show the dates any more.
func (x *siteScan) openPurged() {
	last, gone := x.Gone(x.site)
	if !gone {
		return
	}
	x.gone = true
	for date := range sinks.DaysOfHours(last.From, last.To) {
		lists := x.listsOfDate(judge.LateDate{Site: x.site, Date: date})
		x.lists = append(x.lists, lists[1:]...) // Not the journal by itself: an entry is an item like any other here.
	}
}
