package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// RecentPerItem bounds an item of recent sessions: 500 ids of 256 bytes are 128 KB.
const RecentPerItem = 500

// recent are the sessions that a step saw first and that no item of new sessions has, by the minute in which they were opened.
type recent struct {
	minutes []recentMinute // in the order of first touch
	places  map[siteMinute]int
	fresh   []string // room for the first ids of minutes
}

type recentMinute struct {
	siteMinute
	ids []string
}

// firstIDs is for how many minutes the first ids share an allocation.
const firstIDs = 64

// add lists a session.
func (r *recent) add(o *opening) {
	k := siteMinute{o.site, o.minute()}
	place, ok := r.places[k]
	if !ok {
		if r.places == nil {
			r.places = make(map[siteMinute]int)
		}
		if len(r.fresh) == 0 {
			r.fresh = make([]string, firstIDs)
		}
		place = len(r.minutes)
		r.places[k] = place
		r.minutes = append(r.minutes, recentMinute{k, r.fresh[:0:1]})
		r.fresh = r.fresh[1:]
	}
	m := &r.minutes[place]
	m.ids = append(m.ids, o.Session)
}

// recents writes the lists.
func (c *statsCut) recents(r *recent) {
	for i := range r.minutes {
		m := &r.minutes[i]
		ttl := plan.Expires(recentUntil(m.start), 0)
		if ttl.Passed(c.now) {
			c.expired(sinks.EntityRecent)
			continue
		}
		ids := m.ids
		for i := 0; len(ids) > 0; i++ {
			n := min(len(ids), RecentPerItem)
			step := c.step
			key := c.keys.Recent(m.site.ID, &m.site.names, m.start, step, i)
			c.p.Writes = append(c.p.Writes, plan.Write{Kind: sinks.EntityRecent, Item: sinks.Item{
				sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
				sinks.AttrEntity: sinks.Str(sinks.EntityRecent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
				sinks.AttrTTL: sinks.Int(ttl.At), sinks.AttrSessionIDs: sinks.Strings(ids[:n]),
			}})
			ids = ids[n:]
		}
	}
}

// opening is a session that a step saw first.
type opening struct {
	site   *Site
	named  bool // the step lists it by visitor
	joined bool // an item of new sessions has it
	visitorEntry
}

func (o *opening) hour() listHour { return hourOf(o.site, o.OpenedAt) }

func (o *opening) minute() int64 { return o.OpenedAt - o.OpenedAt%event.MinuteMs }

// outlives reports whether the lists by visitor have the session for as long as that of recent sessions would.
func (o *opening) outlives() bool {
	return o.until == state.ListedForEver || int64(o.until)*daySeconds*1000 >= recentUntil(o.minute())
}

// recentUntil is when a list of recent sessions of a minute expires, in milliseconds since the epoch.
func recentUntil(minute int64) int64 {
	return minute + event.MinuteMs + checkpoint.RecentTTL.Milliseconds()
}
