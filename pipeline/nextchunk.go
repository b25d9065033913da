package pipeline

import (
	"context"

	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// nextChunk makes the next chunk, decoded, the present one, and has the chunks after it decoded ahead. There is no present chunk while no
// records are queued, or while the next ones name schemas that are being asked for. A chunk that nothing follows is decoded here: there is
// nothing to do beside it.
func (w *worker) nextChunk(ctx context.Context) error {
	if w.chunk != nil {
		w.ahead.Chunks.Put(w.chunk)
		w.chunk = nil
	}
	a := &w.ahead
	if a.InFlight == 0 {
		c, more, err := a.Next(ctx, func(c *decoding.Chunk) (bool, bool) { return w.Fill(c, 0) })
		if c == nil || err != nil {
			return err
		}
		if a.Limit == 0 || !more {
			a.Decoder.DecodeOrFail(c)
			return w.present(c)
		}
		a.HandOver(c)
	}
	c := a.TakeBack()
	w.metrics.Ahead.Add(float64(len(c.Raw)))
	if err := w.present(c); err != nil {
		return err
	}
	return w.decodeAhead(ctx)
}

// decodeAhead hands over as many chunks as may be under way.
func (w *worker) decodeAhead(ctx context.Context) error {
	a := &w.ahead
	for a.InFlight < a.Limit {
		c, _, err := a.Next(ctx, func(c *decoding.Chunk) (bool, bool) { return w.Fill(c, a.InFlight) })
		if c == nil || err != nil {
			return err
		}
		a.HandOver(c)
	}
	return nil
}

// present makes a decoded chunk the present one.
func (w *worker) present(c *decoding.Chunk) error {
	w.arrived = w.Took(c)
	w.chunk, w.batch, w.decoded = c, c.Raw, c.Records
	return c.Err
}
