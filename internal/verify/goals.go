package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// converted names a conversion of a site: the goal's number and the session.
type converted struct {
	goal    uint64
	session string
}

// conversion is what the log says of a session that reached a goal: the event that reached it, and the goal as it was.
type conversion struct {
	goal             string
	at               int64
	visitor, user    string
	typ, name, page  string
	value            sinks.Value // none: it has none
	position, offset int64
	hour, day        int64
}

// reach finds the goals that a session reaches with its last record, under the rules of the record's step.
func (s *statsRecount) reach(site *siteRecount, x *session, r *record) error {
	if r.rules == nil {
		return nil
	}
	for _, g := range r.rules.Goals {
		if g.Inactive || slices.Contains(x.reached, g.N) {
			continue
		}
		if g.DurationMs > 0 && x.endedAt-x.startedAt < g.DurationMs {
			continue
		}
		if g.DurationMs == 0 {
			meant, err := means(g.On, r.event)
			if err != nil {
				return err
			}
			if !meant {
				continue
			}
		}
		if encodedGoals(x.reached)+encodedGoals([]uint64{g.N}) > maxReachedBytes {
			continue
		}
		x.reached = append(slices.Clip(x.reached), g.N) // Its former version keeps the shorter one.
		s.convert(site, x, r, g)
	}
	return nil
}

// maxReachedBytes is how long the numbers of the goals that a session has reached may be, at one byte each below 128 and two above.
const maxReachedBytes = 128

func encodedGoals(numbers []uint64) (n int) {
	for _, number := range numbers {
		if n++; number >= 128 {
			n++
		}
	}
	return n
}

// convert books a conversion at its own time and notes what its item must say.
func (s *statsRecount) convert(site *siteRecount, x *session, r *record, g sites.Goal) {
	e := r.event
	c := &conversion{goal: g.ID, at: e.Timestamp, visitor: string(e.VisitorID), user: string(e.UserID), typ: string(e.Type),
		name: string(e.Name), page: pageOf(e), position: r.position, offset: r.offset, hour: r.hour, day: r.day}
	sum := goalSums{g.N: {count: 1}}
	micros, worth := e.Value, e.HasValue && g.DurationMs == 0
	if g.Value != nil {
		micros, worth = *g.Value, true
	}
	if worth {
		c.value = sinks.Int(micros)
		sum[g.N] = goalSum{1, int128.From(micros)}
		x.worth += micros
	}
	own := sums{goals: sum}
	own.Counts[figures.Conversions] = 1
	s.hour(site, r.hour).add(own)
	s.day(site, r.day).add(own)
	if !r.gone && (!x.erased || !unnamed(e)) {
		site.conversions[converted{g.N, x.id}] = c
		s.v.ledger.grow(site.name, weighConversion)
	}
}

// means reads a pattern as its documentation says, straightforwardly.
func means(p sites.Pattern, e *event.Event) (bool, error) {
	if p.On == sites.OnEvent {
		return (p.Type == "" || p.Type == string(e.Type)) && (p.Name == "" || p.Name == string(e.Name)), nil
	}
	if page := e.Page(); page != nil && e.IsPageView() {
		switch p.How {
		case sites.MatchExact:
			return string(page) == p.Text, nil
		case sites.MatchPrefix:
			return strings.HasPrefix(string(page), p.Text), nil
		case sites.MatchContains:
			return strings.Contains(string(page), p.Text), nil
		case sites.MatchRegexp:
			return regexp.MatchString(p.Text, string(page))
		}
	}
	return false, nil
}

// goalSums are the conversions of an hour or a day, by the number of the goal.
type goalSums map[uint64]goalSum

type goalSum struct {
	count       int64
	valueMicros int128.Int
}

// plus returns the sums of both, and leaves both as they are: versions of an hour share them.
func (a goalSums) plus(b goalSums) goalSums {
	if len(b) == 0 {
		return a
	}
	all := make(goalSums, len(a)+len(b))
	for _, sums := range []goalSums{a, b} {
		for n, sum := range sums {
			had := all[n]
			all[n] = goalSum{had.count + sum.count, had.valueMicros.Plus(sum.valueMicros)}
		}
	}
	return all
}

// goals compares the sums of goals. Sums of goals that no session reached are reported like any other unknown attribute.
func (c *comparison) goals(want goalSums) {
	for n, sum := range want {
		c.number(sinks.AttrGoalCount(n), sum.count)
		c.wide(sinks.AttrGoalValue(n), sum.valueMicros)
	}
}

// goalSet spells the numbers of goals as the state of a session does.
func goalSet(numbers []uint64) (set state.Goals) {
	for _, n := range numbers {
		set, _ = set.With(n)
	}
	return set
}

