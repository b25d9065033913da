package judge

import (
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// fates finds what erasures leave of items.
type fates struct{ *recount.Model }

// ofEvent returns the fate of a raw event, by its own visitor and user. An absent one may have been deleted as the raw event of
// any record that may have been written to its key last: by that record's visitor or user, or by its session if it has neither. The
// owner that wrote it need not have begun the record's step, and the record need not be recounted.
func (f fates) ofEvent(s Subject, e recount.RawEvent, it sinks.Item) scope.Fate {
	if it != nil && !it.Expired(f.Now()) {
		return f.FateOfPerson(s.Site, it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it["timestamp"].Int())
	}
	ofErased := func(session string) bool { return f.ofErased(s.Site, session) }
	if e.Erasing || slices.ContainsFunc(e.Sessions(), ofErased) || f.passedOver() && recount.RawTime(s.Raw.ID) <= f.lastErased(s.Site) {
		return scope.IsSwept
	}
	return scope.Stays
}

// passedOver reports whether the log has lost records, or a chain has skipped some. Owners may have written their raw events before.
func (f fates) passedOver() bool {
	if f.Recreated {
		return true
	}
	for _, c := range f.Chains {
		if c.Gaps > 0 || len(c.Skips) > 0 || f.Starts[c.Partition] > 0 {
			return true
		}
	}
	return false
}

// ofConversion returns the fate of a conversion, by its own visitor and user, or by its session if it has neither.
func (f fates) ofConversion(s Subject, want *count.Conversion, it sinks.Item) scope.Fate {
	var visitor, user string
	var at int64
	switch {
	case it != nil:
		visitor, user, at = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it[sinks.AttrAt].Int()
	case want != nil:
		visitor, user, at = want.Visitor, want.User, want.At
	}
	if visitor == "" && user == "" && (f.ofErased(s.Site, s.ID) || it == nil && f.passedOver() && at <= f.lastErased(s.Site)) {
		return scope.IsSwept
	}
	return f.FateOfPerson(s.Site, visitor, user, at)
}

// lastErased is up to which event time anyone of the site is erased. A record that was passed over may have made a session that of an
// erased person, and a flush that was not finished may have left the session in the table.
func (f fates) lastErased(site string) int64 { return f.Rules.At(f.Rules.Rev()).Erased(site).Latest() }

// ofErased reports whether any partition saw the session as that of a person who has a tombstone.
func (f fates) ofErased(site, session string) bool {
	return slices.ContainsFunc(f.Stats, func(c *recount.Chain) bool {
		x := c.Stats.Site(site).Sessions[session].At(count.AtEnd)
		return x != nil && (x.Erased || f.FateOfPerson(site, x.Visitor, x.User, x.OpenedAt) != scope.Stays)
	})
}
