package recount

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/repeats"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// take recounts one record in each lane that needs it.
func (v *Model) take(k *kgo.Record) error {
	lost := batch.RangeOf(k)
	var e event.Event
	var id []byte
	var reason event.Reason
	decoded, by := false, ""
	for _, lane := range checkpoint.Lanes {
		c := v.Chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		switch {
		case c == nil:
		case lost != nil:
			v.takeRange(c, k.Offset+c.Head.Base, lost)
		default:
			if text := c.mapAt(k.Offset + c.Head.Base); !decoded || text != by {
				decoded, by, id = true, text, nil
				if reason = v.decode(text, k, &e); reason == event.Accepted {
					id = repeats.Identity(k, &e)
				}
			}
			r := count.Record{Position: k.Offset + c.Head.Base, Offset: k.Offset, Partition: k.Partition, Time: k.Timestamp.UnixMilli(),
				Reason: reason, Event: &e, ID: id}
			if err := v.takeInLane(c, &r); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeInLane recounts a record in one lane, under the settings and the rules of its step.
func (v *Model) takeInLane(c *Chain, r *count.Record) error {
	e := r.Event
	if r.Position < c.next && c.seen.Forgotten {
		c.seen.Time(r.Offset, r.Time)
		if r.ID != nil {
			c.seen.See(e.SiteID, r.ID, r.Offset, r.Time)
		}
	}
	if r.Position < c.next || r.Position >= c.Head.To {
		return nil
	}
	c.next, c.seen.Forgotten = r.Position+1, false
	c.seen.Time(r.Offset, r.Time)
	var last repeats.Sighting
	again := false
	if r.ID != nil {
		last, again = c.seen.See(e.SiteID, r.ID, r.Offset, r.Time)
	}
	if r.Position < c.First {
		if c.Stats != nil && v.First {
			v.LeaveOut(finding.BecauseBefore, "record")
		}
		return nil
	}
	rules := c.RulesAt(r.Position)
	r.Ruling, r.Erased = count.Ruling{Settings: c.SettingsAt(r.Position), Rules: rules.Site(string(e.SiteID))}, rules.Erased(string(e.SiteID))
	window, floor := r.Settings.Duplicates, max(c.floorAt(r.Position)-c.Head.Base, c.seen.Cut)
	if r.Position == c.Head.From {
		c.Edge, c.EdgeStep = c.seen.Edge(window, r.Offset, floor, v.Starts[r.Partition])+c.Head.Base, c.Head.Step
	}
	r.Duplicate = again && c.seen.Repeated(window, last, repeats.Sighting{Offset: r.Offset, Time: r.Time}, floor)
	r.Unsure = c.NotRecounted != "" && r.ID != nil && c.seen.MayLack(window, last, again, r.Offset, v.Starts[r.Partition])
	c.saw(r.Position, r.Position)
	if r.Duplicate && r.Position >= c.Head.From {
		c.Repeats++
	}
	if c.Realtime != nil {
		c.Realtime.Open = r.Position >= c.Head.From
		c.Realtime.fold(r)
		return nil
	}
	v.Report.Records++
	if r.Reason == event.Accepted {
		var err error
		if r.Hour, r.Day, err = count.BucketsOf(r.Rules, v.Zones[string(e.SiteID)], e.Timestamp); err != nil {
			return err
		}
	}
	c.Stats.Open = r.Position >= c.Head.From
	return c.Stats.fold(r)
}

// takeRange recounts offsets whose records cannot be read: all of them are rejected.
func (v *Model) takeRange(c *Chain, position int64, lost *batch.Range) {
	if position < c.next || position >= c.Head.To {
		return
	}
	c.next = lost.Next + c.Head.Base
	c.saw(position, c.next-1)
	switch {
	case c.Stats == nil:
	case position < c.First:
		v.LeaveOut(finding.BecauseBefore, "record")
	default:
		v.Report.Records += lost.Records
		c.Stats.Totals.Rejected[event.Unreadable] += lost.Records
	}
}

// Decode examines a record of a chain, at a position, by the mapping that the position's step has named.
func (v *Model) Decode(c *Chain, position int64, k *kgo.Record, e *event.Event) (reason event.Reason) {
	return v.decode(c.mapAt(position), k, e)
}

// decode examines a record. One that footfall itself fails over is rejected, as it is by the pipeline.
func (v *Model) decode(by string, k *kgo.Record, e *event.Event) (reason event.Reason) {
	m, known := v.maps[by]
	if !known && by != "" {
		m, _ = mapping.Parse(by, v.findSchema) // Reading the settings has checked it.
		v.maps[by] = m
	}
	defer func() {
		if recover() != nil {
			v.decoder, *e, reason = event.NewDecoder(), event.Event{}, event.Panicked
		}
	}()
	reason, _ = m.Decode(v.decoder, k, e)
	return reason
}

// progressEvery is after how many records progress is reported.
const progressEvery = 1000

// advanced reports that the pass has read n more records.
func (v *Model) advanced(n int64) {
	before := v.read
	v.read += n
	if v.Opts.Progress != nil && v.read/progressEvery > before/progressEvery {
		var total int64
		for p, end := range v.Ends {
			total += max(0, end-v.Starts[p])
		}
		v.Opts.Progress(finding.Progress{Pass: v.Pass, Done: v.read, Total: total})
	}
}

// Scanned reports how many of the sites have been compared.
func (v *Model) Scanned(done, total int) {
	if v.Opts.Progress != nil {
		v.Opts.Progress(finding.Progress{Pass: v.Pass, Sites: true, Done: int64(done), Total: int64(total)})
	}
}
