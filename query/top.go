package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// TopParams ask for the top values of a dimension over a range, which is widened to whole hours.
type TopParams struct {
	Site      string         // "": all sites together
	Owner     string         // without a site: only the sites of this owner
	Dimension string         // see sketch.ParseDimension; or PropertyPrefix and the key of a property that the site has chosen
	From, To  time.Time      // From is required, To is exclusive; To zero: now
	Zone      *time.Location // as in UniquesParams; nil for all sites: UTC
	Sort      string         // one of TopFigures; "": pageViews of pages, sessions of entry and exit, uniqueVisitors of all else
	Limit     int            // max. rows, 1 to MaxLimit; 0: DefaultLimit
	MinCount  int            // leaves out rows whose rate or average is of fewer sessions or page views, 1 to MaxMinCount; 0: none
	Cursor    string         // continues after the page that returned it; "": the first page. The question must be the same
	// IncludeBots adds the events and page views of bots to the answer, in a figure of their own: breakdowns have no bots.
	IncludeBots bool
	Consistent  bool // strongly consistent reads, at twice the cost
}

// TopFigures are the figures that rows can be sorted by, always in descending order. Rows whose rate or
// average is not known come last. Only pages have the exit rate, the time on page and the scroll depth. Rates of few events say little.
var TopFigures = breakdowns.Figures

// TopRates are those of TopFigures that are rates and averages, which MinCount is about.
var TopRates = breakdowns.Rates

// MaxMinCount is the greatest MinCount of lists of top values.
const MaxMinCount = breakdowns.MaxMinCount

// TopAnswer holds the top values of a dimension. The figures of Rows, Other and None add up to those of all events in breakdowns, and of
// their sessions; visitors, entries, exits and values do not belong to None.
type TopAnswer struct {
	Site string `json:"siteId"` // "": all sites
	Known
	Sites int `json:"sites"` // with data in the range
	// Included are the sites that were asked; nil: it is Site.
	Included  *SitesIncluded `json:"included,omitempty"`
	Dimension string         `json:"dimension"`
	Zone      string         `json:"timeZone"` // by its IANA name; the range is given in it
	From      time.Time      `json:"from"`
	To        time.Time      `json:"to"` // exclusive
	Sort      string         `json:"sort"`
	MinCount  int            `json:"minCount,omitempty"` // as asked for: rows of fewer sessions or page views are in Other
	Rows      []TopRow       `json:"rows"`
	// Values is the number of values that have a row of their own in the table, and at least MinCount. Other are the figures of the values
	// after this page, and of any value while it had no row. So the Rows of all pages so far, Other and None add up. A value without a row has
	// at most AbsentAtMost events.
	Values       int       `json:"values"`
	Other        TopCounts `json:"other"`
	AbsentAtMost uint64    `json:"maxIfAbsent"`
	// Lacks is what the sessions of a row lack at most, as Uncertain is of events: what was counted of all values while they had no row.
	// A value without a row has at most as much.
	Lacks TopLacks `json:"maxUndercountOfSessions"`
	// ConversionsSince is when the site's first goal began, of the goals that it has now. Conversion rates of ranges that begin before are
	// null. null: it counts from the beginning, or there are no goals.
	ConversionsSince *time.Time `json:"conversionsSince"`
	// None are the figures of what has no value in the dimension; null if they are not known.
	None *TopNone `json:"none"`
	// NotBrokenDown is how many events of the range are in no breakdown: those beyond the site's budget, those counted while breakdowns
	// were off or after some hours had expired, and those of flushes that are being written.
	NotBrokenDown int64 `json:"eventsNotBrokenDown"`
	Coverage
	Bots           *TopBots `json:"bots"`  // of the range, in no row; null: not asked for
	Hours          int      `json:"hours"` // with data, added up over sites
	ExpiredOmitted int      `json:"expiredCount"`
	Cursor         string   `json:"cursor"` // of the next page; "": this is the last
	// Stored says where the site has data if the range has none; nil also for several sites.
	Stored *Stored `json:"stored,omitempty"`
}

