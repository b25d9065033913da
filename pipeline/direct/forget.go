package direct

import (
	"context"

	"github.com/footfall/footfall/sinks"
)

// sessionsWritten are the sessions that were written, in this order.
type sessionsWritten struct{ queue []sessionWritten }

type sessionWritten struct {
	key    sinks.Key
	step   int64
	newest int64 // greatest event time of the partition then
}

func (w *sessionsWritten) add(key sinks.Key, step, newest int64) {
	w.queue = append(w.queue, sessionWritten{key, step, newest})
}

// forget deletes sessions that no record can touch any more.
func (p *partition) forget(ctx context.Context) error {
	until, n := p.newest-p.Forget.Milliseconds(), 0
	if p.Forget == 0 {
		return nil
	}
	for ; n < len(p.written.queue) && p.written.queue[n].newest < until; n++ {
		s := &p.written.queue[n]
		if s.newest >= p.Keep.UnixMilli() {
			break
		}
		unlessLater := []sinks.Cond{{Attr: p.mark, Op: sinks.Equal, Value: sinks.Int(s.step)}}
		if _, err := p.Table.Delete(ctx, sinks.Delete{Key: s.key, If: unlessLater}); err != nil {
			return err
		}
	}
	p.written.queue = append(p.written.queue[:0], p.written.queue[n:]...)
	return nil
}
