package verify

import (
	"context"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Records that a chain had folded, and that could not be read any more afterwards, may have been passed by an operator. From a step on the
// window of duplicates does not reach below their end, and the recount's does not either. Where they still cannot be read, nothing of
// the chain can be recounted that they have a part in: as if the log began after them.

// Forgotten are folded positions that an operator passed.
type Forgotten struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	Step      int64  `json:"step"` // the first that is judged without them
	From      int64  `json:"from"`
	To        int64  `json:"to"` // exclusive
}

// forgotten are such positions of a chain, and the position from which the window of duplicates does not reach below their end.
type forgotten struct {
	span
	since int64
}

// pending is the position from which nothing is judged yet.
const pending = 1 << 62

// forgottenBy finds them in what the table says of a chain.
func forgottenBy(t checkpoint.ChainState) (list []forgotten) {
	named := int64(0)
	for _, h := range t.History {
		if h.Forgot != nil && h.Step <= t.Head.Step {
			list, named = append(list, forgotten{span{h.Forgot.From, h.Forgot.To}, h.From}), h.Step
		}
	}
	if f := t.Head.Forgot; f != nil && f.Step > named { // Of a step that is open, or that is not begun.
		since := int64(pending)
		if f.Step == t.Head.Step {
			since = t.Head.From
		}
		list = append(list, forgotten{span{f.From, f.To}, since})
	}
	return list
}

// floorAt is the position below which the window of duplicates does not reach when a position is judged.
func (c *chain) floorAt(position int64) (floor int64) {
	for _, f := range c.forgotten {
		if f.since <= position {
			floor = max(floor, f.to)
		}
	}
	for _, s := range c.skips {
		if s.since <= position {
			floor = max(floor, s.floor)
		}
	}
	return floor
}

// probe moves the recounts beyond positions that were passed and still cannot be read.
func (v *model) probe(ctx context.Context) error {
	for _, c := range v.chains {
		for _, f := range c.forgotten {
			if c.next >= f.to || c.head.TopicID != v.log.HexID() {
				continue
			}
			err := v.log.Read(ctx, c.Partition, f.from-c.head.Base, f.to-c.head.Base, func(*kgo.Record) error { return nil })
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil {
				continue
			}
			if c.notRecounted == "" {
				c.notRecounted = fmt.Sprintf("positions [%d,%d) are folded, and cannot be read any more", f.from, f.to)
			}
			c.next = f.to
			v.starts[c.Partition] = max(v.starts[c.Partition], f.to-c.head.Base)
		}
	}
	return nil
}

// listForgotten names all such positions in the report.
func (v *chainAudit) listForgotten(id checkpoint.ChainID, t checkpoint.ChainState) {
	for _, h := range t.History {
		if f := h.Forgot; f != nil && h.Step <= t.Head.Step {
			v.report.Forgotten = append(v.report.Forgotten, Forgotten{id.Partition, id.Lane, f.Step, f.From, f.To})
		}
	}
	if f := t.Head.Forgot; f != nil && f.Step > t.Head.Step {
		v.report.Forgotten = append(v.report.Forgotten, Forgotten{id.Partition, id.Lane, f.Step, f.From, f.To})
	}
}

func writeForgotten(b io.Writer, list []Forgotten) {
	for _, f := range list {
		fmt.Fprintf(b, "skipped: partition %d, lane %s, positions [%d,%d) after they were "+
			"folded: from step %d on, copies of their events and of "+
			"earlier ones count again\n", f.Partition, f.Lane, f.From, f.To, f.Step)
	}
}
