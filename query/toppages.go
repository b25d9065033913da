package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// TopList is one of several lists of top values. Its fields are those of TopParams.
type TopList struct {
	Dimension, Sort string
	Limit           int
	MinCount        int
}

// Tops reads the first page of several lists of the same range, in the order of lists. It reads the breakdowns once, where a Top for
// each list would read them as often as there are lists. Dimension, Sort, Limit, MinCount and Cursor of p are ignored.
func (r *Reader) Tops(ctx context.Context, p TopParams, lists []TopList) ([]TopAnswer, error) {
	p.Cursor = ""
	a, err := sitetable.OnLive(ctx, r.live, p, func(ctx context.Context, t *sitetable.Store, p TopParams) ([]TopAnswer, error) {
		return answerTops(ctx, t, p, lists)
	})
	return about(a, err, "top values of site %q", p.Site)
}

// A topPage is a page of a list of top values that is asked for.
type topPage struct {
	by       breakdowns.Dimension
	sort     string
	limit    int
	minCount int
	before   int    // rows of the pages before
	question string // as in cursors
}

// topPages checks what is asked but for the range, which it takes from the cursor if there is one.
func topPages(p *TopParams, lists []TopList) (pages []topPage, err error) {
	if p.Site != "" && p.Owner != "" {
		return nil, &ParamError{Param: "owner", Value: p.Owner, Remedy: "leave it out, or the site"}
	}
	if p.Site != "" {
		if err := sitetable.CheckID("site", p.Site); err != nil {
			return nil, err
		}
	}
	for _, l := range lists {
		page := topPage{}
		if page.by, err = breakdowns.ParseDimension(l.Dimension); err != nil {
			return nil, err
		}
		if l.Sort != "" && !slices.Contains(page.by.Figures(), l.Sort) {
			why := near.Hint(l.Sort, page.by.Figures())
			if slices.Contains(TopFigures, l.Sort) {
				why = "rows of " + page.by.Name + " have no such figure: "
				if rawOnly(page.by.Name, l.Sort) {
					why = "rows of " + page.by.Name + " have it only under filters, from raw events; "
				}
			}
			return nil, &ParamError{Param: "sort", Value: l.Sort, Remedy: why + "choose " + strings.Join(page.by.Figures(), ", ")}
		}
		page.sort = cmp.Or(l.Sort, page.by.UsualSort())
		if page.limit, err = (Paging{Limit: l.Limit}).Rows(); err != nil {
			return nil, err
		}
		if err := breakdowns.CheckMinCount(l.MinCount, page.sort); err != nil {
			return nil, err
		}
		page.minCount = l.MinCount
		zone := ""
		if p.Zone != nil {
			zone = p.Zone.String()
		}
		question := []string{"top", p.Site, p.Owner, page.by.Name, page.sort, zone}
		if page.minCount > 0 {
			question = append(question, strconv.Itoa(page.minCount))
		}
		page.question = sitetable.Fingerprint(true, question...)
		c, resumed, err := sitetable.ParseCursor(p.Cursor, page.question)
		if err != nil {
			return nil, err
		}
		if resumed {
			if c.N < 0 {
				return nil, &ParamError{Param: "cursor", Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
			}
			page.before, p.From, p.To = c.N, time.UnixMilli(c.From), time.UnixMilli(c.To)
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// rawOnly reports whether rows that lack a figure have it under filters.
func rawOnly(dimension, figure string) bool {
	ofEvents := Condition{Dimension: dimension}.OfEvents()
	return slices.Contains(FilteredTopFigures, figure) && !(ofEvents && passing.OfSessions(figure))
}

// next returns the cursor of the page after an answer; "": it is the last. Values are ordered by figures, which may change between two
// pages of a range that is not over: a value may then be on both, or on neither.
func (p topPage) next(a TopAnswer, s calendar.Span) string {
	end := p.before + len(a.Rows)
	if end >= a.Values || len(a.Rows) == 0 {
		return ""
	}
	return sitetable.Cursor{Question: p.question, Key: a.Rows[len(a.Rows)-1].Value, N: end, From: s.From, To: s.To}.String()
}

// dimensionsOf lists the dimensions of pages.
func dimensionsOf(pages []topPage) (dimensions []breakdowns.Dimension) {
	for _, p := range pages {
		dimensions = append(dimensions, p.by)
	}
	return dimensions
}
