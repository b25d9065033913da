package verify

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// A raw event may be what its record makes under other settings, or rules, than those of its step: its writer may have ended
// before it began one. It must be equal in all attributes to what one record with its key makes under one of the recorded
// settings and one revision of the site's rules. These records are read again, since the recount keeps a hash of them only.

// rawDoubt is a raw event that is not what its first counted record makes under the settings of its step.
type rawDoubt struct {
	s       judge.Subject
	it      sinks.Item
	event   recount.RawEvent
	known   bool
	unread  bool                 // a record could not be read again
	equal   bool                 // it is what some record makes
	nearest []finding.Difference // to the item that has the fewest
}

// maxDoubts is how many raw events are in doubt at a time, and maxApart how many records lie between two that are read together.
const (
	maxDoubts = 1000
	maxApart  = 4096
)

// settleEvents decides about raw events by their records.
func (v *scanner) settleEvents(ctx context.Context, doubts []*rawDoubt) error {
	wanted := make(map[int32]map[int64][]*rawDoubt)
	for _, d := range doubts {
		d.event, d.known = v.Raw.Sites[d.s.Site][d.s.Raw]
		if !d.known {
			continue
		}
		for _, s := range d.event.Sightings() {
			offset := s.Position - s.Chain.Head.Base
			if offset < v.Starts[s.Chain.Partition] || s.Chain.Head.TopicID != v.Log.HexID() {
				d.unread = true
				continue
			}
			if wanted[s.Chain.Partition] == nil {
				wanted[s.Chain.Partition] = make(map[int64][]*rawDoubt)
			}
			wanted[s.Chain.Partition][offset] = append(wanted[s.Chain.Partition][offset], d)
		}
	}
	for partition, at := range wanted {
		for _, s := range together(slices.Sorted(maps.Keys(at))) {
			err := v.Log.Read(ctx, partition, s.From, s.To, func(k *kgo.Record) error {
				for _, d := range at[k.Offset] {
					v.consider(d, k)
				}
				return nil
			})
			if _, gone := errors.AsType[*topiclog.GoneError](err); gone {
				for offset, list := range at {
					if s.From <= offset && offset < s.To {
						for _, d := range list {
							d.unread = true
						}
					}
				}
			} else if err != nil {
				return err
			}
		}
	}
	return v.decide(ctx, doubts)
}

// together joins offsets, in order, that lie close to each other. Each span ends with a record that is there.
func together(offsets []int64) (spans []recount.Span) {
	for _, o := range offsets {
		if n := len(spans); n > 0 && o-spans[n-1].To < maxApart {
			spans[n-1].To = o + 1
		} else {
			spans = append(spans, recount.Span{From: o, To: o + 1})
		}
	}
	return spans
}

// decide counts what the records have said.
func (v *scanner) decide(ctx context.Context, doubts []*rawDoubt) error {
	ends, err := v.Log.Ends(ctx)
	if err != nil {
		return err
	}
	for _, d := range doubts {
		cmp := v.Compare(d.s, d.it)
		switch {
		case !d.known:
			_, partition, offset, ok := recount.RawSource(d.it)
			c := v.Chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
			if ok && offset < ends[partition] && (c == nil || offset+c.Head.Base >= c.Head.To) {
				continue // Its chain has not come to it.
			}
			cmp.Differ(finding.Whole, "present", finding.Absent)
			d.nearest = cmp.Differences
		case d.equal && !d.event.Required:
			v.LeaveOut(finding.BecauseNotBegun, d.s.Kind)
			continue
		case d.equal:
			v.Count(d.s.Kind)
			continue
		case v.OfAnotherTopic(d.it): // Its record has the same siteId and id, and lies in a log that is not read here.
			v.LeaveOut(finding.BecauseShared, d.s.Kind)
			continue
		case d.unread, v.OfLostRecord(d.it): // Another record has the same siteId and id.
			v.LeaveOut(finding.BecauseLog, d.s.Kind)
			continue
		case d.nearest == nil:
			cmp.Differ(finding.Whole, "present", finding.Absent)
			d.nearest = cmp.Differences
		}
		v.Count(d.s.Kind)
		v.Differ(d.nearest...)
	}
	return nil
}

