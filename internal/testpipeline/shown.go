package testpipeline

import (
	"maps"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// ShownOf returns a session's item with what its keys and its state show as attributes of their own. Of a state that cannot be read
// nothing is.
func ShownOf(it sinks.Item) sinks.Item {
	s, err := state.SessionOf(it)
	if err != nil || s.Events == 0 {
		return it
	}
	it = maps.Clone(it)
	yes := map[bool]int64{true: 1}
	for name, n := range map[string]int64{sinks.AttrOpenedAt: s.OpenedAt, sinks.AttrStartedAt: s.StartedAt, sinks.AttrEndedAt: s.EndedAt,
		sinks.AttrDurationMs: s.DurationMs(), sinks.AttrPageViews: s.PageViews, sinks.AttrEvents: s.Events,
		sinks.AttrBounce: yes[s.Bounce()], sinks.AttrEngaged: yes[s.Engaged()]} {
		it[name] = sinks.Int(n)
	}
	whose := state.IdentityOf(it)
	texts := map[string]string{sinks.AttrEntryPage: s.Entry.Page, sinks.AttrExitPage: s.Exit.Page, sinks.AttrSessionID: whose.Session,
		sinks.AttrVisitorID: whose.Visitor, sinks.AttrUserID: whose.User}
	for d, name := range sinks.DimensionNames {
		if s.First != nil && name != "" {
			texts[name] = s.First[d]
		}
	}
	for name, text := range texts {
		if text != "" {
			it[name] = sinks.Str(text)
		}
	}
	return it
}
