package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// UniquesParams ask for the distinct visitors of a range, which is widened to whole hours.
type UniquesParams struct {
	Site     string
	From, To time.Time // From is required, To is exclusive; To zero: now
	// Zone is the time zone of the answer; nil: the site's own at the end of the range. If From or To is the beginning of a day in it,
	// an hour of the site's own zone must begin then, because hours cannot be split. If none does, there is a ParamError.
	Zone *time.Location
	// IncludeBots adds bots to Events. Visitors never include bots: their ids are not kept.
	IncludeBots bool
	Consistent  bool // strongly consistent reads, at twice the cost
}

// UniquesAnswer says how many distinct visitors a site had in a range.
type UniquesAnswer struct {
	Site string `json:"siteId"`
	Known
	Zone           string    `json:"timeZone"` // by its IANA name; the range is given in it
	From           time.Time `json:"from"`
	To             time.Time `json:"to"`                  // exclusive
	UniqueVisitors uint64    `json:"uniqueVisitors"`      // at most the events of people
	VisitorsError  float64   `json:"uniqueVisitorsError"` // as in Figures
	Exact          bool      `json:"exact"`               // not an estimate, as the visitors are few
	Events         int64     `json:"events"`
	BotEvents      int64     `json:"botEvents"`    // of bots; in Events if IncludesBots is set
	IncludesBots   bool      `json:"includesBots"` // Events include bots; UniqueVisitors do not
	Hours          int       `json:"hours"`        // hours with events
	ExpiredOmitted int       `json:"expiredCount"`
	Stored         *Stored   `json:"stored,omitempty"` // where the site has data if the range has none; as in StatsAnswer
	Coverage
}

// Uniques counts the distinct visitors of a range. It merges the visitors of all hours and partitions, so a visitor who came in two
// hours counts once. It reads sealed days and months where they are up to date.
func (r *Reader) Uniques(ctx context.Context, p UniquesParams) (UniquesAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return UniquesAnswer{}, err
	}
	return ask(ctx, r, p, answerUniques, "uniques of site %q", p.Site)
}

func answerUniques(ctx context.Context, t *sitetable.Store, p UniquesParams) (UniquesAnswer, error) {
	table, created, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return UniquesAnswer{}, err
	}
	s, days, err := table.WholeHours(p.From, p.To, p.Zone)
	if err != nil {
		return UniquesAnswer{}, err
	}
	covers, err := table.Covering(ctx)
	if err != nil {
		return UniquesAnswer{}, err
	}
	visitors := sketch.NewHour()
	a := UniquesAnswer{Coverage: covers.Of(s.To, days.Instant), Site: p.Site, Zone: days.Loc.String(), From: days.Instant(s.From),
		To: days.Instant(s.To)}
	for part, err := range table.Stretches(s, sitetable.SealedUniques(t.Keys)).All(ctx) {
		switch {
		case err != nil:
		case part.Sealed == nil:
			err = a.addHours(ctx, table.HoursOf(part.Span), visitors)
		default:
			a.BotEvents += part.Sums().Counts[figures.BotEvents]
			err = a.addSealed(part.Sealed, visitors)
		}
		if err != nil {
			return UniquesAnswer{}, err
		}
	}
	a.UniqueVisitors = numbers.Clamp(visitors.Estimate(), a.Events)
	a.Exact, a.VisitorsError = visitors.Entries() >= 0, visitors.StandardError()
	if a.IncludesBots = p.IncludeBots; a.IncludesBots {
		a.Events += a.BotEvents
	}
	if a.Hours == 0 {
		if a.Stored, err = table.DataIn(ctx, sitetable.HourStats, s, days.Loc); err != nil {
			return UniquesAnswer{}, err
		}
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, created || a.Hours+a.ExpiredOmitted > 0)
	return a, err
}

// addSealed folds in a sealed day or month.
func (a *UniquesAnswer) addSealed(it sinks.Item, visitors *sketch.Uniques) error {
	a.Hours += int(it[sinks.AttrHours].Int())
	a.Events += it[sinks.AttrEvents].Int()
	return sitetable.Union(visitors, sketch.NewHour(), it, sinks.AttrPart)
}

// addHours folds in the hours of a walk.
func (a *UniquesAnswer) addHours(ctx context.Context, walk *sitetable.Hours, visitors *sketch.Uniques) error {
	for h, err := range walk.All(ctx) {
		if err != nil {
			return err
		}
		if err := visitors.Merge(h.Visitors); err != nil {
			return fmt.Errorf("merge the hour of %s: %w", calendar.Instant(h.Start), err)
		}
		if h.Counted {
			a.Hours++
		}
		a.Events += h.Sums.Counts[figures.Events]
		a.BotEvents += h.Sums.Counts[figures.BotEvents]
	}
	a.ExpiredOmitted += walk.Expired()
	return nil
}
