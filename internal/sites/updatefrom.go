package sites

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

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
	const fresh = "publish the events under another siteId, created with this zone before its first event"
	if e.Cut {
		return s + "Queries with --tz " + e.New + " are refused as well, because its days begin in the middle of the site's hours: " + fresh
	}
	return s + "Keep the zone and query with --tz " + e.New + ", which computes days from hours; or " + fresh
}

// searchYears is how far ahead a common midnight is looked for.
const searchYears = 3

// spread changes the number of shards, if it is to change.
func (c Changes) spread(s *Rules, _ string, now time.Time) (note string, err error) {
	if c.Shards == 0 {
		return "", nil
	}
	plans := []plan[int]{{0, sinks.DefaultShards}}
	for _, x := range s.Shards {
		plans = append(plans, plan[int]{x.From, x.N})
	}
	spell := func(n int) string { return fmt.Sprintf("%d shards", n) }
	soonest := nextDay(now.Add(Notice))
	last, from := plans[len(plans)-1], c.From
	if from.IsZero() {
		if last.value == c.Shards {
			return outcome[int]{holds: last}.say(spell, now), nil // Decided already.
		}
		from = soonest
	}
	asked := plan[int]{from.UnixMilli(), c.Shards}
	if made(plans, asked, soonest.UnixMilli()) {
		return "", nil
	}
	o := outcomeOf(plans, asked, soonest.UnixMilli(), !c.From.IsZero())
	if !c.From.IsZero() {
		if err := o.fixed(spell, now); err != nil {
			return "", err
		}
	}
	if o.begins {
		next := nextDay(from)
		if next.Before(soonest) {
			next = soonest
		}
		switch {
		case !from.Equal(nextDay(from)):
			return "", &TooSoonError{"the number of shards", "a day of UTC must begin then", from, next}
		case from.Before(soonest):
			return "", &TooSoonError{"the number of shards", "it is less than 24 hours ahead, and workers that do not know of it yet would write " +
				"elsewhere", from, next}
		}
	}
	s.Shards = slices.DeleteFunc(s.Shards, func(x Shards) bool { return x.From >= o.cut })
	if o.begins {
		s.Shards = append(s.Shards, Shards{From: asked.from, N: c.Shards})
	}
	return o.say(spell, now), nil
}

// nextDay returns the first instant, from t on, at which a day of UTC begins.
func nextDay(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	if day.Before(t) {
		return day.Add(24 * time.Hour)
	}
	return day
}

// move changes the zone, if it is to change. Where it cannot, the plans that were to give way are gone from s all the same.
func (c Changes) move(s *Rules, id string, now time.Time) (note string, err error) {
	if c.Zone == "" {
		return "", nil
	}
	plans := []plan[string]{{0, time.UTC.String()}}
	for _, z := range s.Zones {
		plans = append(plans, plan[string]{z.From, z.Name})
	}
	spell := func(name string) string { return "zone " + name }
	soonest := now.Add(Notice).UnixMilli()
	last, from := plans[len(plans)-1], c.From
	if from.IsZero() {
		if last.value == c.Zone {
			return outcome[string]{holds: last}.say(spell, now), nil // Decided already.
		}
		if from, err = nextMidnight(s, c.Zone, soonest); err == nil && from.IsZero() {
			err = never(id, s.Zone(soonest).Loc, c.Zone, soonest)
		}
		if err != nil {
			return "", err
		}
	}
	asked := plan[string]{from.UnixMilli(), c.Zone}
	if made(plans, asked, soonest) {
		return "", nil
	}
	o := outcomeOf(plans, asked, soonest, !c.From.IsZero())
	if !c.From.IsZero() {
		if err := o.fixed(spell, now); err != nil {
			return "", err
		}
	}
	s.Zones = slices.DeleteFunc(s.Zones, func(z Zone) bool { return z.From >= o.cut })
	if !o.begins {
		return o.say(spell, now), nil
	}
	if why, err := unfit(s, c.Zone, asked.from, soonest); err != nil || why != "" {
		next, err2 := nextMidnight(s, c.Zone, max(soonest, asked.from))
		if err := errors.Join(err, err2); err != nil {
			return "", err
		}
		if next.IsZero() {
			return "", never(id, s.Zone(asked.from-1).Loc, c.Zone, asked.from)
		}
		return "", &TooSoonError{"the zone", why, from, next}
	}
	s.Zones = append(s.Zones, Zone{From: asked.from, Name: c.Zone})
	return o.say(spell, now), nil
}

// together joins what is wrong about shards and zone. Where both are to change from one instant, the next that is proposed must
// suit both; s has the zones that stay.
func (c Changes) together(s *Rules, id string, now time.Time, shards, zone error) error {
	var why []string
	for _, err := range []error{shards, zone} {
		soon, ok := errors.AsType[*TooSoonError](err)
		switch {
		case ok:
			why = append(why, soon.Why)
		case err != nil:
			return errors.Join(shards, zone) // No other instant would help.
		}
	}
	if why == nil || c.Shards == 0 || c.Zone == "" {
		return errors.Join(shards, zone)
	}
	if zone == nil { // It would hold from then, which is asked about again.
		s.Zones = slices.DeleteFunc(s.Zones, func(z Zone) bool { return z.From >= c.From.UnixMilli() })
	}
	at := max(now.Add(Notice).UnixMilli(), c.From.UnixMilli())
	for end := time.UnixMilli(at).AddDate(searchYears, 0, 0).UnixMilli(); at < end; {
		next, err := nextMidnight(s, c.Zone, at)
		if err != nil {
			return err
		}
		if next.IsZero() {
			break
		}
		if next.Equal(nextDay(next)) {
			return &TooSoonError{"the zone and the number of shards", strings.Join(why, "; and "), c.From, next}
		}
		at = next.UnixMilli() + 1
	}
	return fmt.Errorf("site %q: the zone and the number of shards cannot change from one instant, %s: %s; and in the next %d years no day "+
		"of UTC begins "+
		"when one does both in %s and in the zone until then: change them in two commands", id, c.From.Format(time.RFC3339),
		strings.Join(why, "; and "), searchYears, c.Zone)
}

// never returns the error of two zones, as of an instant.
func never(id string, old *time.Location, name string, at int64) error {
	loc, err := LoadZone(name)
	if err != nil {
		return err
	}
	_, midnight, _ := DayOf(loc, at)
	from, _ := HourOf(old, midnight)
	return &NeverError{id, old.String(), name, from != midnight}
}

// unfit says why a zone cannot hold from an instant; "": it can.
func unfit(s *Rules, name string, at, soonest int64) (why string, err error) {
	loc, err := LoadZone(name)
	if err != nil {
		return "", err
	}
	old := s.Zone(at - 1).Loc
	oldDay, oldFrom, _ := DayOf(old, at)
	newDay, newFrom, _ := DayOf(loc, at)
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
func nextMidnight(s *Rules, name string, at int64) (time.Time, error) {
	for end := time.UnixMilli(at).AddDate(searchYears, 0, 0).UnixMilli(); at < end; {
		_, from, to := DayOf(s.Zone(at).Loc, at)
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