// TopNone are the figures of events that have no value in a dimension, and of the sessions that they opened; for pages, of sessions
// without an entry page. They are what remains of all events in breakdowns, so they have no visitors.
type TopNone struct {
	Share         *float64 `json:"share"` // as in TopCounts; null also for visitors
	Events        int64    `json:"events"`
	PageViews     int64    `json:"pageViews"`
	Sessions      int64    `json:"sessions"`
	Bounces       int64    `json:"bounces"`
	BounceRate    *float64 `json:"bounceRate"`
	DurationMs    int64    `json:"durationMs"`
	AvgDurationMs *int64   `json:"avgDurationMs"`
	TopConversions
}

// TopConversions are the conversions of a value's sessions, counted in the hour in which the session started. Pages have those of the
// sessions that they are the entry pages of. Of dimensions other than page, referrer, channel and utm_* all of it is 0 or null.
type TopConversions struct {
	Conversions       int64    `json:"conversions"`       // of all goals
	ConvertedSessions int64    `json:"convertedSessions"` // that have reached any goal
	ConversionRate    *float64 `json:"conversionRate"`    // ConvertedSessions by sessions; see TopAnswer.ConversionsSince
	ConversionValue   string   `json:"conversionValue"`   // what the conversions are worth: exact, a decimal
}

// TopRow is a value with its figures. The table has rows for a limited number of values, so figures may lack what happened while the
// value had none. Events are too low by at most Uncertain. If Uncertain is 0, events, page views and values are exact, and so are
// visitors up to 64. Sessions, entries and exits are counted in the hour in which the session started. If the value had no row then,
// they are in Other instead: see TopAnswer.Lacks.
type TopRow struct {
	Value     string `json:"value"`
	Uncertain uint64 `json:"maxUndercount"`
	TopCounts
}

// TopLacks are upper bounds of what figures of sessions are too low by.
type TopLacks struct {
	Sessions   int64 `json:"sessions"`
	Bounces    int64 `json:"bounces"`
	DurationMs int64 `json:"durationMs"`
	Entries    int64 `json:"entries"`
	Exits      int64 `json:"exits"`
	// Conversions are those of all goals.
	Conversions int64 `json:"conversions"`
}

// TopBots are the events of bots, with any value or none.
type TopBots struct {
	Events    int64 `json:"events"`
	PageViews int64 `json:"pageViews"`
}

// TopCounts are the figures of a value. Sessions, and figures derived from them, belong to the values of the event that opened the
// session. For pages that is the entry page. No sessions belong to the values of properties.
type TopCounts struct {
	// Share is the part that the value has of the figure that rows are sorted by, 0 to 1. The whole are all events in breakdowns, with
	// a value in the dimension or without, and their sessions and visitors. Visitors of several values are in the share of each. null:
	// the whole is 0 or not known; sums of values, rates and averages have none.
	Share          *float64 `json:"share"`
	Events         int64    `json:"events"`
	PageViews      int64    `json:"pageViews"`
	UniqueVisitors uint64   `json:"uniqueVisitors"` // at most Events
	// VisitorsError is the relative standard error of UniqueVisitors, 0.01 for 1 %; 0: they are as exact as Events.
	VisitorsError float64  `json:"uniqueVisitorsError"`
	Sessions      int64    `json:"sessions"`
	Bounces       int64    `json:"bounces"`
	BounceRate    *float64 `json:"bounceRate"`
	DurationMs    int64    `json:"durationMs"`
	AvgDurationMs *int64   `json:"avgDurationMs"`
	Entries       int64    `json:"entries"` // of pages: sessions that began with it
	Exits         int64    `json:"exits"`   // of pages: sessions that ended with it
	TopAttention
	TopConversions
	Values   int64  `json:"values"`   // of named events: the number of events with a value
	ValueSum string `json:"valueSum"` // exact, a decimal
	ValueMin string `json:"valueMin"` // "" without values
	ValueMax string `json:"valueMax"`
}

