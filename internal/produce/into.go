package produce

import (
	"context"
	"time"
)

// handInto gives a record to what is in place of Kafka.
func (r *run) handInto(ctx context.Context, rec Record, stamp time.Time) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.taken++
	r.answers.sent++
	r.answers.bytes += int64(len(rec.Key) + len(rec.Value))
	r.tick()
	return r.Into(rec, r.File.made, stamp)
}
