package aggregate

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
)

// A session reaches a goal of its site once: by the first of its events, in the order of positions, that matches the goal under the
// rules of the event's step. Which goals it has reached is third-kind state (state.Session.Reached): a redo begins from what was
// reached before the step, finds the same conversions again and puts the same items again.
//
// A conversion is counted in the hour and the day of its event's own time, and its item says nothing but what the record and the
// rules say: the session's visitor may become known later, and a redo would then write more than the step did.

// conversion is a goal that a session has reached in the accumulating step, as its item has it.
type conversion struct {
	*session
	goal                               *sites.Goal
	at                                 int64
	value                              int64 // millionths
	hasValue                           bool
	visitorID, userID, typ, name, page string
	source                             string
}

// conversionBytes is about what the request of a conversion's item takes.
const conversionBytes = 600

// goals notes the conversions of the accumulating step.
type goals struct {
	*accumulating
	buckets *buckets
	noted   []conversion
	full    int // conversions that could not be noted: their session has reached too many goals
}

// convert finds the goals that a session reaches by the record, which was just folded into it.
func (g *goals) convert(r *Input) {
	x := r.session
	if x.site.Ruled.Rules == nil || len(x.site.Ruled.Goals) == 0 {
		return
	}
	e, all := &r.Event, x.site.Ruled.Goals
	page, lasted := e.Page(), x.Cur.DurationMs()
	for i := range all {
		goal := &all[i]
		if x.Cur.Reached.Has(goal.N) || !goal.ReachedBy(e.Type, e.Name, page, lasted) {
			continue
		}
		with, ok := x.Cur.Reached.With(goal.N)
		if !ok { // It is full, of goals that were deleted since. That it is so is state, and holds in a redo, too.
			g.full++
			continue
		}
		x.Cur.Reached = with
		g.add(r, goal)
	}
}

// add counts a conversion in the hour and the day of its event, and remembers its item, unless that would be about a person
// whose data were erased.
func (g *goals) add(r *Input, goal *sites.Goal) {
	e := &r.Event
	value, ok := goal.ValueOf(e.Value, e.HasValue)
	r.session.Cur.Worth += value
	g.buckets.addGoal(r, goal.N, value)
	if !r.Kept() {
		return
	}
	g.noted = append(g.noted, conversion{session: r.session, goal: goal, at: e.Timestamp, value: value, hasValue: ok,
		visitorID: string(e.VisitorID), userID: string(e.UserID), typ: string(e.Type), name: string(e.Name),
		page: string(TruncatePage(e.Page())), source: g.source(r.Offset)})
	g.bytes += conversionBytes
}

// addGoal counts a conversion in the hour and the day of its event.
func (b *buckets) addGoal(r *Input, n uint64, value int64) {
	h := r.hour
	d := h.Site.day(r.Event.Timestamp)
	for _, s := range []*additions.Sums{&h.sums, &d.sums} {
		s.Counts[figures.Conversions]++
		s.Goals.Add(n, value)
	}
}

// conversion puts the item of a conversion. A redo puts the same, and so does an owner who was replaced: it needs no mark, since
// a session reaches a goal in one step alone.
func (c *statsCut) conversion(v *conversion) {
	site := v.site.ID
	ttl := plan.Expires(v.at, c.days(v.site, sinks.AttrSessionDays, c.settings.Retention.SessionDays))
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityConversion)
		return
	}
	visitor := v.visitorID
	key := c.Keys.Conversion(site, v.goal.N, v.id, c.TP, c.SessionShards)
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityConversion), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrGSI1PK: sinks.Str(c.Keys.GoalConversions(site, v.goal.N, sinks.ShardOf(v.id, c.SessionShards))),
		sinks.AttrGSI1SK: sinks.Str(sinks.SessionOrder(v.at, v.id, c.TP)),
		sinks.AttrSiteID: sinks.Str(site), sinks.AttrGoal: sinks.Str(v.goal.ID), sinks.AttrGoalNumber: sinks.Int(int64(v.goal.N)),
		sinks.AttrSessionID: sinks.Str(v.id), sinks.AttrAt: sinks.Int(v.at), "type": sinks.Str(v.typ), "source": sinks.Str(v.source),
	}
	for _, a := range [...]struct{ name, text string }{
		{sinks.AttrVisitorID, visitor}, {sinks.AttrUserID, v.userID}, {sinks.AttrName, v.name}, {sinks.AttrPage, v.page},
	} {
		if a.text != "" {
			it[a.name] = sinks.Str(a.text)
		}
	}
	if v.hasValue {
		it[sinks.AttrValueMicros] = sinks.Int(v.value)
	}
	if !ttl.Never {
		it[sinks.AttrTTL] = sinks.Int(ttl.At)
	}
	c.p.Writes = append(c.p.Writes, plan.Write{Kind: sinks.EntityConversion, Item: it})
}
