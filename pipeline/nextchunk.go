package pipeline

import "github.com/footfall/footfall/pipeline/internal/decoding"

// nextChunk makes the next chunk, decoded, the present one, if there is any, and has the chunks after it decoded ahead. A chunk that
// nothing follows is decoded here: there is nothing to do beside it.
func (w *worker) nextChunk() error {
	if w.chunk != nil {
		w.ahead.Chunks.Put(w.chunk)
		w.chunk = nil
	}
	a := &w.ahead
	if a.InFlight == 0 {
		c := w.ahead.Chunks.Take()
		filled, more := w.Fill(c, 0)
		if !filled {
			w.ahead.Chunks.Put(c)
			return nil
		}
		if a.Limit == 0 || !more {
			a.Decoder.DecodeOrFail(c)
			return w.present(c)
		}
		a.HandOver(c)
	}
	c := a.TakeBack()
	w.metrics.Ahead.Add(float64(len(c.Raw)))
	err := w.present(c)
	w.decodeAhead()
	return err
}

// decodeAhead hands over as many chunks as may be under way.
func (w *worker) decodeAhead() {
	for w.ahead.InFlight < w.ahead.Limit {
		c := w.ahead.Chunks.Take()
		if filled, _ := w.Fill(c, w.ahead.InFlight); !filled {
			w.ahead.Chunks.Put(c)
			return
		}
		w.ahead.HandOver(c)
	}
}

// present makes a decoded chunk the present one.
func (w *worker) present(c *decoding.Chunk) error {
	w.arrived = w.Took(c)
	w.chunk, w.batch, w.decoded = c, c.Raw, c.Records
	return c.Err
}
