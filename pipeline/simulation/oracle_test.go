package simulation_test

import (
	"context"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// What must hold at the end of a simulation, once every chain has folded the whole log. package verify, which shares
// no code with the fold, judges every item of the table. The rest is what it cannot know: that the totals add up to
// the records that are in the log, and that the failed-events topic holds what was rejected.
//
// An item of a new kind needs nothing here. It is judged once package verify recounts it (judge in internal/verify/judge.go);
// what feeds it belongs in input, in input_test.go, and a branch that is its own among the happenings of
// coverage_test.go.

// judge finds all that is wrong.
func (s *simulation) judge() {
	log, err := s.read(s.Topic)
	if err != nil {
		s.problem("read the log: %v", err)
		return
	}
	s.of = s.live()
	report, err := s.recount()
	if err != nil {
		s.problem("verify: %v", err)
		return
	}
	for _, d := range report.Differences {
		if (d.Attribute == sinks.AttrBot || d.Attribute == "url" || d.Attribute == "referrer") && s.mixed() || s.beforeCopy(d) {
			continue
		}
		s.problem("%s %s / %s: %s: table %s, recount %s", d.Kind, d.PK, d.SK, d.Attribute, d.Table, d.Recount)
	}
	s.cover.Add(onQuarantine, len(report.Lost))
	for _, u := range report.Unsettled {
		s.problem("unsettled: %s", u)
	}
	for _, b := range report.Behind {
		s.problem("behind: partition %d, lane %s stands at %d of %d", b.Partition, b.Lane, b.Offset, b.End)
	}
	if report.ComparedCount == 0 {
		s.problem("nothing was compared")
	}
	s.compared, s.counted = report.Compared, len(log)
	s.judgeTotals(log)
	s.judgeFailed(log)
	s.judgeSealed(report)
	s.judgeRules()
	s.judgeUpgrade()
	s.judgeRebuilt(log)
	if s.copies != nil {
		s.judgeReadOnce()
	}
}

// recount compares a generation of items with the log.
func (s *simulation) recount() (verify.Report, error) {
	return verify.Run(context.Background(), verify.Options{Kafka: s.Kafka(), Topic: s.Topic, Table: s.shown(), Keys: s.of.keys,
		HashKey: s.world.Options().HashKey})
}

// mixed reports whether processes of this seed had different settings. A raw event goes out before its step is begun: a
// process that ended before that may have found something else about its sender than who folded it in the end.
func (s *simulation) mixed() bool {
	return s.upgrade.begun || slices.ContainsFunc(s.used, func(p checkpoint.Settings) bool {
		p.BatchBytes = s.used[0].BatchBytes // It affects no record's outcome.
		return p.String() != s.used[0].String()
	})
}

// place is where a record lies.
type place struct {
	partition int32
	offset    int64
}

// countOf returns how many records the failed event covers.
func countOf(r *kgo.Record) int64 {
	if lost := batch.RangeOf(r); lost != nil {
		return lost.Records
	}
	return 1
}

func (s *simulation) judgeTotals(log []*kgo.Record) {
	records := make(map[int32]int64)
	gaps := make(map[int32][]checkpoint.Gap)
	for n := range s.partitions {
		gaps[n] = s.gaps(n)
	}
	for _, r := range log {
		if gap, undecided := gapAt(gaps[r.Partition], r.Offset); gap == nil || undecided { // The undecided step's totals count.
			records[r.Partition] += countOf(r)
		}
	}
	for p, n := range records {
		totals := s.of.head(s.world, p, checkpoint.LaneStats).Totals
		if totals.Records() != n {
			s.problem("partition %d: the totals are of %d records, the log has %d: %+v", p, totals.Records(), n, totals)
		}
	}
}

// judgeFailed compares the failed-events topic with the log. An entry goes out before the step that its record
// belongs to is begun, so a process that dies, or is fenced, may have published one under settings that no step was
// folded under in the end: only what no process of this seed would reject is wrong there.
func (s *simulation) judgeFailed(log []*kgo.Record) {
	rejected, ever := s.rejectedByAll(log)
	entries, err := s.read(s.Topic + ".failed")
	if err != nil {
		s.problem("read the failed events: %v", err)
		return
	}
	records := make(map[place]*kgo.Record, len(log))
	for _, r := range log {
		records[place{r.Partition, r.Offset}] = r
	}
	decided, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	if err != nil {
		s.problem("read the rules: %v", err)
		return
	}
	found := make(map[place]bool)
	for _, e := range entries {
		var at place
		for _, h := range e.Headers {
			n, _ := strconv.ParseInt(string(h.Value), 10, 64)
			switch h.Key {
			case event.HeaderPartition:
				at.partition = int32(n)
			case event.HeaderOffset:
				at.offset = n
			}
		}
		if found[at] {
			s.cover.Hit(onFailedAgain)
		}
		found[at] = true
		if r := records[at]; r != nil && batch.RangeOf(r) != nil {
			s.judgeRange(r, e)
		} else if r != nil {
			s.judgeFailedValue(r, e, decided)
		}
		if !ever[at] {
			s.problem("failed event of partition %d, offset %d: the record was not rejected", at.partition, at.offset)
		}
	}
	for at := range rejected {
		if !found[at] {
			s.problem("partition %d, offset %d: rejected in generation %d, and not among the failed events", at.partition, at.offset,
				rejected[at])
		}
	}
}

// rejected are the records that the steps rejected, and those that any of the seed's processes would reject.
func (s *simulation) rejected(log []*kgo.Record) (steps, ever map[place]bool) {
	steps, ever = make(map[place]bool), make(map[place]bool)
	type sighting struct {
		partition int32
		event     string
	}
	seen := make(map[sighting]int64)
	windows := make(map[int32]*testworld.Window)
	gate := s.turnstile()
	gaps := make(map[int32][]checkpoint.Gap)
	for n := range s.partitions {
		gaps[n] = s.gaps(n)
	}
	eras, heads := make(map[int32][]checkpoint.History), make(map[int32]checkpoint.Head)
	for n := range s.partitions {
		eras[n], heads[n] = s.histories(n), s.of.head(s.world, n, checkpoint.LaneStats)
	}
	decoder := event.NewDecoder()
	for _, r := range log {
		at := place{r.Partition, r.Offset}
		gap, _ := gapAt(gaps[r.Partition], r.Offset)
		var e event.Event
		if windows[r.Partition] == nil {
			windows[r.Partition] = new(testworld.Window)
		}
		window := windows[r.Partition]
		if batch.RangeOf(r) == nil {
			window.Add(r.Offset, r.Timestamp.UnixMilli())
		}
		if batch.RangeOf(r) != nil {
			steps[at], ever[at] = gap == nil, true
			continue
		}
		value, known := s.plain(r, heads[r.Partition])
		if reason, _ := decoder.Decode(value, &e); !known || reason != event.Accepted {
			steps[at], ever[at] = gap == nil, true
			continue
		}
		repeats := func(checkpoint.Duplicates) bool { return false }
		if e.ID != nil {
			who := sighting{r.Partition, string(e.SiteID) + "\x00" + string(e.ID)}
			if last, ok := seen[who]; ok && !slices.ContainsFunc(gaps[r.Partition], func(g checkpoint.Gap) bool {
				return last < unseenBefore(g) && g.UnreadTo <= r.Offset // The window does not reach back over what was not read.
			}) && !slices.ContainsFunc(eras[r.Partition], func(h checkpoint.History) bool {
				return h.Forgot != nil && h.From <= r.Offset && last < h.Forgot.To
			}) {
				floor := s.windowFloor(gaps[r.Partition], eras[r.Partition], r.Offset)
				repeats = func(of checkpoint.Duplicates) bool { return window.Repeats(of, last, floor) }
				if r.Offset-last == s.duplicates.Positions && repeats(s.duplicates) {
					s.cover.Hit(onExactWindow)
				}
			}
			seen[who] = r.Offset
		}
		late := r.Timestamp.UnixMilli() - e.Timestamp
		var settings checkpoint.Settings
		rev := int64(0)
		for _, h := range eras[r.Partition] {
			if h.From <= r.Offset {
				settings, _ = checkpoint.ParseSettings(h.Ver) // verify has parsed them.
				if rev = h.Rev; settings.Rules != 0 {
					rev = settings.Rules
				}
			}
		}
		untimely := func(p checkpoint.Settings) bool {
			return e.Timestamp < endOf1970 || p.LateMs >= 0 && late > p.LateMs || -late > p.EarlyMs
		}
		believed := func(last int64) bool { return r.Timestamp.UnixMilli() <= last }
		if !believed(s.leastNotAfter()) && believed(settings.NotAfter) {
			s.cover.Hit(onMidnight)
		}
		if gap == nil && !repeats(settings.Duplicates) && (!believed(settings.NotAfter) || untimely(settings) ||
			gate.turnsAway(r, string(e.SiteID), settings, rev) && !mayBeKnown(gaps[r.Partition], r.Offset, settings)) {
			steps[at] = !settings.Rebuilt // Else its failed event had gone out before.
		}
		ever[at] = s.copies != nil && s.copies.lacks[string(e.SiteID)] || // By a decision that the copy lacks.
			s.schemas != nil && len(value) < len(r.Value) // By a process for which its schema was unknown, or no value named one.
		for _, p := range s.used {
			ever[at] = ever[at] || !repeats(p.Duplicates) && (!believed(s.leastNotAfter()) || untimely(p) || gate.mayTurnAway(string(e.SiteID), p))
		}
	}
	return steps, ever
}

// windowFloor is the offset below which the window of duplicates does not reach at another one.
func (s *simulation) windowFloor(gaps []checkpoint.Gap, eras []checkpoint.History, offset int64) (floor int64) {
	for _, g := range gaps {
		if g.UnreadTo <= offset {
			floor = max(floor, unseenBefore(g))
		}
	}
	for _, h := range eras {
		if h.Forgot != nil && h.From <= offset {
			floor = max(floor, h.Forgot.To)
		}
	}
	return floor
}

// mayBeKnown reports whether a step that a gap left undecided, before an offset, may have admitted sites. The log no longer shows which
// sites, nor how many.
func mayBeKnown(gaps []checkpoint.Gap, offset int64, p checkpoint.Settings) bool {
	return p.NewSites > 0 && p.Sites != checkpoint.SitesRegistered && slices.ContainsFunc(gaps, func(g checkpoint.Gap) bool {
		return g.UndecidedFrom < g.UndecidedTo && g.UndecidedTo <= offset
	})
}

// histories are those of a partition's stats lane, in order.
func (s *simulation) histories(partition int32) []checkpoint.History {
	pk, prefix := s.of.keys.Histories(sinks.TP{Topic: s.of.topic, Partition: partition}, checkpoint.LaneStats)
	page, err := s.Table.Query(context.Background(), sinks.Query{PK: pk, Prefix: prefix, Consistent: true})
	if err != nil {
		s.problem("read the histories of partition %d: %v", partition, err)
	}
	var list []checkpoint.History
	for _, it := range page.Items {
		h, err := checkpoint.ReadHistory(it)
		if err != nil {
			s.problem("history of partition %d: %v", partition, err)
		}
		list = append(list, h)
	}
	return list
}

// settled reports whether every chain has folded all that is in the log and is marked as done.
func (s *simulation) settled() bool {
	of := s.live()
	for p, end := range s.ends {
		for _, lane := range checkpoint.Lanes {
			if c := of.head(s.world, p, lane); c.To < end || !c.Done {
				return false
			}
		}
	}
	return true
}

// judgeRules notes rules that a worker has overruled: of a site that it meets it may only say that there are none yet.
func (s *simulation) judgeRules() {
	log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	if err != nil {
		s.problem("read the rules: %v", err)
		return
	}
	for i, c := range log.History(simNewcomer) {
		if i > 0 && (c.Rules.Empty() || c.Always) {
			s.problem("revision %d of %s: rules %s, always %v, behind others", c.Rev, c.Site, c.Rules, c.Always)
		}
	}
}
