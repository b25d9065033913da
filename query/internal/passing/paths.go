package passing

import (
	"slices"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// Paths finds the paths of the sessions that count: the pages that they view, without reloads. Views that do not pass the locked filters
// by their own values are in no path.
type Paths struct {
	Page, Goal string               // where paths begin; "" both: pages are the entry and the exit page
	Before     bool                 // pages are those before, the nearest first, instead of those after
	Steps      int                  // max. pages
	Ended      func(pages []string) // gets the pages of each session that has where paths begin
}

// A sessionPath is what is known of the path of a session.
type sessionPath struct {
	found bool     // where it begins
	last  string   // page viewed last; "": none
	near  []string // the last Steps pages, in the order of their views, if pages before are asked for
	pages []string
}

// CheckGoal refuses a goal that the site does not have, or that raw events cannot decide. name is the parameter that has it.
func (p *Paths) CheckGoal(site, name string, g *GoalScan) error {
	var active []string
	remedy := ""
	for _, goal := range g.Goals {
		if !goal.Inactive {
			active = append(active, goal.ID)
		} else if goal.ID == p.Goal {
			remedy = InactiveGoal(goal.ID) + ": choose another goal"
		}
	}
	if slices.Contains(active, p.Goal) {
		return nil
	}
	if remedy == "" {
		remedy = missingGoal(site, p.Goal, active)
	}
	return &filters.GoalError{Err: &ranges.ParamError{Param: name, Value: readable.Shortened(p.Goal), Remedy: remedy}}
}

// follow adds an event to the path of its session, if it has one.
func (f *filterScan) follow(s *filterSession, it sinks.Item, at int64) {
	if s.path == nil {
		return
	}
	page := ""
	if it["type"].Str() == pageViewType && it["url"].Kind() != sinks.None && !f.hides(it) {
		page = f.texts.keep(pageOf(it))
	}
	begins := f.paths.Page != "" && page == f.paths.Page && !s.path.found
	if f.paths.Goal != "" {
		if r := f.goals.reachedBy(s, it, at, f.paths.Goal); r != nil {
			begins, s.path.found = r.passes, false // An event earlier in the log reaches it, though later in time.
		}
	}
	f.paths.add(s.path, page, begins)
}

// add adds a page view, or an event that views none (""). The path begins at it if begins is set.
func (p *Paths) add(s *sessionPath, page string, begins bool) {
	again := page == "" || page == s.last
	switch {
	case p.Page == "" && p.Goal == "":
		if page != "" && !s.found {
			s.found, s.pages = true, []string{page, page}
		} else if page != "" {
			s.pages[1] = page
		}
	case begins:
		s.found, s.pages = true, slices.Clone(s.near)
	case s.found && !again && !p.Before && len(s.pages) < p.Steps:
		s.pages = append(s.pages, page)
	}
	if again {
		return
	}
	if s.last = page; p.Before {
		if len(s.near) == p.Steps {
			s.near = slices.Delete(s.near, 0, 1)
		}
		s.near = append(s.near, page)
	}
}

// end hands over the path of a session that has ended.
func (p *Paths) end(s *filterSession) {
	if s.path == nil || !s.path.found || !s.selected {
		return
	}
	if p.Before {
		slices.Reverse(s.path.pages)
	}
	p.Ended(s.path.pages)
}

// reachedBy returns the goal of that id as a session has reached it, if it did so by this event; nil: it did not.
func (g *GoalScan) reachedBy(s *filterSession, it sinks.Item, at int64, id string) *reachedGoal {
	i := slices.IndexFunc(s.reached, func(r reachedGoal) bool { return r.at == at && g.Goals[r.goal].ID == id })
	if i < 0 || s.reached[i].offset != offsetOf(it) {
		return nil
	}
	return &s.reached[i]
}
