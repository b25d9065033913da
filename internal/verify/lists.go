package verify

import (
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

// What lies under each partition key of a site. A key is read as a whole: an item that no prefix explains is a difference.

// list is a partition key, or a part of one, and the kinds of what lies there.
type list struct {
	query   sinks.Query
	kinds   []string
	journal *judge.LateDate // whose journal is read instead
}

// everything is all that lies under a partition key.
func everything(pk string, kinds ...string) list {
	return list{query: sinks.Query{PK: pk}, kinds: kinds}
}

// listsOf are what is read of a site to begin with.
func (v *scanner) listsOf(site string) []list {
	decided := []string{finding.KindMetadata, finding.KindGoal, finding.KindFunnel, finding.KindSegment}
	counted := []string{finding.KindHour, finding.KindDay, finding.KindMonth, finding.KindRealtime, finding.KindBudget}
	var all []list
	if sinks.Decided(site) == v.Keys.Site(site) {
		all = append(all, everything(v.Keys.Site(site), slices.Concat(decided, counted)...))
	} else {
		all = append(all, everything(v.Keys.Site(site), counted...))
		for _, name := range decided { // Beside what the first generation has counted.
			all = append(all, list{query: sinks.Query{PK: sinks.Decided(site), Prefix: judge.Kinds[name].Prefix}, kinds: decided})
		}
	}
	all = append(all,
		everything(v.Keys.RecentList(site), finding.KindRecent),
		everything(v.Keys.VisitorList(site), finding.KindNew, finding.KindListed),
		everything(v.Keys.UniquesList(site), finding.KindDayUniques, finding.KindMonthUniques),
		everything(v.Keys.BreakdownList(site), finding.KindDayBreakdown, finding.KindMonthBreakdown),
	)
	for nn := range sinks.MaxShards { // Readers may find an item in a shard that the site does not have.
		all = append(all, v.shardLists(site, nn)...)
	}
	return all
}

// listsOfDate are what is read of a date of a site: what is kept of its hours, after the journal.
func (v *scanner) listsOfDate(at judge.LateDate) []list {
	return []list{{journal: &at}, everything(v.Keys.UniquesOfDay(at.Site, at.Date), finding.KindUniques),
		everything(v.Keys.BreakdownOfDay(at.Site, at.Date), finding.KindBreakdown, finding.KindLate)}
}

// kindOf returns the kind of the item at a sort key.
func (l list) kindOf(sk string) string {
	for _, name := range l.kinds {
		if strings.HasPrefix(sk, judge.Kinds[name].Prefix) {
			return name
		}
	}
	return finding.KindUnknown
}

// shardLists are what is read of a shard: all of it, or, where not all raw events are wanted or they lie elsewhere, each kind by itself.
func (v *scanner) shardLists(site string, nn int) (all []list) {
	pk, rawPK := v.Keys.Shard(site, nn), sinks.RawShard(site, nn)
	names := []string{finding.KindSession, finding.KindVisitor, finding.KindArrival, finding.KindConversion}
	rawNames := []string{finding.KindEvent, finding.KindPack}
	if pk != rawPK {
		all = append(all, everything(pk, names...))
		names, pk = nil, rawPK
	} else if !v.Opts.SkipRaw && v.Opts.From.IsZero() && v.Opts.To.IsZero() {
		return []list{everything(pk, slices.Concat(names, rawNames)...)}
	}
	names = append(names, rawNames...)
	for _, name := range names {
		q := sinks.Query{PK: pk, Prefix: judge.Kinds[name].Prefix}
		switch raw := name == finding.KindEvent || name == finding.KindPack; {
		case raw && v.Opts.SkipRaw:
			continue
		case name == finding.KindEvent:
			q = v.eventQuery(pk)
		case name == finding.KindPack:
			q = v.packQuery(pk)
		}
		all = append(all, list{query: q, kinds: names})
	}
	return all
}

// eventQuery selects the raw events of a shard in the span of event time that is verified.
func (v *scanner) eventQuery(pk string) sinks.Query {
	if v.Opts.From.IsZero() && v.Opts.To.IsZero() {
		return sinks.Query{PK: pk, Prefix: sinks.EventPrefix}
	}
	q := sinks.Query{PK: pk, From: sinks.EventPrefix, To: sinks.EventPrefix + "~"}
	var id ulid.ULID
	if !v.Opts.From.IsZero() && id.SetTime(uint64(max(0, v.Opts.From.UnixMilli()))) == nil {
		q.From = sinks.EventPrefix + id.String()
	}
	if !v.Opts.To.IsZero() && id.SetTime(uint64(max(0, v.Opts.To.UnixMilli()))) == nil {
		q.To = sinks.EventPrefix + id.String()
	}
	return q
}

// packQuery selects the packs of a shard that may have events of the span that is verified.
func (v *scanner) packQuery(pk string) sinks.Query {
	q := v.eventQuery(pk)
	if q.Prefix != "" {
		q.Prefix = sinks.PackPrefix
		return q
	}
	q.From, q.To = sinks.PackPrefix, sinks.PackPrefix+"~"
	var id ulid.ULID
	if !v.Opts.From.IsZero() {
		q.From = pack.From(max(0, v.Opts.From.UnixMilli()))
	}
	if !v.Opts.To.IsZero() && id.SetTime(uint64(max(0, v.Opts.To.UnixMilli()))) == nil {
		q.To = sinks.PackPrefix + id.String()
	}
	return q
}
