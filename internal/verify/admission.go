package verify

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// A chain counts the sites that the rules accept as of the record's step. Of sites that were never created it admits as many new ones
// in an hour of record time as the step's settings allow. Every record of the log matters here, whichever site is verified.

// admissions are a chain's counts of sites that were never created.
type admissions struct {
	step
	sites  map[string]*cell[*admission]
	losses []string                         // of the count of new sites, by the id of the span, that the recount has met
	hours  map[struct{}]*cell[*latestCount] // one cell
}

// admission is a site that the chain has admitted.
type admission struct {
	position int64 // of the record that brought the site
	unsure   bool  // the chain may have admitted other sites before a gap that it has passed
}

// Clone returns a copy; of nil, nil.
func (a *admission) Clone() *admission {
	if a == nil {
		return nil
	}
	return new(*a)
}

// newSitesJump is the greatest distance, in ms, between two hours in which a later hour begins a count of its own.
const newSitesJump = dayMs

func newAdmissions() *admissions {
	return &admissions{sites: make(map[string]*cell[*admission]), hours: make(map[struct{}]*cell[*latestCount])}
}

// standing is what has been decided about a site as of a revision.
type standing uint8

const (
	unregistered standing = iota
	registered
	deleted
)

// ruledAt is a site as of a revision.
type ruledAt struct {
	site string
	rev  int64
}

// maxStandings is how many of them are remembered.
const maxStandings = 1 << 16

func (v *rulebook) standing(site string, rev int64) (s standing) {
	if len(v.rules.History(site)) == 0 {
		return unregistered
	}
	if s, ok := v.standings[ruledAt{site, rev}]; ok {
		return s
	}
	if len(v.standings) == maxStandings {
		clear(v.standings)
	}
	defer func() { v.standings[ruledAt{site, rev}] = s }()
	for _, c := range v.rules.History(site) {
		if c.Rev > rev {
			break
		}
		switch {
		case c.Rules.Empty():
			s = unregistered
		case c.Rules.DeletedAt != 0:
			s = deleted
		default:
			s = registered
		}
	}
	return s
}

// counts says whether the chain counts a record that nothing else speaks against, and the reason if not. The record's
// rejection is not sure where the log has lost what the chain had admitted before.
func (c *chain) counts(v *model, r *record) event.Reason {
	site := string(r.event.SiteID)
	switch s := v.standing(site, c.rulesAt(r.position).Rev); {
	case s == registered:
		return event.Accepted
	case s == deleted || r.settings.Sites == checkpoint.SitesRegistered:
		return event.UnknownSite
	}
	a := c.admitted
	a.open = r.position >= c.head.From
	if known := a.sites[site]; known != nil && known.end != nil {
		r.unsure = r.unsure || known.end.unsure
		return event.Accepted
	}
	if r.settings.NewSites > 0 {
		r.unsure = r.unsure || c.notRecounted != ""
		a.lose(v, c, r.position)
		latest := latestCount{}
		if was := a.hours[struct{}{}]; was != nil {
			latest = *was.end
		}
		before := latest
		latest.move(floor(max(r.time, 0), hourMs), newSitesJump)
		full := latest.count >= r.settings.NewSites
		if !full {
			latest.count++
		}
		if latest != before { // A site that is turned away moves the hour, too.
			change(&a.step, a.hours, struct{}{}).end = &latest
		}
		if full {
			return event.TooManySites
		}
	}
	change(&a.step, a.sites, site).end = &admission{r.position, c.gaps > 0 && r.settings.NewSites > 0}
	return event.Accepted
}

// lose replaces what was lost of the count of new sites before a position, as the quarantine did: between two steps.
func (a *admissions) lose(v *model, c *chain, position int64) {
	for _, l := range v.lostSpans.list {
		if l.Kind != sinks.EntityNewSites || l.TP != c.tp || l.Lane != c.Lane || position < l.To || slices.Contains(a.losses, l.ID) {
			continue
		}
		a.losses = append(a.losses, l.ID)
		count := a.hours[struct{}{}]
		if count == nil {
			continue
		}
		if slices.Contains(l.Attrs, sinks.AttrHour) {
			count.end.start = 0
		}
		if slices.Contains(l.Attrs, sinks.AttrSites) {
			count.end.count = 0
		}
	}
}

// admittedMarks compares what a site's entry in the list of sites says about who has admitted the site. It reports whether a
// chain must have listed the site to that end.
func (v *judges) admittedMarks(cmp *comparison, j *judgement, site string) (expected bool) {
	for _, c := range v.chains {
		mark, position := sinks.AttrMark(c.Lane, c.tp), sinks.AttrAdmitted(c.tp)
		have := cmp.item[mark]
		known := c.admitted.sites[site]
		if known == nil && have.Kind() == sinks.None {
			continue
		}
		j.chains = append(j.chains, c)
		if known != nil && known.end.position < c.settled() && !known.end.unsure {
			expected = true
		}
		cmp.ignore(mark)
		if c.stats != nil {
			cmp.ignore(position)
		}
		if c.notRecounted != "" || cmp.item == nil {
			continue
		}
		when, ahead := c.cutOf(have.Int())
		j.ahead = j.ahead || ahead
		want := known.at(when)
		if want == nil {
			if have.Kind() != sinks.None {
				cmp.differ(mark, show(have), absent)
			}
			continue
		}
		if first, last := c.stepsOf(want.position); have.Int() < first || have.Int() > last {
			cmp.differ(mark, show(have), fmt.Sprintf("%d to %d, the steps that may have the record at position %d", first, last, want.position))
		}
		if c.stats != nil {
			cmp.number(position, want.position)
		}
	}
	v.otherMarks(cmp)
	return expected
}

// otherMarks passes over what chains of other topics say on a site's entry.
func (v *judges) otherMarks(cmp *comparison) {
	for name := range cmp.item {
		if topic, ok := topicOf(name, "ws", "wr", "a"); ok && topic != v.number && v.ofTopic(topic) {
			cmp.ignore(name)
		}
	}
}

// stepsOf returns the first and the last step that a position can be of, by the checkpoint and the history.
func (c *chain) stepsOf(position int64) (first, last int64) {
	if position >= c.head.From {
		return c.head.Step, c.head.Step
	}
	first, last = 1, c.head.Step-1
	for _, e := range slices.Backward(c.eras) {
		if e.from <= position {
			return e.step, last
		}
		last = min(last, e.step-1)
	}
	return first, last
}
