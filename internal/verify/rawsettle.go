package verify

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// A raw event may be what its record makes under other settings, or rules, than those of its step: its writer may have ended
// before it began one. It must be equal in all attributes to what one record with its key makes under one of the recorded
// settings and one revision of the site's rules. These records are read again, since the recount keeps a hash of them only.

// rawDoubt is a raw event that is not what its first counted record makes under the settings of its step.
type rawDoubt struct {
	s       subject
	it      sinks.Item
	event   rawEvent
	known   bool
	unread  bool         // a record could not be read again
	equal   bool         // it is what some record makes
	nearest []Difference // to the item that has the fewest
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
		d.event, d.known = v.raw.sites[d.s.site][d.s.raw]
		if !d.known {
			continue
		}
		for _, s := range d.event.sightings() {
			offset := s.position - s.chain.head.Base
			if offset < v.starts[s.chain.Partition] || s.chain.head.TopicID != v.log.HexID() {
				d.unread = true
				continue
			}
			if wanted[s.chain.Partition] == nil {
				wanted[s.chain.Partition] = make(map[int64][]*rawDoubt)
			}
			wanted[s.chain.Partition][offset] = append(wanted[s.chain.Partition][offset], d)
		}
	}
	for partition, at := range wanted {
		for _, s := range together(slices.Sorted(maps.Keys(at))) {
			err := v.log.Read(ctx, partition, s.from, s.to, func(k *kgo.Record) error {
				for _, d := range at[k.Offset] {
					v.consider(d, k)
				}
				return nil
			})
			if _, gone := errors.AsType[*topiclog.GoneError](err); gone {
				for offset, list := range at {
					if s.from <= offset && offset < s.to {
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
func together(offsets []int64) (spans []span) {
	for _, o := range offsets {
		if n := len(spans); n > 0 && o-spans[n-1].to < maxApart {
			spans[n-1].to = o + 1
		} else {
			spans = append(spans, span{o, o + 1})
		}
	}
	return spans
}

// decide counts what the records have said.
func (v *scanner) decide(ctx context.Context, doubts []*rawDoubt) error {
	ends, err := v.log.Ends(ctx)
	if err != nil {
		return err
	}
	for _, d := range doubts {
		cmp := v.compare(d.s, d.it)
		switch {
		case !d.known:
			_, partition, offset, ok := rawSource(d.it)
			c := v.chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
			if ok && offset < ends[partition] && (c == nil || offset+c.head.Base >= c.head.To) {
				continue // Its chain has not come to it.
			}
			cmp.differ(whole, "present", absent)
			d.nearest = cmp.differences
		case d.equal && !d.event.required:
			v.leaveOut(becauseNotBegun, d.s.kind)
			continue
		case d.equal:
			v.count(d.s.kind)
			continue
		case v.ofAnotherTopic(d.it): // Its record has the same siteId and id, and lies in a log that is not read here.
			v.leaveOut(becauseShared, d.s.kind)
			continue
		case d.unread, v.ofLostRecord(d.it): // Another record has the same siteId and id.
			v.leaveOut(becauseLog, d.s.kind)
			continue
		case d.nearest == nil:
			cmp.differ(whole, "present", absent)
			d.nearest = cmp.differences
		}
		v.count(d.s.kind)
		v.differ(d.nearest...)
	}
	return nil
}

// consider compares a raw event with all that a record may have made of it. Settings that pack raw events stand for those of a writer
// that did not pack them and ended before it began a step, so that its own are not recorded: the mode decides about no attribute.
func (v *scanner) consider(d *rawDoubt, k *kgo.Record) {
	var e event.Event
	if v.decode(k.Value, &e) != event.Accepted {
		return
	}
	i := slices.IndexFunc(d.event.sightings(), func(s rawSighting) bool {
		return s.chain.Partition == k.Partition && s.position == k.Offset+s.chain.head.Base
	})
	seen := d.event.sightings()[i]
	r := record{position: seen.position, offset: k.Offset, partition: k.Partition, time: k.Timestamp.UnixMilli(), event: &e}
	own := ruling{seen.chain.settingsAt(seen.position), seen.chain.rulesAt(seen.position).Site(string(e.SiteID))}
	for _, by := range v.rulings(own, seen, d.s.site) {
		if d.equal || rawShard(&e, by.rules) != d.s.raw.shard || !by.settings.RawEvents {
			continue
		}
		r.ruling = by
		for _, verdict := range v.botsUnder(&r, own, seen) {
			cmp := v.compare(d.s, d.it)
			want := v.rawItem(&r, verdict)
			if v.ofAnotherTopic(d.it) { // A copy of the log: only where and when the record lies is its own.
				want["source"], want["recordTime"] = d.it["source"], d.it["recordTime"]
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				cmp.oneOf(name, []sinks.Value{want[name]})
			}
			cmp.common(sinks.EntityEvent, d.s.site)
			if d.equal = len(cmp.differences) == 0; d.equal {
				return
			}
			if d.nearest == nil || len(cmp.differences) < len(d.nearest) {
				d.nearest = cmp.differences
			}
		}
	}
}

// rulings returns the rulings under which a record may have been written, that of its step first. A record that its step does not count
// was written under others, if at all. The last record time that a step believes also makes others, once the chain has a record that is
// dated ahead.
func (v *scanner) rulings(own ruling, seen rawSighting, site string) (all []ruling) {
	ruled, recorded := v.writtenUnder(site), v.differentSettings()
	if seen.counted {
		all = append(all, own)
	} else if len(recorded) == 1 && !recorded[0].RawPacked && len(ruled) == 1 && !v.recreated && !seen.chain.ahead &&
		seen.chain.notRecounted == "" {
		return nil
	}
	for _, settings := range recorded {
		for _, s := range ruled {
			all = append(all, ruling{settings, s})
		}
	}
	return all
}

// differentSettings returns the recorded settings that decide differently about raw events, in an order of their own: the last
// record time that a step believes differs by day, and decides only whether there is one.
func (v *rulebook) differentSettings() (all []*checkpoint.Settings) {
	known := make(map[string]bool)
	for _, ver := range slices.Sorted(maps.Keys(v.settings)) {
		undated := *v.settings[ver]
		undated.NotAfter = 0
		if text := undated.String(); !known[text] {
			known[text] = true
			all = append(all, v.settings[ver])
		}
	}
	return all
}

// botsUnder returns by what a record may be a bot's under its ruling, where own is that of its step. Where that decides as the
// step's own, the recount knows it; else the lists do, and whether its session had passed the rate is not known.
func (v *scanner) botsUnder(r *record, own ruling, seen rawSighting) []bot {
	if seen.counted && seen.chain.notRecounted == "" && own.settings.Bots == r.settings.Bots && sameLists(own.rules, r.rules) {
		return []bot{seen.bot}
	}
	switch found := listed(v.classifier, r); {
	case v.excluded(r):
		return []bot{none}
	case found != none:
		return []bot{found}
	case r.settings.Bots.Rate > 0:
		return []bot{none, byRate}
	}
	return []bot{none}
}

func sameLists(a, b *sites.Rules) bool {
	var x, y sites.Rules
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	return slices.Equal(x.UserAgents, y.UserAgents) && slices.Equal(x.Referrers, y.Referrers) &&
		slices.Equal(x.ExcludedPaths, y.ExcludedPaths)
}
