package simulation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// sealsLast reports whether the last process seals. Where it does not, readers find items that do not hold any more.
func (s *simulation) sealsLast() bool { return s.seed%2 == 1 }

// sealLast has what was left unsealed, or has changed since, sealed.
func (s *simulation) sealLast() {
	if !s.sealsLast() {
		return
	}
	log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	if err == nil {
		err = seal.New(seal.Options{Table: s.Table, Keys: s.live().keys, After: s.sealAfter, DaySpan: log.DaySpan}).Pass(context.Background())
	}
	if err != nil {
		s.problem("seal: %v", err)
	}
}

// judgeSealed notes what verify has found of sealed items, and has readers ask for what they may answer: the answers must be
// those of a table without them. Where hours have expired in the meantime sealed items know more.
func (s *simulation) judgeSealed(report verify.Report) {
	for kind, n := range report.Compared {
		if strings.HasPrefix(kind, "sealed") || kind == "month stats" {
			s.cover.Add(onSealed, int(n))
		}
	}
	for reason, n := range report.LeftOut {
		if strings.HasPrefix(reason, "sealed before") {
			s.cover.Add(onSealedStale, int(n))
		}
	}
	// An hour may have got its part of an undecided flush after its day was sealed, and no day says so.
	if s.retention.HourDays == 1 || s.moving || s.undecided() {
		return
	}
	for site := range 3 {
		name := fmt.Sprint("site-", site)
		have, want := make(map[string]string), make(map[string]string)
		if lost := lostOf(report, name); lost == nil {
			have, want = s.answers(s.Table, name), s.answers(unsealed{s.Table}, name)
		} else {
			for _, day := range s.wholeDays(lost) {
				maps.Copy(have, s.answersOfDay(s.Table, name, day))
				maps.Copy(want, s.answersOfDay(unsealed{s.Table}, name, day))
			}
		}
		for _, q := range slices.Sorted(maps.Keys(want)) {
			if have[q] != want[q] {
				s.problem("query %s of %s: %s; without sealed items %s", q, name, have[q], want[q])
			}
		}
	}
}

// lostOf are the instants of a site's hours, days and states with a lost span; nil: nothing of it is lost.
func lostOf(report verify.Report, site string) (lost []time.Time) {
	for _, l := range report.Lost {
		if m, ok := sinks.Find(sinks.Key{PK: l.PK, SK: l.SK}, nil, sinks.DefaultShards); ok && m.Fields.Site == site {
			lost = append(lost, time.UnixMilli(m.Fields.At))
		}
	}
	return lost
}

// wholeDays are the days around the simulation that have lost nothing, in any time zone.
func (s *simulation) wholeDays(lost []time.Time) (days []time.Time) {
	for day := bubbleStart.Truncate(24*time.Hour).AddDate(0, 0, -7); day.Before(time.Now()); day = day.AddDate(0, 0, 1) {
		if !slices.ContainsFunc(lost, func(at time.Time) bool { return at.Sub(day).Abs() < 72*time.Hour }) {
			days = append(days, day)
		}
	}
	return days
}

// answersOfDay asks for what the sealed items of one day may answer.
func (s *simulation) answersOfDay(table sinks.Table, site string, day time.Time) map[string]string {
	ctx, r := context.Background(), query.New(table, time.Now)
	next := day.AddDate(0, 0, 1)
	all := make(map[string]string)
	note := func(name string, answer any, err error) {
		if err != nil {
			s.problem("query %s of %s, %s: %v", name, site, day.Format(time.DateOnly), err)
		}
		b, _ := json.Marshal(answer) // Answers are made to be marshalled.
		all[name+" of "+day.Format(time.DateOnly)] = string(b)
	}
	u, err := r.Uniques(ctx, query.UniquesParams{Site: site, From: day, To: next, Consistent: true})
	note("uniques", u, err)
	top, err := r.Top(ctx, query.TopParams{Site: site, Dimension: "page", From: day, To: next, Consistent: true})
	note("top", top, err)
	a, err := r.Stats(ctx, query.StatsParams{Site: site, From: day, To: next, By: query.Day, Consistent: true})
	note("stats", a, err)
	return all
}

