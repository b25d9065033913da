package rebuild

import (
	"context"
	"time"
)

const (
	looksOfLive  = 10 // looks at the generation that is built, for one at the live one
	staysAtLeast = 5  // flush intervals, of a minute or more: the distance falls with each flush and grows until the next
)

// distance is how many records a generation has still to count. It warns when the number has not fallen for some flushes.
type distance struct {
	*phases
	phase   Phase
	warning string

	least int64     // records
	since time.Time // when it fell to least, or of the last warning; zero: before the first look
}

func (d *distance) look(behind int64) {
	d.note(d.phase, behind)
	stays := staysAtLeast * max(d.Pipeline.StatsInterval, time.Minute)
	switch now := time.Now(); {
	case behind == 0 || d.since.IsZero() || behind < d.least:
		d.least, d.since = behind, now
	case now.Sub(d.since) >= stays:
		// Messages: catchUp, untilLive, toEnd.
		d.Log.Warn(d.warning, "behind", behind, "least", d.least, "for", stays, "writeUnits", d.WriteUnits)
		d.since = now
	}
}

// untilBuilt waits until the generation that is built has counted what the live one had. It reports the distance to the live one's present
// position.
func (p *phases) untilBuilt(ctx context.Context, d *distance, live Offsets) error {
	looks, now := 0, live
	return p.built.reach(ctx, live, p.every(), func(at Offsets) error {
		if looks++; looks%looksOfLive == 0 {
			if is, err := p.live.offsets(ctx); err == nil { // If not, a later look may.
				now = is
			}
		}
		d.look(at.behind(now))
		return nil
	})
}

// untilLive waits until the live generation has counted what the other one may have counted. Members must be running. It returns ErrChanged
// once that generation is not live any more, since its chains stand still then.
func (p *phases) untilLive(ctx context.Context, phase Phase, built Offsets) error {
	// Cause: The rebuild waits until the members have counted up to where it is, and no member does. Remedy: Start members of the consumer
	// group.
	d := distance{phases: p, phase: phase, warning: "the live generation makes no progress, and the rebuild waits for it: start members of " +
		"the consumer group"}
	return p.live.reach(ctx, built, p.every(), func(at Offsets) error {
		d.look(at.behind(built))
		now, err := Look(ctx, p.Pipeline.Table)
		if err == nil && now.Keys() != p.live.keys {
			err = ErrChanged
		}
		return err
	})
}
