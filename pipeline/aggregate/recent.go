package aggregate

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// recent are the sessions that a step saw first, by the minute in which they were opened.
type recent struct {
	minutes []recentMinute // in the order of first touch
	ids     map[recentMinute][]string
}

type recentMinute struct {
	site   *Site
	minute int64
}

// add lists a session.
func (r *recent) add(x *session) {
	k := recentMinute{x.site, x.Cur.OpenedAt - x.Cur.OpenedAt%event.MinuteMs}
	if r.ids == nil {
		r.ids = make(map[recentMinute][]string)
	}
	if r.ids[k] == nil {
		r.minutes = append(r.minutes, k)
	}
	r.ids[k] = append(r.ids[k], x.id)
}

// recents writes the lists.
func (c *statsCut) recents(r *recent) {
	for _, k := range r.minutes {
		ttl := Expires(k.minute+event.MinuteMs+checkpoint.RecentTTL.Milliseconds(), 0)
		if ttl.Passed(c.now) {
			c.expired(sinks.EntityRecent)
			continue
		}
		ids := r.ids[k]
		for i := 0; len(ids) > 0; i++ {
			n := min(len(ids), RecentPerItem)
			step := c.step
			key := c.Keys.Recent(k.site.ID, k.minute, c.TP, step, i)
			c.p.Writes = append(c.p.Writes, Write{Kind: sinks.EntityRecent, Item: sinks.Item{
				sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
				sinks.AttrEntity: sinks.Str(sinks.EntityRecent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
				sinks.AttrTTL: sinks.Int(ttl.At), sinks.AttrSessionIDs: sinks.Strings(ids[:n]),
			}})
			ids = ids[n:]
		}
	}
}
