package sites

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// A view of one goal of a site, as the log has it.
type goalView struct {
	Goal
	rev     int64 // the revision that made it what it is
	deleted bool
}

// goalViews are the goals that a site has, and those that it had: of each id the last. What they are follows from the log alone,
// the revision too, so that whoever publishes an older log is refused.
func goalViews(history []Revision) map[string]goalView {
	views := make(map[string]goalView)
	for _, c := range history {
		for id, v := range views {
			if !v.deleted && c.Rules.Goal(id) == nil {
				views[id] = goalView{v.Goal, c.Rev, true}
			}
		}
		if c.Rules == nil {
			continue
		}
		for i := range c.Rules.Goals {
			g := &c.Rules.Goals[i]
			if v, ok := views[g.ID]; !ok || v.deleted || !v.Equal(g) {
				views[g.ID] = goalView{*g, c.Rev, false}
			}
		}
	}
	return views
}

// PublishGoals writes an item for each goal that a site has or had, given its history: those who want the goals of one site look
// there. As with [Publish], a view that is newer is left alone, and it may be repeated at any time. A site that never had a goal
// costs nothing.
func PublishGoals(ctx context.Context, t sinks.Table, keys sinks.Keys, site string, history []Revision) error {
	views := goalViews(history)
	if len(views) == 0 {
		return nil
	}
	shown := make(map[sinks.Key]int64)
	for it, err := range sinks.Items(ctx, t, sinks.Query{PK: sinks.Decided(site), Prefix: sinks.GoalPrefix, Consistent: true}) {
		if err != nil {
			return fmt.Errorf("site %q: read its goals: %w", site, err)
		}
		shown[it.Key()] = it[sinks.AttrRev].Int()
	}
	for _, id := range slices.Sorted(maps.Keys(views)) {
		v := views[id]
		if shown[keys.Goal(site, id)] >= v.rev {
			continue
		}
		_, err := t.Put(ctx, sinks.Put{Item: v.item(keys, site), If: []sinks.Cond{{Attr: sinks.AttrRev, Op: sinks.AbsentOrLess,
			Value: sinks.Int(v.rev)}}})
		if err != nil {
			return fmt.Errorf("site %q: put goal %q: %w", site, id, err)
		}
	}
	return nil
}

func (v goalView) item(keys sinks.Keys, site string) sinks.Item {
	key := keys.Goal(site, v.ID)
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityGoal), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrSiteID: sinks.Str(site), sinks.AttrGoal: sinks.Str(v.ID), sinks.AttrGoalNumber: sinks.Int(int64(v.N)),
		sinks.AttrName: sinks.Str(v.Name), sinks.AttrRev: sinks.Int(v.rev), sinks.AttrDefinition: sinks.Str(v.String()),
	}
	if v.deleted {
		it[sinks.AttrDeleted] = sinks.Int(1)
	}
	return it
}
