package recount

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Records that a chain had folded, and that could not be read any more afterwards, may have been passed by an operator. From a step on the
// window of duplicates does not reach below their end, and the recount's does not either. Where they still cannot be read, nothing of
// the chain can be recounted that they have a part in: as if the log began after them.

// forgotten are such positions of a chain, and the position from which the window of duplicates does not reach below their end.
type forgotten struct {
	Span
	since int64
}

// pending is the position from which nothing is judged yet.
const pending = 1 << 62

// forgottenBy finds them in what the table says of a chain.
func forgottenBy(t checkpoint.ChainState) (list []forgotten) {
	named := int64(0)
	for _, h := range t.History {
		if h.Forgot != nil && h.Step <= t.Head.Step {
			list, named = append(list, forgotten{Span{h.Forgot.From, h.Forgot.To}, h.From}), h.Step
		}
	}
	if f := t.Head.Forgot; f != nil && f.Step > named { // Of a step that is open, or that is not begun.
		since := int64(pending)
		if f.Step == t.Head.Step {
			since = t.Head.From
		}
		list = append(list, forgotten{Span{f.From, f.To}, since})
	}
	return list
}

// floorAt is the position below which the window of duplicates does not reach when a position is judged.
func (c *Chain) floorAt(position int64) (floor int64) {
	for _, f := range c.Forgotten {
		if f.since <= position {
			floor = max(floor, f.To)
		}
	}
	for _, s := range c.Skips {
		if s.since <= position {
			floor = max(floor, s.floor)
		}
	}
	return floor
}

// probe moves the recounts beyond positions that were passed and still cannot be read.
func (v *Model) probe(ctx context.Context) error {
	for _, c := range v.Chains {
		for _, f := range c.Forgotten {
			if c.next >= f.To || c.Head.TopicID != v.Log.HexID() {
				continue
			}
			err := v.Log.Read(ctx, c.Partition, f.From-c.Head.Base, f.To-c.Head.Base, func(*kgo.Record) error { return nil })
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil {
				continue
			}
			if c.NotRecounted == "" {
				c.NotRecounted = fmt.Sprintf("positions [%d,%d) are folded, and cannot be read any more", f.From, f.To)
			}
			c.next = f.To
			v.Starts[c.Partition] = max(v.Starts[c.Partition], f.To-c.Head.Base)
		}
	}
	return nil
}
