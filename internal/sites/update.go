package sites

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/urlquery"
)

// Notice is how far ahead a change of shards must be: every worker learns of it within that time, or ends.
const Notice = 24 * time.Hour

// ZoneNotice is how far ahead a change of zone must be: Notice, and the day that runs at the change.
const ZoneNotice = 48 * time.Hour

// Changes are what is to change about a site; what is nil, zero or not named stays.
type Changes struct {
	Name                           *string
	Owner                          *string
	Domains, UserAgents, Referrers *[]string
	ExcludedPaths, ExcludedTypes   *[]string        // as in Definition; they hold for what is counted from now on
	Days                           map[string]int64 // as in Definition; they hold for what is written from now on
	Shards                         int              // from the beginning of a day of UTC
	Zone                           string           // from an instant at which a day of it begins

	// QueryParameters are as in Definition, and hold for what is written from now on; an empty list: as the pipeline's
	// settings say.
	QueryParameters *[]string

	// EventsPerSecond is as in Definition, and holds for what is counted from now on.
	EventsPerSecond *int64

	// Rows are as in Definition, and hold for what is counted from now on; 0: as the pipeline's settings say.
	Rows map[string]int

	// What is kept of the site, of what is counted from now on: minutes of realtime, lists of recent sessions, and sessions
	// by visitor.
	Realtime, Recent, VisitorIndex *bool
	// NewVisitors has new visitors counted, of what is counted from now on.
	NewVisitors *bool

	// Properties are as in Definition, and hold for what is counted from now on; an empty list: none.
	Properties *[]string

	// From is when Shards and Zone hold from. Zero: as soon as they may.
	From time.Time
}

// Update changes a site, as a revision of the rules of sites. A site that nobody knows is an error, and so is a change that
// would hold too soon (*TooSoonError), whether the site has events or not: events may be under way. It may be repeated: a change that
// is made already changes nothing.
//
// A change from an instant on replaces what was planned from then on; a value that was planned from before that instant is
// postponed to it, unless it is less than 24 hours ahead, which is an error. A value that is in force cancels what was planned.
// Asked for from no instant on, it replaces or cancels all that is planned and still far enough ahead.
// The notes say, in a sentence each, what was replaced, cancelled or dropped, and what holds already.
func (d Decision) Update(ctx context.Context, c Changes) (notes []string, err error) {
	if err := c.Validate(d.Site); err != nil {
		return nil, err
	}
	err = d.alter(ctx, func(next *Rules, s decisionState) error {
		c.describe(next)
		dropped, err := c.choose(next, d.Now.UnixMilli())
		if err := errors.Join(next.checkRows(), d.countNew(ctx, c.NewVisitors, next), err); err != nil {
			return err
		}
		notes = nil // Those of an attempt that somebody forestalled.
		if dropped != "" {
			notes = append(notes, dropped)
		}
		own := next.Zones
		*next = *next.In(s.zone)
		fixed := len(next.Zones) + s.zone.replaces(own) - len(own)
		defer func() { // The entry has it. In other generations, what it replaces holds.
			next.Zones = append(slices.Clip(own[:s.zone.replaces(own)]), next.Zones[fixed:]...)
		}()
		var faults [2]error
		for i, change := range []func(*Rules, string, time.Time) (string, error){c.spread, c.move} {
			note, err := change(next, d.Site, d.Now)
			if note != "" {
				notes = append(notes, note)
			}
			faults[i] = err
		}
		return c.together(d.Site, d.Now, faults[0], faults[1])
	})
	if err != nil {
		return nil, err
	}
	return notes, nil
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
	list(c.ExcludedPaths, &d.ExcludedPaths)
	list(c.ExcludedTypes, &d.ExcludedTypes)
	list(c.Properties, &d.Properties)
	if c.QueryParameters != nil && len(*c.QueryParameters) > 0 {
		d.QueryParameters = *c.QueryParameters
	}
	if c.EventsPerSecond != nil {
		d.EventsPerSecond = *c.EventsPerSecond
	}
	d.Rows = maps.Clone(c.Rows)
	maps.DeleteFunc(d.Rows, func(name string, n int) bool { return n == 0 && isDimension(name) })
	err := d.Validate()
	if !c.From.IsZero() && c.Shards == 0 && c.Zone == "" {
		err = errors.Join(err, fmt.Errorf("from %s: it applies to a new zone or number of shards only, and neither is given",
			c.From.Format(time.RFC3339)))
	}
	return err
}

// describe changes what holds at once.
func (c Changes) describe(s *Rules) {
	if c.Name != nil {
		s.Name = *c.Name
	}
	if c.Owner != nil {
		s.Owner = *c.Owner
	}
	for _, list := range []struct{ from, to *[]string }{{c.Domains, &s.Domains}, {c.UserAgents, &s.UserAgents}, {c.Referrers, &s.Referrers},
		{c.ExcludedPaths, &s.ExcludedPaths}, {c.ExcludedTypes, &s.ExcludedTypes}} {
		if list.from != nil {
			*list.to = *list.from
		}
	}
	if c.QueryParameters != nil {
		s.QueryParameters = urlquery.Canonical(*c.QueryParameters)
	}
	if c.EventsPerSecond != nil {
		s.EventsPerSecond = *c.EventsPerSecond
	}
	c.describeRows(s)
	for name, days := range c.Days {
		if s.Days == nil {
			s.Days = make(map[string]int64)
		}
		s.Days[name] = days
	}
	for _, kept := range []struct {
		on  *bool
		off *bool
	}{{c.Realtime, &s.NoRealtime}, {c.Recent, &s.NoRecent}, {c.VisitorIndex, &s.NoVisitorIndex}} {
		if kept.on != nil {
			*kept.off = !*kept.on
		}
	}
}

// countNew turns the counting of new visitors on or off; nil: it stays.
func (d Decision) countNew(ctx context.Context, on *bool, s *Rules) (err error) {
	if on == nil || *on == s.NewVisitors {
		return nil
	}
	s.NewVisitors, s.NewVisitorsSince = *on, 0
	if *on {
		s.NewVisitorsSince, err = d.since(ctx)
	}
	return err
}
