package simulation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Persons are erased while a simulation goes on, by runs that are cut short like processes are; late events of theirs come,
// they come back, and at the end a part of the log is published once more. Nothing of them may be left but what is behind the
// instant up to which they are erased.

// erased is a person who is erased in a simulation.
type erased struct {
	site   string
	person sites.Person
	id     string
}

// withRows reports whether a person's erasures include breakdowns: always or never, since one of one kind must be done before one
// of the other begins. No damaged breakdown is put aside that no step comes to.
func (s *simulation) withRows(who erased) bool {
	return who.person == sites.Visitor && !s.damages.wanted
}

// simErasures are the erasures of a simulation.
type simErasures struct {
	wanted    bool
	published []record // so far, for the replay

	mu      sync.Mutex // covers all below
	running int
	reports map[erased]erase.Report // of those that are done
}

// anonymous takes the visitor from some events that have a session, and gives others to few visitors.
func anonymous(dice *rand.Rand, records []record) {
	for i := range records {
		v := &records[i].Value
		switch {
		case dice.IntN(6) == 0 && bytes.Contains(*v, []byte(`"sessionId"`)):
			*v = bytes.Replace(*v, []byte(`"visitorId"`), []byte(`"formerly"`), 1)
		case dice.IntN(2) == 0:
			w := dice.IntN(4) * dice.IntN(2)
			*v = bytes.Replace(*v, []byte(`"visitorId":"v`), []byte(fmt.Sprintf(`"visitorId":"w%d","formerly":"v`, w)), 1)
			if !bytes.Contains(*v, []byte(`"city"`)) { // A value of this visitor's alone.
				*v = bytes.Replace(*v, []byte(`"formerly"`), []byte(fmt.Sprintf(`"city":"~home of %d","formerly"`, w)), 1)
			}
		}
	}
}

// erase begins to erase somebody, up to an event time about now.
func (s *simulation) erase() {
	who := erased{fmt.Sprint("site-", s.dice.IntN(2)), sites.Visitor, fmt.Sprint("w", s.dice.IntN(4)*s.dice.IntN(2))}
	switch s.dice.IntN(6) {
	case 0:
		who.person, who.id = sites.User, testpipeline.SomeUser(s.dice.IntN(3))
	case 1:
		who.id = fmt.Sprint("wanderer-", s.dice.IntN(6))
	case 2, 3, 4:
		if seen, ok := s.seen(); ok {
			who = seen
		}
	}
	until := s.about.Add(time.Duration(s.dice.IntN(2400)-1200) * time.Second)
	dice := rand.New(rand.NewPCG(s.dice.Uint64(), 8))
	s.erasures.mu.Lock()
	s.erasures.running++
	s.erasures.mu.Unlock()
	faults := s.faults // Outages come to it.
	s.tasks.Go(func() {
		report, ok := s.eraseToTheEnd(dice, faults, who, until)
		s.erasures.mu.Lock()
		defer s.erasures.mu.Unlock()
		s.erasures.running--
		if before := s.erasures.reports[who]; ok && report.Revision >= before.Revision {
			s.erasures.reports[who] = report
		}
	})
}

// seen returns the visitor of an event that was published, some time ago by its own time: most are alone in that hour, and have rows of
// their own there.
func (s *simulation) seen() (who erased, ok bool) {
	for range min(50, len(s.erasures.published)) {
		var e struct {
			SiteID, VisitorID string
			Timestamp         int64
		}
		r := s.erasures.published[s.dice.IntN(len(s.erasures.published))]
		if json.Unmarshal(r.Value, &e) == nil && (e.SiteID == "site-0" || e.SiteID == "site-1") && strings.HasPrefix(e.VisitorID, "v") &&
			e.Timestamp < s.about.Add(-30*time.Minute).UnixMilli() {
			return erased{e.SiteID, sites.Visitor, e.VisitorID}, true
		}
	}
	return who, false
}

func (s *simulation) eraseToTheEnd(dice *rand.Rand, faults mix, who erased, until time.Time) (erase.Report, bool) {
	for attempt := 0; ; attempt++ {
		o := erase.Options{Table: s.Table, HashKey: s.world.Options().HashKey, Site: who.site, Person: who.person, ID: who.id, Until: until,
			Breakdowns: s.withRows(who),
			Grace:      faults.Latest + 2*time.Minute}
		if !s.calm.Load() {
			m := faults
			m.Mortal = 1.0 / float64(10+dice.IntN(150))
			o.Table = testpipeline.NewFaulty(s.Table, s.seed, fmt.Sprint("eraser-", attempt, who), m, s.cover, &s.tasks)
		}
		report, err := erase.Run(s.patience, o)
		switch {
		case s.patience.Err() != nil:
			return report, false
		case err == nil:
			s.cover.Hit(onErased)
			if report.Touched[erase.Rows] > 0 {
				s.cover.Hit(onRowsDropped)
			}
			return report, true
		case errors.Is(err, erase.ErrUnknownSite):
			return report, false
		case !errors.Is(err, errKilled):
			s.problem("erase %v: %v", who, err)
			return report, false
		}
		s.cover.Hit(onErasureCut)
		time.Sleep(time.Duration(dice.IntN(30_000)) * time.Millisecond)
	}
}

