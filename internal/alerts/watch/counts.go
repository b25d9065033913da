package watch

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/noted"
)

// Counts judges rules by the figures of a table: those of query stats, goals and top, by hour.
type Counts struct{ Reader *query.Reader }

// mostValues is how many values of a dimension are compared.
const mostValues = 200

// Judge returns what a rule finds in an hour of a site; nil: nothing.
func (c Counts) Judge(ctx context.Context, site string, r alerts.Rule, hour int64) ([]alerts.Deviation, error) {
	zone, err := c.zone(ctx, site, hour)
	if err != nil {
		return nil, err
	}
	if r.Dimension != "" {
		return c.judgeValues(ctx, site, r, r.Spans(hour, zone))
	}
	spans := r.Spans(hour, zone)
	series := alerts.NewSeries(spans[alerts.Weeks][0], hour+1)
	for _, span := range spans {
		if known, err := c.fill(ctx, site, r, series, span); err != nil || !known {
			return nil, err
		}
	}
	return judgeSeries(r, series, hour, zone), nil
}

func judgeSeries(r alerts.Rule, series alerts.Series, hour int64, zone *time.Location) []alerts.Deviation {
	if d, ok := r.Judge(series, hour, zone); ok {
		return []alerts.Deviation{d}
	}
	return nil
}

// The most days that can be tried. Values of a dimension are read hour by hour.
const (
	maxTried       = 366
	maxTriedValues = 7
)

// Try returns in which hours of [from, to) a rule would have fired. To zero: now.
func (c Counts) Try(ctx context.Context, site string, r alerts.Rule, from, to, now time.Time) (query.AlertsAnswer, error) {
	last := now.Add(-Grace).Truncate(time.Hour)
	if to.IsZero() || to.After(last) {
		to = last
	}
	most := maxTried
	if r.Dimension != "" {
		most = maxTriedValues
	}
	about, err := c.Reader.Site(ctx, query.SiteParams{Site: site})
	a := query.AlertsAnswer{Site: site, Known: about.Known, From: &from, To: &to,
		Alerts: []noted.Alert{}, Findings: []noted.Finding{}, WaitingFor: []int32{}, Skipped: []noted.Skipped{}, Tried: true}
	if err != nil {
		return a, err
	}
	if to.Sub(from) > time.Duration(most)*24*time.Hour {
		return a, &query.ParamError{Param: "from", Value: from.Format(time.RFC3339),
			Remedy: fmt.Sprintf("the range is too long: try at most %d days of this condition", most)}
	}
	begin, known, err := c.begin(ctx, site)
	if err != nil || !known {
		return a, err
	}
	first, end := max(alerts.Hour(from), begin), alerts.Hour(to)
	zone, err := c.zone(ctx, site, end)
	if err != nil {
		return a, err
	}
	end = min(end, over(alerts.Hour(last)-1, zone)+1)
	series := alerts.NewSeries(first-(alerts.Weeks*7+2)*24, end)
	if r.Dimension == "" && first < end {
		if known, err := c.fill(ctx, site, r, series, [2]int64{series.From, end}); err != nil || !known {
			return a, err
		}
	}
	for hour := first; hour < end; hour++ {
		var found []alerts.Deviation
		if r.Dimension == "" {
			found = judgeSeries(r, series, hour, zone)
		} else if found, err = c.judgeValues(ctx, site, r, r.Spans(hour, zone)); err != nil {
			return a, err
		}
		if len(found) > 0 {
			f := alerts.Finding{Site: site, Alert: r.String(), Hour: hour, Begin: beginOf(hour, zone), When: r.String(), Found: found,
				JudgedAt: now, Delivery: alerts.Delivery{State: alerts.NoHook}}
			a.Findings = append(a.Findings, f.Shown())
			hour += alerts.QuietHours
		}
	}
	return a, nil
}