// conversion returns what the recount knows of a conversion; nil: the log does not have it.
func (c *chain) conversion(s subject) *conversion {
	return c.stats.site(s.site).conversions[converted{s.goal, s.id}]
}

// judgeConversion compares the item of a conversion. It carries no mark: it is put in the step that its record is of, so it must
// be there once that step has settled, and may be before. Whenever it is there it is whole.
func (v *judges) judgeConversion(s subject, it sinks.Item) judgement {
	cmp := v.compare(s, it)
	if s.tp.Topic != v.number && v.ofTopic(s.tp.Topic) {
		return nothing
	}
	c := v.statsChain(s.tp)
	if c == nil {
		cmp.differ(whole, summary(it), "the topic has no such chain")
		return judgement{ahead: true, differences: cmp.differences}
	}
	j := judgement{chains: []*chain{c}}
	want := c.conversion(s)
	gone, ttls := it.Expired(v.now()), []sinks.Value(nil)
	if want != nil {
		gone, ttls = v.expiry(s.site, sinks.AttrSessionDays, want.at)
	}
	if it == nil && want != nil && want.position >= c.settled() {
		return nothing // On its way.
	}
	switch f := v.fateOfConversion(s, want, it); {
	case f == mustBeGone && it != nil:
		cmp.differ(whole, "present", "erased")
		j.differences = cmp.differences
		return j
	case f != stays && it == nil:
		j.leftOut = becauseErased
		return j
	}
	if done := j.settleEarly(it != nil || want != nil, gone, c); done {
		return j
	}
	if !cmp.presence(want != nil) {
		cmp.conversion(v, s, want)
		cmp.oneOf(sinks.AttrTTL, ttls)
		cmp.common(sinks.EntityConversion, s.site)
	}
	j.differences = cmp.differences
	return j
}

func (c *comparison) conversion(v *judges, s subject, want *conversion) {
	c.text(sinks.AttrSiteID, s.site)
	c.text(sinks.AttrGoal, want.goal)
	c.number(sinks.AttrGoalNumber, int64(s.goal))
	c.text(sinks.AttrSessionID, s.id)
	c.text(sinks.AttrVisitorID, want.visitor)
	c.text(sinks.AttrUserID, want.user)
	c.number(sinks.AttrAt, want.at)
	c.text("type", want.typ)
	c.text(sinks.AttrName, want.name)
	c.text(sinks.AttrPage, want.page)
	c.oneOf(sinks.AttrValueMicros, []sinks.Value{want.value})
	c.text("source", fmt.Sprintf("%s/%d/%d", v.opts.Topic, s.tp.Partition, want.offset))
	shard := sinks.ShardOf(s.id, v.table.SessionShards)
	c.text(sinks.AttrGSI1PK, v.keys.GoalConversions(s.site, s.goal, shard))
	c.text(sinks.AttrGSI1SK, sinks.SessionOrder(want.at, s.id, s.tp))
}

// judgeGoal compares the item of a goal with what the site's rules have come to: the goal as it is, or as it was when it was
// deleted, and the revision that made it so.
func (v *judges) judgeGoal(s subject, it sinks.Item) judgement {
	var last *sites.Goal
	var rev int64
	deleted := false
	for _, c := range v.rules.History(s.site) {
		now := c.Rules.Goal(s.id)
		switch {
		case now == nil && last != nil && !deleted:
			rev, deleted = c.Rev, true
		case now != nil && (last == nil || deleted || now.String() != last.String()):
			last, rev, deleted = now, c.Rev, false
		}
	}
	cmp := v.compare(s, it)
	if it == nil && last == nil {
		return nothing
	}
	if !cmp.presence(last != nil) {
		cmp.text(sinks.AttrSiteID, s.site)
		cmp.text(sinks.AttrGoal, s.id)
		cmp.number(sinks.AttrGoalNumber, int64(last.N))
		cmp.oneOf(sinks.AttrName, []sinks.Value{sinks.Str(last.Name)})
		cmp.number(sinks.AttrRev, rev)
		cmp.text(sinks.AttrDefinition, last.String())
		cmp.number(sinks.AttrDeleted, number(deleted))
		cmp.common(sinks.EntityGoal, s.site)
	}
	return judgement{view: true, differences: cmp.differences}
}

// goalsOf yields the ids of all goals that a site has ever had; some twice.
func (v *rulebook) goalsOf(site string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range v.rules.History(site) {
			if c.Rules == nil {
				continue
			}
			for _, g := range c.Rules.Goals {
				if !yield(g.ID) {
					return
				}
			}
		}
	}
}