// TopAttention is how a page was read; of other dimensions all of it is 0 or null.
type TopAttention struct {
	ExitRate          *float64 `json:"exitRate"`          // exits by page views; may exceed 1 in a short range, as both are of their own hours
	TimedPageViews    int64    `json:"timedPageViews"`    // whose time on page is known
	TimeOnPageMs      int64    `json:"timeOnPageMs"`      // of those
	AvgTimeOnPageMs   *int64   `json:"avgTimeOnPageMs"`   // null without timed page views
	ScrolledPageViews int64    `json:"scrolledPageViews"` // whose scroll depth is known
	ScrollDepthSum    int64    `json:"scrollDepthSum"`    // of those, the greatest of each, in percent
	AvgScrollDepth    *float64 `json:"avgScrollDepth"`    // 0 to 1; null without scrolled page views
}

// Top reads the breakdowns of a range and merges those of all hours, partitions and sites. It reads sealed days and months where they
// are up to date.
func (r *Reader) Top(ctx context.Context, p TopParams) (TopAnswer, error) {
	return ask(ctx, r, p, answerTop, "top values of %q", p.Dimension)
}

func answerTop(ctx context.Context, t *sitetable.Store, p TopParams) (TopAnswer, error) {
	answers, err := answerTops(ctx, t, p, []TopList{{p.Dimension, p.Sort, p.Limit, p.MinCount}})
	if err != nil {
		return TopAnswer{}, err
	}
	return answers[0], nil
}

func answerTops(ctx context.Context, t *sitetable.Store, p TopParams, lists []TopList) ([]TopAnswer, error) {
	pages, err := topPages(&p, lists)
	if err != nil {
		return nil, err
	}
	table := sitetable.Table{Store: t, Consistent: p.Consistent} // All sites together: hours of UTC.
	created := true
	if p.Site != "" {
		if table, created, err = t.Open(ctx, p.Site, p.Consistent); err != nil {
			return nil, err
		}
	}
	s, days, err := table.WholeHours(p.From, p.To, p.Zone)
	if err != nil {
		return nil, err
	}
	walk := breakdowns.NewWalk(dimensionsOf(pages))
	asked := 0 // sites
	covers := sitetable.Covering{Coverage: Coverage{Warnings: []Warning{}}}
	if p.Site != "" {
		if covers, err = table.Covering(ctx); err != nil {
			return nil, err
		}
		err = walk.AddSite(ctx, table, s)
	} else {
		asked, err = addSites(ctx, walk, t, s, p)
	}
	if err != nil {
		return nil, err
	}
	known := p.Site == "" && (p.Owner == "" || asked > 0)
	if p.Site != "" {
		if known, err = t.Known(ctx, p.Site, created || walk.Hours+walk.Expired > 0); err != nil {
			return nil, err
		}
	}
	var stored *Stored
	if p.Site != "" && walk.Hours == 0 && walk.Stats.Counts[figures.Events]+walk.Stats.Counts[figures.BotEvents] == 0 {
		if stored, err = table.DataIn(ctx, sitetable.HourStats, s, days.Loc); err != nil {
			return nil, err
		}
	}
	var answers []TopAnswer
	for _, page := range pages {
		if err := page.by.CheckChosen(table.Clock.Rules); err != nil && p.Site != "" && known {
			return nil, err
		}
		sum := walk.Sum(page.by)
		sum.ConversionsSince(table, s)
		a := TopAnswer{Coverage: covers.Of(s.To, days.Instant), Site: p.Site, Known: Known{SiteKnown: known}, Dimension: page.by.Name,
			Zone: days.Loc.String(), From: days.Instant(s.From),
			To: days.Instant(s.To), Sort: page.sort, MinCount: page.minCount, Rows: []TopRow{}, Stored: stored}
		page.fill(&a, sum)
		describe(&a, walk, asked, p)
		a.Cursor = page.next(a, s)
		answers = append(answers, a)
	}
	return answers, nil
}

// describe adds to an answer which sites it is of, and the events of bots.
func describe(a *TopAnswer, w *breakdowns.Walk, asked int, p TopParams) {
	if p.Site == "" {
		a.Included = &SitesIncluded{Owner: p.Owner, Sites: asked, WithEvents: w.Sites}
	}
	if p.IncludeBots {
		a.Bots = &TopBots{w.Stats.Counts[figures.BotEvents], w.Stats.Counts[figures.BotPageViews]}
	}
}

