package produce

import (
	"context"
	"time"
)

// maxBurst is how much a pacer makes up for at most: after a pause it does not send what the pause held back all at
// once, but a second's worth.
const maxBurst = time.Second

// pacer spreads records evenly over time. A nil pacer does not wait.
type pacer struct {
	every  time.Duration
	rhythm func(time.Time) float64 // what the rate is multiplied by; nil: 1
	due    time.Time               // of the next record; zero: at once
}

// newPacer makes a pacer of so many records per second; 0 is no limit.
func newPacer(rate float64, rhythm func(time.Time) float64) *pacer {
	if rate <= 0 {
		return nil
	}
	return &pacer{every: time.Duration(float64(time.Second) / rate), rhythm: rhythm}
}

// wait returns when the next record is due, or with the context's cause.
func (p *pacer) wait(ctx context.Context) error {
	if p == nil {
		return context.Cause(ctx)
	}
	now := time.Now()
	if early := now.Add(-maxBurst); p.due.Before(early) {
		if p.due.IsZero() {
			early = now
		}
		p.due = early
	}
	// Below a millisecond the timer costs more than it gives: the records until then go out together.
	if d := p.due.Sub(now); d >= time.Millisecond {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	every := p.every
	if p.rhythm != nil {
		every = time.Duration(float64(every) / p.rhythm(now))
	}
	p.due = p.due.Add(every)
	return context.Cause(ctx)
}
