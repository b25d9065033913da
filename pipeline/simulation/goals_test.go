package simulation_test

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// What the simulation does about goals: sites get some of every kind before their first events, and while it goes on goals come,
// change, rest and go, and come again under the id of one that went. Package verify judges what comes of it.

// durationGoal is how ids of goals on a session's duration begin, which is how they are known in conversions.
const durationGoal = "lasted"

// patterns are what goals of a simulation mean: some often, some seldom.
func (s *simulation) pattern() sites.Pattern {
	page := func(how sites.PatternHow, text string) sites.Pattern {
		return sites.Pattern{On: sites.OnPage, How: how, Text: text}
	}
	return []sites.Pattern{
		page(sites.MatchExact, fmt.Sprintf("/p%d", s.dice.IntN(8))), page(sites.MatchPrefix, "/deep/"), page(sites.MatchContains, "p1"),
		page(sites.MatchRegexp, fmt.Sprintf("^/(w|p)[%d-7]$", s.dice.IntN(7))),
		{On: sites.OnEvent, Type: "click"}, {On: sites.OnEvent, Name: "button 1"}, {On: sites.OnEvent, Type: "ping"},
	}[s.dice.IntN(7)]
}

// goal makes a goal of that id.
func (s *simulation) goal(id string) sites.Goal {
	g := sites.Goal{ID: id}
	if strings.HasPrefix(id, durationGoal) {
		g.DurationMs = int64(1+s.dice.IntN(40)) * 5000
	} else {
		g.On = s.pattern()
	}
	if s.dice.IntN(3) == 0 {
		g.Value = new(int64(s.dice.IntN(5)-1) * 2_500_000)
	}
	g.Inactive = s.dice.IntN(8) == 0
	return g
}

// aim gives a site goals, before its first event: new ones, if it has some.
func (s *simulation) aim(r *sites.Rules) {
	r.Goals = nil
	for i := range 1 + s.dice.IntN(5) {
		s.must(r.AddGoal(s.goal(fmt.Sprint("reached ", i))))
	}
	s.must(r.AddGoal(s.goal(fmt.Sprint(durationGoal, " ", s.dice.IntN(3)))))
}

// crowd gives a site as many goals as it may have, each of which nearly any page reaches, in the place of those that it has: a
// session that is there when they are replaced meets more goals than it can reach.
func (s *simulation) crowd(r *sites.Rules) {
	r.Goals, r.LastGoal = nil, max(r.LastGoal, 1000)
	for i := range sites.MaxGoals {
		s.must(r.AddGoal(sites.Goal{ID: fmt.Sprint("crowd ", i), On: sites.Pattern{On: sites.OnPage, How: sites.MatchContains, Text: "/"}}))
	}
}

// reconsider changes the goals of a site.
func (s *simulation) reconsider(r *sites.Rules) {
	if s.dice.IntN(2) == 0 {
		s.choose(r)
	}
	if s.crowding {
		s.crowd(r)
		return
	}
	if len(r.Goals) == 0 || s.dice.IntN(4) == 0 {
		s.must(r.AddGoal(s.goal(fmt.Sprint([]string{"late ", durationGoal + " late "}[s.dice.IntN(2)], r.LastGoal))))
		return
	}
	g := r.Goals[s.dice.IntN(len(r.Goals))]
	switch s.dice.IntN(4) {
	case 0:
		g.Inactive = !g.Inactive
		s.must(r.SetGoal(g))
	case 1:
		changed := s.goal(g.ID)
		changed.N = g.N
		s.must(r.SetGoal(changed))
	case 2:
		r.DeleteGoal(g.ID)
	default:
		r.DeleteGoal(g.ID)
		s.must(r.AddGoal(s.goal(g.ID)))
	}
}

func (s *simulation) must(err error) {
	if err != nil {
		s.problem("%v", err)
	}
}

// conversion notes the item of one that is put.
func (e *eye) conversion(it sinks.Item) {
	key := it.Key()
	e.cover.Hit(onConversion)
	if strings.HasPrefix(it[sinks.AttrGoal].Str(), durationGoal) {
		e.cover.Hit(onDurationGoal)
	}
	e.past.mu.Lock()
	defer e.past.mu.Unlock()
	if first, ok := e.conversions[key]; !ok {
		e.conversions[key] = e.name
	} else if first != e.name {
		e.cover.Hit(onConversionAgain)
	}
}

// reached notes a session that a redo takes from prev, when the step that it does again has reached a goal with it.
func (e *eye) reached(it sinks.Item) {
	cur, prev, err := statesOf(it)
	if err == nil && cur.Reached != prev.Reached {
		e.cover.Hit(onReachedRedone)
	}
}
