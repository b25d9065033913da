package recount

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/event"
)

// verdict says where the record ends in a chain: accepted, or the reason it was rejected for.
func (v *Model) verdict(c *Chain, r *count.Record) event.Reason {
	s := r.Settings
	c.Ahead = c.Ahead || r.Time > c.eraAt(r.Position).believed
	switch {
	case r.Reason != event.Accepted:
		return r.Reason
	case r.Duplicate:
		return event.Duplicate
	case s.NotAfter > 0 && r.Time > s.NotAfter:
		return event.BadRecordTime
	case r.Event.Timestamp < endOf1970, s.LateMs >= 0 && r.Time-r.Event.Timestamp > s.LateMs:
		return event.TooLate
	case r.Event.Timestamp-r.Time > s.EarlyMs:
		return event.TooEarly
	}
	return c.counts(v, r)
}

// endOf1970 is when events can begin, milliseconds since the epoch: in 1970 lie seconds that were taken for milliseconds.
const endOf1970 = 31_536_000_000