// erasing reports whether somebody is being erased.
func (s *simulation) erasing() bool {
	s.erasures.mu.Lock()
	defer s.erasures.mu.Unlock()
	return s.erasures.running > 0
}

// replay publishes some of what was published before once more: events of persons who are erased among it.
func (s *simulation) replay() {
	all := s.erasures.published
	from := s.dice.IntN(len(all))
	s.Produce(all[from:min(len(all), from+150)]...)
}

// judgeErased looks for what is left of persons who are erased, in whatever the table holds of their sites.
func (s *simulation) judgeErased() {
	for who, report := range s.erasures.reports {
		until := report.Until.UnixMilli()
		if s.withRows(who) {
			if rows := s.RowsOf(who.site, who.id, until); rows != nil {
				s.problem("%v is erased up to %d, and breakdowns have %q", who, until, rows)
			}
		}
		lists := []string{sinks.Keys{}.VisitorList(who.site)}
		for nn := range sinks.MaxShards {
			lists = append(lists, sinks.Keys{}.Shard(who.site, nn))
		}
		for _, pk := range lists {
			for _, it := range s.Query(pk, "") {
				if what := s.left(who, report.Revision, until, it); what != "" {
					s.problem("%v is erased up to %d, and %s / %s has %s", who, until, it.Key().PK, it.Key().SK, what)
				}
			}
		}
	}
}

// left says what an item has of a person who is erased; "": nothing.
func (s *simulation) left(who erased, rev, until int64, it sinks.Item) string {
	attr, prefix := sinks.AttrVisitorID, sinks.VisitorPrefix+who.id+"#"
	if who.person == sites.User {
		attr, prefix = sinks.AttrUserID, "none"
	}
	named := it[attr].Str() == who.id
	if it[sinks.AttrEntity].Str() == sinks.EntitySession {
		whose := state.IdentityOf(it)
		named = map[sites.Person]string{sites.Visitor: whose.Visitor, sites.User: whose.User}[who.person] == who.id
	}
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntityVisitorSessions, sinks.EntityNewSessions:
		f := strings.Split(it.Key().SK, "#")
		hour, err1 := sinks.ParseHour(f[1][:len("2026-05-12T14")])
		entries, err2 := state.DecodeListed(it[sinks.AttrListed].Bytes(), hour, sinks.TP{})
		if err := errors.Join(err1, err2); err != nil {
			return err.Error()
		}
		for _, e := range entries {
			if who.person == sites.Visitor && e.Visitor == sinks.VisitorHash(who.id) && e.OpenedAt <= until {
				return fmt.Sprintf("the person's session %s, opened at %d", e.Session, e.OpenedAt)
			}
		}
	case sinks.EntityPack:
		p, err := new(pack.Decoder).Read(it)
		if err != nil {
			return err.Error()
		}
		for _, event := range p.Items() {
			if what := s.left(who, rev, until, event); what != "" {
				return what
			}
		}
	case sinks.EntityEvent:
		if named && it["timestamp"].Int() <= until {
			return "a raw event of " + fmt.Sprint(it["timestamp"].Int())
		}
	case sinks.EntityConversion:
		if named && it[sinks.AttrAt].Int() <= until {
			return "a conversion of " + fmt.Sprint(it[sinks.AttrAt].Int())
		}
	case sinks.EntitySession:
		state, err := state.SessionOf(it)
		if named && state.OpenedAt <= until {
			return "the person's session, opened at " + fmt.Sprint(state.OpenedAt)
		}
		if by := it[sinks.AttrErased].Int(); by == 0 || by > rev { // One of an earlier tombstone may have been his, too.
			return ""
		}
		for _, name := range []string{sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK} {
			if it[name].Kind() != sinks.None {
				return name
			}
		}
		if err != nil || !state.Erased || state.Entry.Page != "" || state.First != nil {
			return fmt.Sprintf("the state %+v, %v", state, err)
		}
	case sinks.EntityArrival:
		if who.person == sites.Visitor && strings.HasPrefix(it.Key().SK, s.arrivalPrefix(who)) && it[sinks.AttrErasedUntil].Int() < until {
			return "an arrival of " + fmt.Sprint(it[sinks.AttrHour].Int())
		}
	case sinks.EntityVisitor:
		state, err := state.DecodeVisitor(it[sinks.AttrCur].Bytes())
		if strings.HasPrefix(it.Key().SK, prefix) && (err != nil || state.Erased < until) {
			return fmt.Sprintf("his visits: %+v, %v", state, err)
		}
	}
	return ""
}