// begin returns the first hour of a site with figures: it is not judged before. known is false without any.
func (c Counts) begin(ctx context.Context, site string) (hour int64, known bool, err error) {
	a, err := c.Reader.Stats(ctx, params(site, [2]int64{0, 1})) // An hour of 1970, which no event is of: the answer says where there are some.
	if err != nil || a.Stored == nil {
		return 0, false, err
	}
	hour = alerts.Hour(a.Stored.From) // of its day or month
	if a, err = c.Reader.Stats(ctx, params(site, [2]int64{hour, hour + 31*24})); len(a.Buckets) > 0 {
		hour = alerts.Hour(a.Buckets[0].Start)
	}
	return hour, true, err
}

// zone is that of the site's clocks in an hour.
func (c Counts) zone(ctx context.Context, site string, hour int64) (*time.Location, error) {
	dates, err := c.Reader.Dates(ctx, site)
	if err != nil {
		return nil, err
	}
	return dates.Zone(alerts.HourStart(hour)), nil
}

// countFields are the figures that rules may be about.
var countFields = slices.DeleteFunc(figures.FieldsOf[query.Figures](), func(f figures.Field) bool {
	return !slices.Contains(alerts.Counts(), f.Name)
})

// params ask for the hours [from, to).
func params(site string, span [2]int64) query.StatsParams {
	return query.StatsParams{Site: site, From: alerts.HourStart(span[0]), To: alerts.HourStart(span[1]), By: query.Hour,
		Paging: query.Paging{Limit: query.MaxLimit}}
}

// fill sets the counts of the hours [from, to). It returns false if the goal is not known, or was deleted.
func (c Counts) fill(ctx context.Context, site string, r alerts.Rule, series alerts.Series, span [2]int64) (known bool, err error) {
	if r.Goal != "" {
		return c.fillGoal(ctx, site, r.Goal, series, span)
	}
	a, err := c.Reader.Stats(ctx, params(site, span))
	if err != nil {
		return false, err
	}
	for _, b := range a.Buckets {
		for _, f := range countFields {
			if n, ok := figures.Number(reflect.ValueOf(b.Figures).Field(f.Index)); ok && f.Name == r.Figure {
				series.Set(alerts.Hour(b.Start), int64(n))
			}
		}
	}
	return true, nil
}

func (c Counts) fillGoal(ctx context.Context, site, goal string, series alerts.Series, span [2]int64) (known bool, err error) {
	a, err := c.Reader.GoalStats(ctx, params(site, span))
	if err != nil || a.Totals == nil {
		return false, err
	}
	number := uint64(0)
	for _, g := range a.Totals.Goals {
		if g.ID == goal && !g.Deleted {
			number, known = g.Number, true
		}
	}
	for _, b := range a.Buckets {
		for _, g := range b.Goals {
			if known && g.Number == number {
				series.Set(alerts.Hour(b.Start), g.Conversions)
			}
		}
	}
	return known, nil
}

func (c Counts) judgeValues(ctx context.Context, site string, r alerts.Rule, spans [1 + alerts.Weeks][2]int64) ([]alerts.Deviation, error) {
	all := make(map[string]alerts.Sums)
	for week, span := range spans {
		a, err := c.Reader.Top(ctx, query.TopParams{Site: site, Dimension: r.Dimension, From: alerts.HourStart(span[0]),
			To: alerts.HourStart(span[1]), Sort: "sessions", Limit: mostValues})
		if err != nil {
			return nil, err
		}
		for _, row := range a.Rows {
			sums := all[row.Value]
			sums[week] = row.Sessions
			all[row.Value] = sums
		}
	}
	return r.JudgeValues(all), nil
}

// CheckKnown reports that a rule is about a goal that the site does not have.
func (c Counts) CheckKnown(ctx context.Context, site string, r alerts.Rule) error {
	if r.Goal == "" {
		return nil
	}
	a, err := c.Reader.Goal(ctx, query.GoalParams{Site: site, Goal: r.Goal, Consistent: true})
	if err == nil && (a.Goal == nil || a.Goal.Deleted) {
		err = fmt.Errorf("site %q has no goal %q: `footfall goal list` lists the ids", site, r.Goal)
	}
	return err
}
