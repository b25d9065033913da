package rebuild

import (
	"context"

	"github.com/footfall/footfall/internal/rawlog"
)

// sampleRaw is how many raw events are a sample if the topic has no record, about.
const sampleRaw = 100_000

// rawEstimate is what it takes to read raw events in place of what the topic has lost.
type rawEstimate struct {
	events int64 // of what is lost
	units  float64
	bytes  int64 // of the temporary file

	sample  *rawlog.Spool // the last raw events, if the topic has no record that could be a sample; nil: it has
	sampled int64         // how many they are
}

func (r *rawEstimate) close() {
	if r.sample != nil {
		_ = r.sample.Close() // It is a temporary file.
	}
}

// estimateRaw estimates what it takes to read raw events. If the topic has nothing, it reads the last ones.
func (j *Job) estimateRaw(ctx context.Context, live *chains, source Source) (r rawEstimate, err error) {
	if source.lost == nil {
		return r, nil
	}
	of, err := j.rawSource(ctx, source)
	if err != nil {
		return r, err
	}
	e, err := of.Estimate(ctx, live.keys)
	if err != nil || e.Events == 0 {
		return r, err
	}
	r.events, r.units = min(source.positions(), max(0, e.Events-source.Records)), e.ReadUnits
	r.bytes = int64(float64(e.FileBytes) * float64(r.events) / float64(e.Events))
	if source.Records > 0 {
		return r, nil
	}
	of.Since = max(of.Since, e.Since(sampleRaw))
	if r.sample, err = rawlog.Collect(ctx, of); err != nil {
		return r, err
	}
	for _, n := range r.sample.Events {
		r.sampled += n
	}
	return r, nil
}