// consider compares a raw event with all that a record may have made of it. Settings that pack raw events stand for those of a writer
// that did not pack them and ended before it began a step, so that its own are not recorded: the mode decides about no attribute.
func (v *scanner) consider(d *rawDoubt, k *kgo.Record) {
	i := slices.IndexFunc(d.event.Sightings(), func(s recount.RawSighting) bool {
		return s.Chain.Partition == k.Partition && s.Position == k.Offset+s.Chain.Head.Base
	})
	seen := d.event.Sightings()[i]
	var e event.Event
	if v.Decode(seen.Chain, seen.Position, k, &e) != event.Accepted {
		return
	}
	r := count.Record{Position: seen.Position, Offset: k.Offset, Partition: k.Partition, Time: k.Timestamp.UnixMilli(), Event: &e}
	own := count.Ruling{Settings: seen.Chain.SettingsAt(seen.Position), Rules: seen.Chain.RulesAt(seen.Position).Site(string(e.SiteID))}
	for _, by := range v.rulings(own, seen, d.s.Site) {
		if d.equal || recount.RawShard(&e, by.Rules) != d.s.Raw.Shard || !by.Settings.RawEvents {
			continue
		}
		r.Ruling = by
		for _, verdict := range v.botsUnder(&r, own, seen) {
			cmp := v.Compare(d.s, d.it)
			want := v.RawItem(&r, verdict)
			if v.OfAnotherTopic(d.it) { // A copy of the log: only where and when the record lies is its own.
				want["source"], want["recordTime"] = d.it["source"], d.it["recordTime"]
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				cmp.OneOf(name, []sinks.Value{want[name]})
			}
			cmp.Common(sinks.EntityEvent, d.s.Site)
			if d.equal = len(cmp.Differences) == 0; d.equal {
				return
			}
			if d.nearest == nil || len(cmp.Differences) < len(d.nearest) {
				d.nearest = cmp.Differences
			}
		}
	}
}

// rulings returns the rulings under which a record may have been written, that of its step first. A record that its step does not count
// was written under others, if at all. The last record time that a step believes also makes others, once the chain has a record that is
// dated ahead.
func (v *scanner) rulings(own count.Ruling, seen recount.RawSighting, site string) (all []count.Ruling) {
	ruled, recorded := v.WrittenUnder(site), v.DifferentSettings()
	if seen.Counted {
		all = append(all, own)
	} else if len(recorded) == 1 && !recorded[0].RawPacked && len(ruled) == 1 && !v.Recreated && !seen.Chain.Ahead &&
		seen.Chain.NotRecounted == "" {
		return nil
	}
	for _, settings := range recorded {
		for _, s := range ruled {
			all = append(all, count.Ruling{Settings: settings, Rules: s})
		}
	}
	return all
}

// botsUnder returns by what a record may be a bot's under its ruling, where own is that of its step. Where that decides as the
// step's own, the recount has it; otherwise the lists do, and whether its session had passed the rate is not known.
func (v *scanner) botsUnder(r *count.Record, own count.Ruling, seen recount.RawSighting) []count.Bot {
	if seen.Counted && seen.Chain.NotRecounted == "" && own.Settings.Bots == r.Settings.Bots && own.Settings.Fold == r.Settings.Fold &&
		sameLists(own.Rules, r.Rules) {
		return []count.Bot{seen.Bot}
	}
	switch found := count.BotOf(v.Classifier, r); {
	case v.Excluded(r):
		return []count.Bot{count.NoBot}
	case found != count.NoBot:
		return []count.Bot{found}
	case r.Settings.Bots.Rate > 0:
		return []count.Bot{count.NoBot, count.ByRate}
	}
	return []count.Bot{count.NoBot}
}

func sameLists(a, b *sites.Rules) bool {
	var x, y sites.Rules
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	return slices.Equal(x.UserAgents, y.UserAgents) && slices.Equal(x.Referrers, y.Referrers) && slices.Equal(x.Domains, y.Domains) &&
		slices.Equal(x.ExcludedPaths, y.ExcludedPaths) && slices.Equal(x.ExcludedTypes, y.ExcludedTypes)
}
