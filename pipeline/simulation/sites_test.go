package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Sites in a simulation: strangers that nobody has created, sites that are deleted and come back, that are registered while
// their events come, and what is switched off for them.

// strangers are how many sites nobody has created.
const strangers = 16

func stranger(i int) string { return fmt.Sprint("stranger-", i) }

// estrange makes some of the records those of strangers: more and more of these come, as hours of record time pass, and some
// records are of an hour before.
func estrange(dice *rand.Rand, records []record, start time.Time) {
	often := []int{0, 4, 12}[dice.IntN(3)]
	if often == 0 {
		return
	}
	for i := range records {
		if dice.IntN(often) > 0 {
			continue
		}
		r := &records[i]
		r.At = r.At.Add(time.Duration(i*4/len(records)-dice.IntN(2)) * time.Hour)
		e := map[string]any{
			"siteId": stranger(dice.IntN(1 + i*strangers/len(records))), "type": "page_view", "id": fmt.Sprint("x", i),
			"visitorId": fmt.Sprint("v", dice.IntN(5)),
			"timestamp": r.At.Add(-time.Duration(dice.IntN(60)) * time.Second).UnixMilli(), "url": "https://h0.example/",
		}
		if dice.IntN(3) == 0 { // Not current: the realtime lane admits a site of which it keeps nothing.
			e["timestamp"] = r.At.Add(-time.Hour).UnixMilli()
		}
		r.Value = mustJSON(e)
	}
}

// register creates most of the sites, where others are not counted, before anything comes.
func (s *simulation) register() {
	for i := range 2 {
		if s.sitesCounted == checkpoint.SitesRegistered && s.dice.IntN(4) > 0 {
			s.rule(fmt.Sprint("site-", i), func(r *sites.Rules) { r.Name = "registered" })
		}
	}
}

// govern decides whether a site is there, what is kept of it, which domains it has, and which pages it excludes.
func (s *simulation) govern() {
	id := s.someSite()
	switch s.dice.IntN(3) {
	case 0:
		id = stranger(s.dice.IntN(strangers))
	case 1:
		if s.gone != "" {
			id = s.gone
		}
	}
	s.rule(id, func(r *sites.Rules) {
		r.Name = "decided"
		if r.Deleted() {
			r.DeletedAt = 0
			s.cover.Hit(onBack)
			return
		}
		switch s.dice.IntN(7) {
		case 0:
			r.DeletedAt, s.gone = time.Now().UnixMilli(), id
			s.cover.Hit(onGone)
		case 1:
			r.Domains = [][]string{nil, {"H0.example."}, {"h1.example", "h2.example"}, {"example"}}[s.dice.IntN(4)]
		case 2:
			r.ExcludedPaths = [][]string{nil, {"/p3"}, {"/w*", "/p1"}, {"*eep/*1", "/*/x"}}[s.dice.IntN(4)]
			r.ExcludedTypes = [][]string{nil, {"click"}, {"ping", "asset"}}[s.seed%3]
		case 3:
			r.Rows = []map[string]int{nil, {"page": 1}, {"page": 30, "city": 4}, {"page": 14, "event": 1}}[s.dice.IntN(4)]
			s.cover.Hit(onRows)
		case 4, 5:
			s.countNew(r)
		default:
			r.NoRealtime, r.NoRecent, r.NoVisitorIndex = s.dice.IntN(2) == 0, s.dice.IntN(2) == 0, s.dice.IntN(2) == 0
			s.cover.Hit(onSwitched)
		}
	})
}

// turnstile says which records of the log steps turned away since their sites are not counted.
type turnstile struct {
	log   *sites.Log
	inner map[int32]*arrivals // by partition
}

// arrivals are the sites that the stats lane of a partition has admitted, and how many in the latest hour.
type arrivals struct {
	known   map[string]bool
	hour, n int64
}

func (s *simulation) turnstile() *turnstile {
	log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	if err != nil {
		s.problem("read the rules: %v", err)
	}
	return &turnstile{log, make(map[int32]*arrivals)}
}

// standing is how a site stands as of a revision.
func (g *turnstile) standing(site string, rev int64) (created, deleted bool) {
	for _, c := range g.log.History(site) {
		if c.Rev <= rev && !c.Rules.Empty() {
			created, deleted = true, c.Rules.DeletedAt > 0
		}
	}
	return created, deleted
}

// turnsAway takes the next record of its partition that nothing else speaks against.
func (g *turnstile) turnsAway(r *kgo.Record, site string, p checkpoint.Settings, rev int64) bool {
	created, deleted := g.standing(site, rev)
	if deleted || created || p.Sites == checkpoint.SitesRegistered {
		return deleted || !created
	}
	a := g.inner[r.Partition]
	if a == nil {
		a = &arrivals{known: make(map[string]bool)}
		g.inner[r.Partition] = a
	}
	if a.known[site] {
		return false
	}
	if p.NewSites > 0 {
		a.turn(max(0, r.Timestamp.Unix()/3600))
		if a.n >= p.NewSites {
			return true
		}
		a.n++
	}
	a.known[site] = true
	return false
}

// turn takes the hour of a new site in: at most a day later, it begins with none; more than a day away, with what there were.
func (a *arrivals) turn(hour int64) {
	switch d := hour - a.hour; {
	case 0 < d && d <= 24:
		a.hour, a.n = hour, 0
	case d > 24 || d < -24:
		a.hour = hour
	}
}

// mayTurnAway reports whether a process with these settings may have turned a record of the site away, under whichever rules.
func (g *turnstile) mayTurnAway(site string, p checkpoint.Settings) bool {
	for rev := range g.log.Rev() + 1 {
		created, deleted := g.standing(site, rev)
		if deleted || !created && (p.Sites == checkpoint.SitesRegistered || p.NewSites > 0) {
			return true
		}
	}
	return false
}

// sites looks at what a process writes of sites.
func (e *eye) sites(u sinks.Update) {
	switch {
	case attr(u.Set, sinks.AttrPrevHour).Int() > 0 && attr(u.Set, sinks.AttrHour).Int() > attr(u.Set, sinks.AttrPrevHour).Int():
		e.cover.Hit(onNewHour)
	case attr(u.Set, sinks.AttrEntity).Str() == sinks.EntitySession && attr(u.Set, sinks.AttrVisitorID).Str() != "":
		if cur, err := state.DecodeSession(attr(u.Set, sinks.AttrCur).Bytes(), &state.Session{}); err == nil && cur.Listed == 0 {
			e.cover.Hit(onUnindexed)
		}
	}
}

// BatchPut looks for foreign and for excluded events, and at the queries of those that are written again.
func (e *eye) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	e.redoneQueries(items)
	for _, it := range items {
		if it.Value(sinks.AttrForeign).Int() == 1 {
			e.cover.Hit(onForeign)
		}
		if it.Value(sinks.AttrExcluded).Int() == 1 {
			e.cover.Hit(onExcluded)
		}
	}
	return e.Table.BatchPut(ctx, items)
}

// simZones are the zones that sites of a simulation get: with full hours, half ones, three quarters, and changes of the clock.
var simZones = []string{"Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Honolulu",
	"UTC"}

// midnightOf returns the beginning of the day that holds an instant in a zone.
func midnightOf(zone string, at int64) int64 {
	loc, err := sites.LoadZone(zone)
	if err != nil {
		panic(err)
	}
	_, from, _ := sites.DayOf(loc, at)
	return from
}

func (s *simulation) zone(from int64) sites.Zone {
	return sites.Zone{From: from, Name: simZones[s.dice.IntN(len(simZones))]}
}
