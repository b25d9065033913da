package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TopParams ask for the top values of a dimension over a range, widened to whole hours.
type TopParams struct {
	Site       string // "": all sites together
	Dimension  string // as sketch.ParseDimension takes it
	From, To   time.Time
	Sort       string // one of TopFigures; "": events
	Limit      int    // rows; 0: DefaultLimit
	Consistent bool   // read strongly, at twice the cost
}

// TopFigures are the figures by which values can be sorted, the greatest first.
var TopFigures = []string{"events", "pageViews", "uniqueVisitors", "sessions", "bounces", "durationMs", "entries", "exits", "valueSum"}

// TopAnswer holds the top values of a dimension. The figures of all rows and of Other add up to those of all events that
// say anything in the dimension, and of their sessions.
type TopAnswer struct {
	Site      string    `json:"siteId"` // "": all sites
	SiteKnown bool      `json:"siteKnown"`
	Sites     int       `json:"sites"` // that had anything
	Dimension string    `json:"dimension"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Sort      string    `json:"sort"`
	Rows      []TopRow  `json:"rows"`
	// Values is how many values are known; beyond the rows of this answer they are neither in Rows nor in Other.
	Values int `json:"values"`
	// Other is what values counted together while they had no row. One that has none has AbsentAtMost events at the most.
	Other          TopCounts `json:"other"`
	AbsentAtMost   uint64    `json:"absentAtMost"`
	Hours          int       `json:"hours"` // of sites, that had anything
	ExpiredOmitted int       `json:"expiredOmitted"`
}

// TopRow is a value with its figures. Each of them may be too small by what the value did while it had no row; of events
// Uncertain says by how much at the most. Where it is 0 all figures are exact, visitors up to 64.
type TopRow struct {
	Value     string `json:"value"`
	Uncertain uint64 `json:"uncertain"`
	TopCounts
}

// TopCounts are the figures of a value. Sessions, and what is derived from them, belong to the values of the event that
// opened the session, those of pages to the entry page.
type TopCounts struct {
	Events         int64    `json:"events"`
	PageViews      int64    `json:"pageViews"`
	UniqueVisitors uint64   `json:"uniqueVisitors"` // at most Events
	Sessions       int64    `json:"sessions"`
	Bounces        int64    `json:"bounces"`
	BounceRate     *float64 `json:"bounceRate"`
	DurationMs     int64    `json:"durationMs"`
	AvgDurationMs  *int64   `json:"avgDurationMs"`
	Entries        int64    `json:"entries"`  // of pages
	Exits          int64    `json:"exits"`    // of pages
	Values         int64    `json:"values"`   // of named events: those that had a value
	ValueSum       string   `json:"valueSum"` // exact, a decimal
	ValueMin       string   `json:"valueMin"` // "" without values
	ValueMax       string   `json:"valueMax"`
}

// Top merges what every partition knows of every hour of the range.
func (r *Reader) Top(ctx context.Context, p TopParams) (TopAnswer, error) {
	a, err := r.top(ctx, p)
	if err != nil {
		return TopAnswer{}, fmt.Errorf("top values of %q: %w", p.Dimension, err)
	}
	return a, nil
}

func (r *Reader) top(ctx context.Context, p TopParams) (TopAnswer, error) {
	d, err := sketch.ParseDimension(p.Dimension)
	if err != nil {
		return TopAnswer{}, &ParamError{"dimension", p.Dimension, fmt.Sprintf("is none of %v", sketch.Dimensions())}
	}
	p.Sort = cmp.Or(p.Sort, TopFigures[0])
	if !slices.Contains(TopFigures, p.Sort) {
		return TopAnswer{}, &ParamError{"sort", p.Sort, fmt.Sprintf("is none of %v", TopFigures)}
	}
	limit, err := Paging{Limit: p.Limit}.limit()
	if err != nil {
		return TopAnswer{}, err
	}
	s, err := r.bounded(p.From, p.To)
	if err != nil {
		return TopAnswer{}, err
	}
	s = s.widen(time.Hour)
	a := TopAnswer{Site: p.Site, Dimension: d.String(), From: instant(s.from), To: instant(s.to), Sort: p.Sort, Rows: []TopRow{}}
	sum := newTopSum(d)
	if p.Site != "" {
		if err := checkID("site", p.Site); err != nil {
			return TopAnswer{}, err
		}
		if err := r.addTop(ctx, p.Site, s, p.Consistent, sum); err != nil {
			return TopAnswer{}, err
		}
		a.SiteKnown, err = r.known(ctx, p.Site, sum.hours+sum.expired > 0)
	} else {
		a.SiteKnown = true
		err = r.addAllTops(ctx, s, p.Consistent, sum)
	}
	a.Sites, a.Hours, a.ExpiredOmitted, a.Values = sum.sites, sum.hours, sum.expired, len(sum.rows)
	a.Rows, a.Other, a.AbsentAtMost = sum.list(p.Sort, limit), topCounts(&sum.other), sum.floors
	return a, err
}

// addAllTops merges the breakdowns of every site of the table.
func (r *Reader) addAllTops(ctx context.Context, s span, consistent bool, sum *topSum) error {
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	cursor := ""
	for {
		page, err := r.sites(ctx, SitesParams{Consistent: consistent, Paging: Paging{Limit: MaxLimit, Cursor: cursor}})
		if err != nil {
			return err
		}
		for _, site := range page.Sites {
			group.Go(func() error { return r.addTop(gctx, site.SiteID, s, consistent, sum) })
		}
		if cursor = page.Cursor; cursor == "" {
			return group.Wait()
		}
	}
}

// addTop merges the breakdowns of a site.
func (r *Reader) addTop(ctx context.Context, site string, s span, consistent bool, sum *topSum) error {
	from, to := s.hourBounds(sinks.BreakdownPrefix)
	q := sinks.Query{From: from, To: to, Consistent: consistent}
	walk := &bucketWalk{m: r.walk(q, maxPage, position{}, false, r.keys.BreakdownList(site)),
		prefix: sinks.BreakdownPrefix, parse: sinks.ParseHour}
	hours, last := 0, int64(-1)
	for {
		if err := walk.advance(ctx); err != nil {
			return err
		}
		if walk.item == nil {
			break
		}
		part := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(walk.item[sinks.AttrPart].Bytes(), part); err != nil {
			return fmt.Errorf("%s / %s: %w", walk.item.Key().PK, walk.item.Key().SK, err)
		}
		if walk.start != last {
			hours, last = hours+1, walk.start
		}
		if err := sum.add(part); err != nil {
			return err
		}
	}
	sum.mu.Lock()
	defer sum.mu.Unlock()
	sum.hours += hours
	sum.expired += walk.expired
	if hours > 0 {
		sum.sites++
	}
	return nil
}

// topSum adds up the parts of a dimension. A part without a row for a value has seen it as often as its floor at the
// most, which is added to the value's uncertainty.
type topSum struct {
	dimension sketch.Dimension

	mu                    sync.Mutex // covers all below
	rows                  map[string]*topRow
	other                 sketch.Counts
	floors                uint64 // of all parts
	sites, hours, expired int
}

// topRow is a value's sum. known gathers the floors of the parts that have a row for it, and error what those rows miss.
type topRow struct {
	sketch.Counts
	known, error uint64
}

func newTopSum(d sketch.Dimension) *topSum {
	return &topSum{dimension: d, rows: make(map[string]*topRow), other: sketch.Counts{Visitors: sketch.NewRow()}}
}

func (t *topSum) add(part *sketch.Breakdown) error {
	rows, other, floor := part.Rows(t.dimension), part.Other(t.dimension), part.Floor(t.dimension)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floors += floor
	for _, row := range rows {
		sum := t.rows[row.Value]
		if sum == nil {
			sum = &topRow{Counts: sketch.Counts{Visitors: sketch.NewRow()}}
			t.rows[row.Value] = sum
		}
		sum.known += floor
		sum.error += row.Error
		if err := addCounts(&sum.Counts, row.Counts); err != nil {
			return err
		}
	}
	return addCounts(&t.other, other)
}

func addCounts(k *sketch.Counts, o sketch.Counts) error {
	if o.Values > 0 {
		if k.Values == 0 {
			k.Min, k.Max = o.Min, o.Max
		}
		k.Min, k.Max = min(k.Min, o.Min), max(k.Max, o.Max)
	}
	k.Events += o.Events
	k.PageViews += o.PageViews
	k.Sessions += o.Sessions
	k.Bounces += o.Bounces
	k.DurationMs += o.DurationMs
	k.Entries += o.Entries
	k.Exits += o.Exits
	k.Values += o.Values
	k.Sum = k.Sum.Plus(o.Sum)
	return k.Visitors.Merge(o.Visitors)
}

// list returns the first rows by a figure, of equals those with more events, then those whose value is less.
func (t *topSum) list(figure string, limit int) []TopRow {
	rows := make([]TopRow, 0, len(t.rows))
	for value, sum := range t.rows {
		rows = append(rows, TopRow{Value: value, Uncertain: t.floors - sum.known + sum.error, TopCounts: topCounts(&sum.Counts)})
	}
	slices.SortFunc(rows, func(a, b TopRow) int {
		return cmp.Or(t.compare(figure, b, a), cmp.Compare(b.Events, a.Events), cmp.Compare(a.Value, b.Value))
	})
	return rows[:min(limit, len(rows))]
}

func (t *topSum) compare(figure string, a, b TopRow) int {
	switch figure {
	case "pageViews":
		return cmp.Compare(a.PageViews, b.PageViews)
	case "uniqueVisitors":
		return cmp.Compare(a.UniqueVisitors, b.UniqueVisitors)
	case "sessions":
		return cmp.Compare(a.Sessions, b.Sessions)
	case "bounces":
		return cmp.Compare(a.Bounces, b.Bounces)
	case "durationMs":
		return cmp.Compare(a.DurationMs, b.DurationMs)
	case "entries":
		return cmp.Compare(a.Entries, b.Entries)
	case "exits":
		return cmp.Compare(a.Exits, b.Exits)
	case "valueSum":
		x, y := t.rows[a.Value].Sum, t.rows[b.Value].Sum
		return cmp.Or(cmp.Compare(x.Hi, y.Hi), cmp.Compare(x.Lo, y.Lo))
	}
	return cmp.Compare(a.Events, b.Events)
}

func topCounts(k *sketch.Counts) TopCounts {
	s := sums{sessions: k.Sessions, durationMs: k.DurationMs}
	c := TopCounts{Events: k.Events, PageViews: k.PageViews, UniqueVisitors: clamp(k.Visitors.Estimate(), k.Events),
		Sessions: k.Sessions, Bounces: k.Bounces, BounceRate: ratio(k.Bounces, k.Sessions), DurationMs: k.DurationMs,
		AvgDurationMs: s.figures(nil).AvgDurationMs, Entries: k.Entries, Exits: k.Exits, Values: k.Values,
		ValueSum: decimal(k.Sum)}
	if k.Values > 0 {
		c.ValueMin, c.ValueMax = decimal(sinks.Int128From(k.Min)), decimal(sinks.Int128From(k.Max))
	}
	return c
}

func (a TopAnswer) notes() []string {
	notes := remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, "")
	if a.Values > len(a.Rows) {
		notes = append(notes, strconv.Itoa(a.Values-len(a.Rows))+" more values are known: ask for them with --limit.")
	}
	if a.AbsentAtMost > 0 {
		notes = append(notes, fmt.Sprintf("A value that is not known had %d events at the most.", a.AbsentAtMost))
	}
	return notes
}

func (a TopAnswer) sheets() []sheet {
	of := "site " + a.Site
	if a.Site == "" {
		of = fmt.Sprintf("%d sites", a.Sites)
	}
	s := sheet{title: fmt.Sprintf("Top %s of %s by %s, %s", a.Dimension, of, a.Sort, spanText(&a.From, &a.To)), none: "There was nothing.",
		columns: []column{{"value", a.Dimension, false}, {"events", "Events", true}, {"uncertain", "Up to so many more", true},
			{"pageViews", "Page views", true}, {"uniqueVisitors", "Visitors", true}, {"sessions", "Sessions", true}, {"bounces", "", true},
			{"bounceRate", "Bounced", true}, {"durationMs", "", true}, {"avgDurationMs", "Avg duration", true}}}
	page, event := a.Dimension == sketch.Page.String(), a.Dimension == sketch.EventName.String()
	name := func(shown bool, title string) string {
		if shown {
			return title
		}
		return ""
	}
	s.columns = append(s.columns, column{"entries", name(page, "Entries"), true}, column{"exits", name(page, "Exits"), true},
		column{"values", name(event, "Values"), true}, column{"valueSum", name(event, "Value sum"), true},
		column{"valueMin", name(event, "Least"), true}, column{"valueMax", name(event, "Greatest"), true})
	for _, row := range a.Rows {
		s.rows = append(s.rows, append([]cell{textCell(row.Value), intCell(row.Events), intCell(row.Uncertain)}, row.cells()...))
	}
	if a.Other.Events > 0 {
		s.footer = append([]cell{textCell("(others)"), intCell(a.Other.Events), textCell("")}, a.Other.cells()...)
	}
	return []sheet{s}
}

// cells are those behind the events and their uncertainty.
func (c TopCounts) cells() []cell {
	return []cell{intCell(c.PageViews), intCell(c.UniqueVisitors), intCell(c.Sessions), intCell(c.Bounces), percentCell(c.BounceRate),
		intCell(c.DurationMs), durationCell(c.AvgDurationMs), intCell(c.Entries), intCell(c.Exits), intCell(c.Values),
		textCell(c.ValueSum), textCell(c.ValueMin), textCell(c.ValueMax)}
}
