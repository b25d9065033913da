package site

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/zone"
)

// Notice is how far ahead a change of shards or of a zone must be: every worker learns of it within that time, or ends.
const Notice = 24 * time.Hour

// Changes are what is to change about a site; what is nil, zero or not named stays.
type Changes struct {
	Name                           *string
	Owner                          *string
	Domains, UserAgents, Referrers *[]string
	Days                           map[string]int64 // as in Definition; they hold for what is written from now on
	Shards                         int              // from the beginning of a day of UTC
	Zone                           string           // from an instant at which days begin in both zones
	// From is when Shards and Zone hold from. Zero: as soon as they may.
	From time.Time
}

// TooSoonError reports that a change cannot hold from the instant that was named.
type TooSoonError struct {
	What, Why string
	From      time.Time
	Next      time.Time // an instant from which it can; zero: there is none
}

func (e *TooSoonError) Error() string {
	s := fmt.Sprintf("%s cannot change from %s: %s", e.What, e.From.Format(time.RFC3339), e.Why)
	if e.Next.IsZero() {
		return s
	}
	return fmt.Sprintf("%s; the next instant is %s", s, e.Next.Format(time.RFC3339))
}

// NeverError reports that two zones have no midnight in common.
type NeverError struct {
	Site, Old, New string
	Cut            bool // hours of New begin within those of Old, so that --tz New is refused
}

func (e *NeverError) Error() string {
	s := fmt.Sprintf("site %q: the zone cannot change from %s to %s: in the next %d years no day begins in both at once, and every event "+
		"must belong to one whole day. ", e.Site, e.Old, e.New, searchYears)
	if e.Cut {
		return s + "Nor can --tz " + e.New + " make its days, of hours that begin within them: let the events have another siteId, and create that " +
			"with this zone before its first event"
	}
	return s + "Leave the zone as it is and ask with --tz " + e.New + ", which makes days of hours; or let the events have another siteId, and " +
		"create that with this zone before its first event"
}

// searchYears is how far ahead a common midnight is looked for.
const searchYears = 3

// Update changes a site, as a revision of the rules of sites. A site that nobody knows is an error, and so is a change that
// would hold too soon (*TooSoonError) or can never hold (*NeverError), whether the site has events or not: events may be under
// way. It may be repeated: a change that is made already changes nothing.
func Update(ctx context.Context, t sinks.Table, keys sinks.Keys, id string, c Changes, now time.Time) error {
	if err := c.Validate(id); err != nil {
		return err
	}
	return decide(ctx, t, keys, id, now, func(s state) (*rules.Site, error) {
		if s.unmet {
			return nil, fmt.Errorf("site %q is not known: `footfall site create` makes one", id)
		}
		next := s.rules.Clone()
		if s.rules == nil {
			next.CreatedAt = now.UnixMilli()
		}
		c.describe(next)
		var faults []error
		if c.Shards != 0 {
			faults = append(faults, c.spread(next, now))
		}
		if c.Zone != "" {
			faults = append(faults, c.move(next, id, now))
		}
		return next, errors.Join(faults...)
	})
}

// Validate names every fault of c that shows without a look at the site.
func (c Changes) Validate(id string) error {
	d := Definition{ID: id, Days: c.Days, Shards: c.Shards, Zone: c.Zone}
	text := func(from *string, to *string) {
		if from != nil {
			*to = *from
		}
	}
	text(c.Name, &d.Name)
	text(c.Owner, &d.Owner)
	list := func(from, to *[]string) {
		if from != nil {
			*to = *from
		}
	}
	list(c.Domains, &d.Domains)
	list(c.UserAgents, &d.UserAgents)
	list(c.Referrers, &d.Referrers)
	err := d.Validate()
	if !c.From.IsZero() && c.Shards == 0 && c.Zone == "" {
		err = errors.Join(err, fmt.Errorf("from %s: say what changes from then on, a zone or a number of shards", c.From.Format(time.RFC3339)))
	}
	return err
}

// describe changes what holds at once.
func (c Changes) describe(s *rules.Site) {
	if c.Name != nil {
		s.Name = *c.Name
	}
	if c.Owner != nil {
		s.Owner = *c.Owner
	}
	for _, list := range []struct{ from, to *[]string }{{c.Domains, &s.Domains}, {c.UserAgents, &s.UserAgents}, {c.Referrers, &s.Referrers}} {
		if list.from != nil {
			*list.to = *list.from
		}
	}
	for name, days := range c.Days {
		if s.Days == nil {
			s.Days = make(map[string]int64)
		}
		s.Days[name] = days
	}
}

