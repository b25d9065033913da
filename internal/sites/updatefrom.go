package sites

import (
	"errors"
	"fmt"
	"math"
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

// searchYears is how far ahead is looked for an instant that suits a change of zone and one of shards.
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

// move changes the zone, if it is to change, from a midnight of the new zone: so that its days are whole from the first on, and the one
// that runs then is the only one that becomes shorter or longer.
func (c Changes) move(s *Rules, _ string, now time.Time) (note string, err error) {
	if c.Zone == "" {
		return "", nil
	}
	plans := []plan[string]{{0, time.UTC.String()}}
	for _, z := range s.Zones {
		plans = append(plans, plan[string]{z.From, z.Name})
	}
	spell := func(name string) string { return "zone " + name }
	soonest := now.Add(ZoneNotice).UnixMilli()
	from, first := c.From, c.From.UnixMilli()
	if from.IsZero() {
		switch o, err := stays(plans, c.Zone, now.UnixMilli(), soonest); {
		case err != nil:
			return "", err
		case o != nil:
			return o.say(spell, now), nil
		}
		if from, err = nextMidnight(c.Zone, soonest); err != nil {
			return "", err
		}
		first = min(from.UnixMilli(), firstFrom(plans, soonest))
	}
	asked := plan[string]{from.UnixMilli(), c.Zone}
	if made(plans, asked, soonest) {
		return "", nil
	}
	o := outcomeOf(plans, plan[string]{first, c.Zone}, soonest, !c.From.IsZero())
	if !c.From.IsZero() {
		if err := o.fixed(spell, now); err != nil {
			return "", err
		}
	}
	s.Zones = slices.DeleteFunc(s.Zones, func(z Zone) bool { return z.From >= o.cut })
	if !o.begins {
		return o.say(spell, now), nil
	}
	if why, err := unfit(c.Zone, asked.from, soonest); err != nil || why != "" {
		next, err2 := nextMidnight(c.Zone, max(soonest, asked.from))
		if err := errors.Join(err, err2); err != nil {
			return "", err
		}
		return "", &TooSoonError{"the zone", why, from, next}
	}
	s.Zones = append(s.Zones, Zone{From: asked.from, Name: c.Zone})
	return o.say(spell, now), nil
}

// stays returns the outcome for a zone that is asked for from no instant on, and needs no change; nil: it needs one. It is an error to ask
// for the zone in force where a change of it is too near to be cancelled.
func stays(plans []plan[string], zone string, now, soonest int64) (*outcome[string], error) {
	last := plans[len(plans)-1]
	ahead := slices.IndexFunc(plans, func(p plan[string]) bool { return p.from > now })
	switch {
	case ahead < 0 || plans[ahead-1].value != zone:
		if last.value != zone {
			return nil, nil
		}
	case plans[ahead].from >= soonest:
		return nil, nil // The changes ahead are cancelled.
	case last.value != zone:
		back, err := nextMidnight(zone, soonest)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("zone %s from %s cannot be cancelled: it is less than two days ahead; to change back to %s after it, "+
			"name the instant: --from %s, or a later midnight of that zone", plans[ahead].value, since(plans[ahead].from), zone,
			since(back.UnixMilli()))
	}
	return &outcome[string]{holds: last}, nil
}

// firstFrom returns the instant of the first plan that does not begin before soonest.
func firstFrom(plans []plan[string], soonest int64) int64 {
	for _, p := range plans {
		if p.from >= soonest {
			return p.from
		}
	}
	return math.MaxInt64
}

// together joins what is wrong about shards and zone. Where both are to change from one instant, the next that is proposed must
// suit both.
func (c Changes) together(id string, now time.Time, shards, zone error) error {
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
	at := max(now.Add(ZoneNotice).UnixMilli(), c.From.UnixMilli())
	for end := time.UnixMilli(at).AddDate(searchYears, 0, 0).UnixMilli(); at < end; {
		next, err := nextMidnight(c.Zone, at)
		if err != nil {
			return err
		}
		if next.Equal(nextDay(next)) {
			return &TooSoonError{"the zone and the number of shards", strings.Join(why, "; and "), c.From, next}
		}
		at = next.UnixMilli() + 1
	}
	return fmt.Errorf("site %q: the zone and the number of shards cannot change from one instant, %s: %s; and in the next %d years no day "+
		"of %s begins when one of UTC does: change them in two commands", id, c.From.Format(time.RFC3339), strings.Join(why, "; and "),
		searchYears, c.Zone)
}

// unfit says why a zone cannot hold from an instant; "": it can.
func unfit(name string, at, soonest int64) (why string, err error) {
	loc, err := LoadZone(name)
	if err != nil {
		return "", err
	}
	_, begin, _ := DayOf(loc, at)
	switch {
	case at < soonest:
		return "it is less than two days ahead, and the day that runs at the change may have begun", nil
	case begin != at:
		return "no day begins then in " + name, nil
	}
	return "", nil
}

// nextMidnight returns the first instant, from at on, at which a day of a zone begins.
func nextMidnight(name string, at int64) (time.Time, error) {
	loc, err := LoadZone(name)
	if err != nil {
		return time.Time{}, err
	}
	_, from, to := DayOf(loc, at)
	if from == at {
		to = at
	}
	return time.UnixMilli(to).UTC(), nil
}