// answers asks for all that sealed items may answer.
func (s *simulation) answers(table sinks.Table, site string) map[string]string {
	ctx, r := context.Background(), query.New(table, time.Now)
	from, to := bubbleStart.AddDate(0, -1, 0), bubbleStart.AddDate(0, 1, 0)
	all := make(map[string]string)
	note := func(name string, answer any, err error) {
		if err != nil {
			s.problem("query %s of %s: %v", name, site, err)
		}
		b, _ := json.Marshal(answer) // Answers are made to be marshalled.
		all[name] = string(b)
	}
	for _, last := range []time.Time{to, to.AddDate(0, 0, -3)} { // Whole months, and days.
		u, err := r.Uniques(ctx, query.UniquesParams{Site: site, From: from, To: last, Consistent: true})
		note("uniques until "+last.Format(time.DateOnly), u, err)
		top, err := r.Top(ctx, query.TopParams{Site: site, Dimension: "page", From: from, To: last, Consistent: true})
		note("top until "+last.Format(time.DateOnly), top, err)
		s.addUp(r, site, from, last)
		for _, by := range []query.By{query.Day, query.Month} {
			a, err := r.Stats(ctx, query.StatsParams{Site: site, From: from, To: last, By: by, Consistent: true})
			note(fmt.Sprint("stats by ", by, " until "+last.Format(time.DateOnly)), a, err)
		}
	}
	return all
}

// undecided reports whether a gap has left a flush that may be in some of its items, and may come to others after they were read.
func (s *simulation) undecided() bool {
	for n := range s.partitions {
		if slices.ContainsFunc(s.gaps(n), func(g checkpoint.Gap) bool { return g.UndecidedFrom < g.UndecidedTo }) {
			return true
		}
	}
	return false
}

// addUp wants what answers say of each dimension to be all events of the site, with a value or without. A flush that a gap has left
// undecided may be in the breakdowns and not in the sums.
func (s *simulation) addUp(r *query.Reader, site string, from, to time.Time) {
	if s.undecided() {
		return
	}
	ctx := context.Background()
	stats, err := r.Stats(ctx, query.StatsParams{Site: site, From: from, To: to, By: query.Month, Consistent: true})
	if err != nil {
		return // It is noted.
	}
	for _, d := range []sketch.Dimension{sketch.Page, sketch.Channel, sketch.Country, sketch.EventName} {
		a, err := r.Top(ctx, query.TopParams{Site: site, Dimension: d.String(), From: from, To: to, Consistent: true})
		if err != nil || a.None == nil {
			s.problem("top %s of %s: %v, none: %v", d, site, err, a.None)
			continue
		}
		events, views := a.Other.Events+a.None.Events+a.NotBrokenDown, a.Other.PageViews+a.None.PageViews
		for _, row := range a.Rows {
			events, views = events+row.Events, views+row.PageViews
		}
		if events != stats.Totals.Events || a.NotBrokenDown == 0 && views != stats.Totals.PageViews {
			s.problem("top %s of %s: rows, others and none have %d events and %d page views, the site %d and %d", d, site, events, views,
				stats.Totals.Events, stats.Totals.PageViews)
		}
	}
}

// unsealed is a table without its sealed items.
type unsealed struct{ sinks.Table }

func isSealed(k sinks.Key) bool {
	return strings.HasPrefix(k.SK, "day#") || strings.HasPrefix(k.SK, "month#") || strings.HasPrefix(k.SK, sinks.MonthStatsPrefix)
}

func (u unsealed) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := u.Table.Query(ctx, q)
	page.Items = slices.DeleteFunc(page.Items, func(it sinks.Item) bool { return isSealed(it.Key()) })
	return page, err
}

func (u unsealed) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := u.Table.BatchGet(ctx, g)
	maps.DeleteFunc(r.Items, func(k sinks.Key, _ sinks.Item) bool { return isSealed(k) })
	return r, err
}