// spread changes the number of shards.
func (c Changes) spread(s *rules.Site, now time.Time) error {
	if c.From.IsZero() && s.ShardsAt(farFuture) == c.Shards {
		return nil // Decided already.
	}
	soonest := now.Add(Notice).UTC().Truncate(24 * time.Hour)
	if soonest.Before(now.Add(Notice)) {
		soonest = soonest.Add(24 * time.Hour)
	}
	from := c.From
	switch {
	case from.IsZero():
		from = soonest
	case slices.Contains(s.Shards, rules.Shards{From: from.UnixMilli(), N: c.Shards}):
		return nil
	case !from.Equal(from.UTC().Truncate(24 * time.Hour)):
		return &TooSoonError{"the number of shards", "a day of UTC must begin then", from, soonest}
	case from.Before(soonest):
		return &TooSoonError{"the number of shards", "it is less than 24 hours ahead, and workers that do not know of it yet would write " +
			"elsewhere", from, soonest}
	}
	at := from.UnixMilli()
	s.Shards = append(slices.DeleteFunc(s.Shards, func(x rules.Shards) bool { return x.From >= at }), rules.Shards{From: at, N: c.Shards})
	return nil
}

// move changes the zone. Whatever was planned from then on is dropped.
func (c Changes) move(s *rules.Site, id string, now time.Time) error {
	if c.From.IsZero() && s.Zone(farFuture).Loc.String() == c.Zone {
		return nil // Decided already.
	}
	for _, z := range s.Zones {
		if z.Name == c.Zone && !c.From.IsZero() && z.From == c.From.UnixMilli() {
			return nil
		}
	}
	soonest := now.Add(Notice).UnixMilli()
	from := c.From
	if from.IsZero() {
		next, err := nextMidnight(s, c.Zone, soonest)
		if err == nil && next.IsZero() {
			err = never(id, s.Zone(soonest).Loc, c.Zone, soonest)
		}
		if err != nil {
			return err
		}
		from = next
	} else if why, err := unfit(s, c.Zone, from.UnixMilli(), soonest); err != nil || why != "" {
		next, err2 := nextMidnight(s, c.Zone, max(soonest, from.UnixMilli()))
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if next.IsZero() {
			return never(id, s.Zone(from.UnixMilli()-1).Loc, c.Zone, from.UnixMilli())
		}
		return &TooSoonError{"the zone", why, from, next}
	}
	at := from.UnixMilli()
	s.Zones = append(slices.DeleteFunc(s.Zones, func(z rules.Zone) bool { return z.From >= at }), rules.Zone{From: at, Name: c.Zone})
	return nil
}

// never returns the error of two zones, as of an instant.
func never(id string, old *time.Location, name string, at int64) error {
	loc, err := zone.Load(name)
	if err != nil {
		return err
	}
	_, midnight, _ := zone.Day(loc, at)
	from, _ := zone.Hour(old, midnight)
	return &NeverError{id, old.String(), name, from != midnight}
}

// unfit says why a zone cannot hold from an instant; "": it can.
func unfit(s *rules.Site, name string, at, soonest int64) (why string, err error) {
	loc, err := zone.Load(name)
	if err != nil {
		return "", err
	}
	old := s.Zone(at - 1).Loc
	oldDay, oldFrom, _ := zone.Day(old, at)
	newDay, newFrom, _ := zone.Day(loc, at)
	switch {
	case at < soonest:
		return "it is less than 24 hours ahead, and workers that do not know of it yet would count under the old one", nil
	case oldFrom != at:
		return "no day begins then in " + old.String() + ", the zone until then", nil
	case newFrom != at:
		return "no day begins then in " + name, nil
	case newDay < oldDay:
		return "a date that is over in " + old.String() + " would come again in " + name, nil
	}
	return "", nil
}

// nextMidnight returns the first instant, from at on, from which a zone can hold; zero: there is none in the next years.
func nextMidnight(s *rules.Site, name string, at int64) (time.Time, error) {
	for end := time.UnixMilli(at).AddDate(searchYears, 0, 0).UnixMilli(); at < end; {
		_, from, to := zone.Day(s.Zone(at).Loc, at)
		if from == at {
			why, err := unfit(s, name, at, at)
			if err != nil {
				return time.Time{}, err
			}
			if why == "" {
				return time.UnixMilli(at).UTC(), nil
			}
		}
		at = to
	}
	return time.Time{}, nil
}
