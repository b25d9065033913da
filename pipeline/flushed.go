package pipeline

import (
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/telemetry"
)

// phase notes that a phase of an open flush has ended, and returns when.
func (o *owned) phase(l *lanes.Lane, open *lanes.Open, name string, since time.Time) time.Time {
	now := o.metrics.EndPhase(l.Name, name, since)
	open.Noted(name, since, now)
	return now
}

// reportFlushed reports a flush that has ended.
func (o *owned) reportFlushed(open *lanes.Open, err error) {
	f := open.Flush
	if f == nil {
		return
	}
	open.Flush = nil
	f.Ended, f.Err = time.Now(), err
	if err != nil && len(f.Phases) > 0 { // The phase that was under way.
		last := f.Phases[len(f.Phases)-1]
		next := slices.Index(telemetry.Phases, last.Name) + 1
		if next < len(telemetry.Phases) && telemetry.Phases[next] == telemetry.PhaseIntend && f.Repeated {
			next++ // What is done again is recorded already.
		}
		if next < len(telemetry.Phases) {
			f.Phases = append(f.Phases, FlushPhase{Name: telemetry.Phases[next], Begun: last.Ended, Ended: f.Ended})
		}
	}
	o.options.Flushed(*f)
}

// reportUnfinished reports the flushes that the worker leaves unfinished, and why.
func (o *owned) reportUnfinished(why error) {
	for _, l := range o.lanes {
		if l.Open == nil {
			continue
		}
		cause := why
		if result := l.Open.Result.Load(); result != nil && result.Err != nil {
			cause = result.Err
		}
		o.reportFlushed(l.Open, cause)
	}
}
