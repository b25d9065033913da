package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// SitesSorts are what sites can be sorted by: figures, the relative change of the page views, and the time of the last event.
var SitesSorts = []string{"pageViews", "uniqueVisitors", "pageViewsChange", "lastEvent"}

// answerSitesSorted reads the figures of all sites and keeps the first of them.
func answerSitesSorted(ctx context.Context, t *sitetable.Store, p SitesFiguresParams) (SitesFiguresAnswer, error) {
	limit, err := p.Rows()
	switch {
	case err != nil:
		return SitesFiguresAnswer{}, err
	case !slices.Contains(SitesSorts, p.Sort):
		return SitesFiguresAnswer{}, &ParamError{Param: "sort", Value: readable.Shortened(p.Sort),
			Remedy: near.Hint(p.Sort, SitesSorts) + "choose " + strings.Join(SitesSorts, ", ")}
	case p.Cursor != "":
		return SitesFiguresAnswer{}, &ParamError{Param: "cursor", Value: readable.Shortened(p.Cursor),
			Remedy: "leave it out: a list that is sorted by a figure has one page"}
	}
	by := p.Sort
	p.Sort, p.Desc, p.Limit = "", false, MaxLimit
	all, err := answerSitesFigures(ctx, t, p)
	for err == nil {
		slices.SortStableFunc(all.Sites, func(a, b SiteFigures) int { return compareSites(by, &b, &a) })
		all.Sites = all.Sites[:min(limit, len(all.Sites))] // Of many, only those that may be shown are kept.
		if all.Cursor == "" {
			break
		}
		var next SitesFiguresAnswer
		p.Cursor = all.Cursor
		next, err = answerSitesFigures(ctx, t, p)
		all.Sites, all.Cursor = append(all.Sites, next.Sites...), next.Cursor
		all.ExpiredOmitted += next.ExpiredOmitted
	}
	all.Totals = TotalsOf(all.Sites)
	return all, err
}

// compareSites orders sites by a figure. A site without the figure is below all others.
func compareSites(by string, a, b *SiteFigures) int {
	switch by {
	case "uniqueVisitors":
		return compareKnown(a.UniqueVisitors, b.UniqueVisitors)
	case "pageViewsChange":
		return compareKnown(a.PageViewsChange, b.PageViewsChange)
	case "lastEvent":
		last := func(s *SiteFigures) time.Time {
			if s.LastEvents == nil {
				return time.Time{}
			}
			return s.LastEvents.From
		}
		return last(a).Compare(last(b))
	}
	return cmp.Compare(a.PageViews, b.PageViews)
}

// compareKnown compares numbers that may not be known: nil, which is less than any other.
func compareKnown[N cmp.Ordered](a, b *N) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}
