package verify

import (
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// What lies under each partition key of a site. A key is read as a whole: an item that no prefix explains is a difference.

// list is a partition key, or a part of one, and the kinds of what lies there.
type list struct {
	query   sinks.Query
	kinds   []string
	journal *lateDate // whose journal is read instead
}

// everything is all that lies under a partition key.
func everything(pk string, kinds ...string) list {
	return list{query: sinks.Query{PK: pk}, kinds: kinds}
}

// listsOf are what is read of a site to begin with.
func (v *scanner) listsOf(site string) []list {
	all := []list{
		everything(v.keys.Site(site), kindMetadata, kindGoal, kindFunnel, kindHour, kindDay, kindMonth, kindRealtime, kindBudget),
		everything(v.keys.RecentList(site), kindRecent),
		everything(v.keys.VisitorList(site), kindNew, kindListed),
		everything(v.keys.UniquesList(site), kindDayUniques, kindMonthUniques),
		everything(v.keys.BreakdownList(site), kindDayBreakdown, kindMonthBreakdown),
	}
	for nn := range sinks.MaxShards { // Readers may find an item in a shard that the site does not have.
		all = append(all, v.shardLists(v.keys.Shard(site, nn))...)
	}
	return all
}

// listsOfDate are what is read of a date of a site: what is kept of its hours, after the journal.
func (v *scanner) listsOfDate(at lateDate) []list {
	return []list{{journal: &at}, everything(v.keys.UniquesOfDay(at.site, at.date), kindUniques),
		everything(v.keys.BreakdownOfDay(at.site, at.date), kindBreakdown, kindLate)}
}

// kindOf returns the kind of the item at a sort key.
func (l list) kindOf(sk string) string {
	for _, name := range l.kinds {
		if strings.HasPrefix(sk, kinds[name].prefix) {
			return name
		}
	}
	return kindUnknown
}

// shardLists are what is read of a shard: all of it, or, where not all raw events are wanted, each kind by itself.
func (v *scanner) shardLists(pk string) (all []list) {
	names := []string{kindSession, kindVisitor, kindArrival, kindConversion, kindEvent, kindPack}
	if !v.opts.SkipRaw && v.opts.From.IsZero() && v.opts.To.IsZero() {
		return []list{everything(pk, names...)}
	}
	for _, name := range names {
		q := sinks.Query{PK: pk, Prefix: kinds[name].prefix}
		switch raw := name == kindEvent || name == kindPack; {
		case raw && v.opts.SkipRaw:
			continue
		case name == kindEvent:
			q = v.eventQuery(pk)
		case name == kindPack:
			q = v.packQuery(pk)
		}
		all = append(all, list{query: q, kinds: names})
	}
	return all
}

// eventQuery selects the raw events of a shard in the span of event time that is verified.
func (v *scanner) eventQuery(pk string) sinks.Query {
	if v.opts.From.IsZero() && v.opts.To.IsZero() {
		return sinks.Query{PK: pk, Prefix: sinks.EventPrefix}
	}
	q := sinks.Query{PK: pk, From: sinks.EventPrefix, To: sinks.EventPrefix + "~"}
	var id ulid.ULID
	if !v.opts.From.IsZero() && id.SetTime(uint64(max(0, v.opts.From.UnixMilli()))) == nil {
		q.From = sinks.EventPrefix + id.String()
	}
	if !v.opts.To.IsZero() && id.SetTime(uint64(max(0, v.opts.To.UnixMilli()))) == nil {
		q.To = sinks.EventPrefix + id.String()
	}
	return q
}
