package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Decisions about sites in a simulation: rules that change, a zone, and a site that is created, some of them cut short.

// decide appends a revision of the rules of a site: other shards, another retention, another zone. `site update` lets nothing
// hold before a day has passed; the simulation lets things hold from any time on, also from one that is long over, so that steps
// under revisions that cut time differently meet.
func (s *simulation) decide() {
	if s.dice.IntN(2) == 0 {
		s.govern()
		return
	}
	if s.dice.IntN(8) == 0 {
		s.rule(simQuerySite, func(r *sites.Rules) { r.QueryParameters = append(simQueries, "")[s.dice.IntN(len(simQueries)+1)] })
		return
	}
	s.rule(s.someSite(), func(r *sites.Rules) {
		if s.dice.IntN(2) == 0 || s.crowding {
			s.reconsider(r)
		}
		from := s.about.Add(time.Duration(s.dice.IntN(50)-25) * time.Hour / 5).Truncate(time.Minute).UnixMilli()
		kinds := 3
		if s.moving {
			kinds = 5
		}
		switch s.dice.IntN(kinds) {
		case 0:
			r.Shards = append(r.Shards, sites.Shards{From: from - from%dayMs, N: 1 + s.dice.IntN(5)})
		case 1:
			r.Days = map[string]int64{[]string{sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrRawDays}[s.dice.IntN(3)]: []int64{-1,
				40}[s.dice.IntN(2)]}
		case 2: // Bots of the site's own: some of the traffic's browsers, and a host that refers.
			r.UserAgents = [][]string{nil, {"firefox"}, {"iphone os 17", "firefox/1"}}[s.dice.IntN(3)]
			r.Referrers = [][]string{nil, {"t.co"}}[s.dice.IntN(2)]
		default:
			if s.dice.IntN(3) == 0 {
				from = 0
			}
			z := s.zone(from)
			if from > 0 && s.dice.IntN(2) == 0 { // As `site update` has it: from a midnight of the new zone, which may be none of the old.
				z.From = midnightOf(z.Name, from)
			}
			r.Zones = append(slices.DeleteFunc(r.Zones, func(o sites.Zone) bool { return o.From >= z.From }), z)
		}
	})
}

// settle gives a site a zone before its first event.
func (s *simulation) settle() {
	s.rule(s.someSite(), func(r *sites.Rules) { r.Zones = []sites.Zone{s.zone(0)} })
}

// create creates the newcomer, with whichever zone. Processes that count it from then on must know of it; where they have
// before, it is refused. Now and then who creates it is cut short at one of his requests, and comes back a while later.
func (s *simulation) create() {
	d := sites.Definition{ID: simNewcomer, Zone: s.zone(0).Name, Shards: 1 + s.dice.IntN(5)}
	if s.dice.IntN(2) == 0 {
		s.created(sites.Create(context.Background(), s.Table, sinks.Keys{}, d, time.Now()))
		return
	}
	cut := &cutShort{Table: s.Table, at: 1 + s.dice.IntN(4), applied: s.dice.IntN(2) == 0}
	if err := sites.Create(context.Background(), cut, sinks.Keys{}, d, time.Now()); err == nil {
		s.created(nil) // It needed fewer requests.
		return
	}
	s.cover.Hit(onCreationCut)
	pause := time.Duration(s.dice.IntN(40_000)) * time.Millisecond
	s.tasks.Go(func() {
		time.Sleep(pause)
		s.created(sites.Create(context.Background(), s.Table, sinks.Keys{}, d, time.Now()))
	})
}

// created judges what came of creating the newcomer.
func (s *simulation) created(err error) {
	if _, late := errors.AsType[*sites.ConflictError](err); late {
		s.cover.Hit(onCreatedLate)
	} else if err != nil {
		s.problem("create a site: %v", err)
	} else {
		s.cover.Hit(onCreated)
	}
}

// cutShort is a table that does not answer its user's at-th put, nor any after it.
type cutShort struct {
	sinks.Table
	at      int
	applied bool // that put takes place
}

func (c *cutShort) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	return c.write(func() (sinks.Result, error) { return c.Table.Put(ctx, p) })
}

// write counts a write, and does it unless the user is cut short.
func (c *cutShort) write(do func() (sinks.Result, error)) (sinks.Result, error) {
	if c.at--; c.at > 0 || c.at == 0 && c.applied {
		if r, err := do(); c.at > 0 || err != nil {
			return r, err
		}
	}
	return sinks.Result{}, errKilled
}

func (s *simulation) someSite() string { return fmt.Sprint("site-", s.dice.IntN(2)) }

// rule appends a revision of the rules of a site, again where somebody else was faster.
func (s *simulation) rule(id string, change func(*sites.Rules)) {
	var r *sites.Rules
	for {
		log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
		if err != nil {
			s.problem("read the rules: %v", err)
			return
		}
		if sites.Gone(log.History(id)) > 0 { // Only `site create` brings it back.
			return
		}
		if r == nil { // Decided once: the dice fall alike whoever is faster. Nobody else decides about these sites.
			r = log.At(log.Rev()).Site(id).Clone()
			r.CreatedAt = bubbleStart.UnixMilli() // As of any site that people decide about: its rules are never empty.
			change(r)
		}
		log, err = sites.AppendLog(context.Background(), s.Table, sinks.Keys{}, log, sites.Revision{At: time.Now().UnixMilli(), Site: id,
			Rules: r})
		if errors.Is(err, sites.ErrBehind) {
			continue
		}
		if err == nil {
			err = sites.PublishSite(context.Background(), s.Table, sinks.Keys{}, id, log.History(id))
		}
		if err != nil {
			s.problem("append a revision of the rules: %v", err)
		}
		s.cover.Hit(onRules)
		return
	}
}

const dayMs = 24 * 60 * 60 * 1000