// fill fills in the rows of the page by a figure, of equals those with more events, then those whose value is less.
func (p topPage) fill(a *TopAnswer, t *breakdowns.Sum) {
	rows, shares := t.Merge.Rows(), t.Shares(a.Sort)
	slices.SortFunc(rows, func(x, y sketch.BreakdownRow) int {
		return cmp.Or(shares.Compare(&y.Counts, &x.Counts), cmp.Compare(y.Events, x.Events), cmp.Compare(x.Value, y.Value))
	})
	var hidden []string
	rows = slices.DeleteFunc(rows, func(row sketch.BreakdownRow) bool {
		few := shares.Count(&row.Counts) < int64(p.minCount)
		if few {
			hidden = append(hidden, row.Value)
		}
		return few
	})
	for i, row := range rows {
		switch {
		case i < p.before:
			continue
		case len(a.Rows) == p.limit:
			hidden = append(hidden, row.Value)
			continue
		}
		a.Rows = append(a.Rows, TopRow{Value: row.Value, Uncertain: row.Error, TopCounts: topCounts(row.Counts, shares)})
	}
	a.Sites, a.Hours, a.ExpiredOmitted, a.Values = t.Sites, t.Hours, t.Expired, len(rows)
	a.Other, a.AbsentAtMost = topCounts(t.Merge.Other(hidden...), shares), t.Merge.Floor()
	lacks := t.Merge.Other()
	a.Lacks = TopLacks{lacks.Sessions, lacks.Bounces, lacks.DurationMs, lacks.Entries, lacks.Exits, lacks.Conversions.All()}
	a.ConversionsSince = t.Began
	a.None, a.NotBrokenDown = topNone(t, shares), t.NotBrokenDown()
}

func topAttention(d sketch.Dimension, k *sketch.Counts) (a TopAttention) {
	if d == sketch.Page {
		a = TopAttention{breakdowns.ExitRate(k), k.Timed, k.TimeMs, breakdowns.TimeOnPage(k), k.Scrolled, k.Depth, breakdowns.ScrollDepth(k)}
	}
	return a
}

func topConversions(s breakdowns.Shares, k *sketch.Counts) TopConversions {
	n := &k.Conversions
	return TopConversions{Conversions: n.All(), ConvertedSessions: n.Sessions, ConversionRate: s.ConversionRate(k),
		ConversionValue: numbers.Decimal(n.Worth)}
}

func topCounts(k sketch.Counts, s breakdowns.Shares) TopCounts {
	c := TopCounts{Share: s.Of(&k), Events: k.Events, PageViews: k.PageViews, UniqueVisitors: numbers.Clamp(k.Visitors.Estimate(), k.Events),
		VisitorsError: k.Visitors.StandardError(),
		Sessions:      k.Sessions, Bounces: k.Bounces, BounceRate: numbers.Ratio(k.Bounces, k.Sessions), DurationMs: k.DurationMs,
		AvgDurationMs: numbers.Average(k.DurationMs, k.Sessions), Entries: k.Entries, Exits: k.Exits, TopAttention: topAttention(s.D, &k),
		TopConversions: topConversions(s, &k), Values: k.Values, ValueSum: numbers.Decimal(k.Sum)}
	if k.Values > 0 {
		c.ValueMin, c.ValueMax = numbers.Decimal(int128.From(k.Min)), numbers.Decimal(int128.From(k.Max))
	}
	return c
}

// topNone returns the figures of what has no value; nil: they are not known.
func topNone(t *breakdowns.Sum, s breakdowns.Shares) *TopNone {
	rest, ok := t.None()
	if !ok {
		return nil
	}
	n := &TopNone{Events: rest.Events, PageViews: rest.PageViews, Sessions: rest.Sessions, Bounces: rest.Bounces,
		BounceRate: numbers.Ratio(rest.Bounces, rest.Sessions), DurationMs: rest.DurationMs,
		AvgDurationMs: numbers.Average(rest.DurationMs, rest.Sessions), TopConversions: topConversions(s, &rest)}
	if !s.OfVisitors() {
		n.Share = s.Of(&rest)
	}
	return n
}
