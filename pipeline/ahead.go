package pipeline

import (
	"fmt"
	"runtime/debug"
)

// While the owner of a partition folds a chunk, or waits for its states, a goroutine beside it decodes the chunks that follow: a hot
// partition uses more than one core. Chunks are handed over whole, through channels, and come back in the order of the log.
//
// The owner decides when a chunk is made and when it is folded, and waits for a chunk that is not decoded yet, which takes as long as
// decoding it would. So how fast the goroutine runs decides nothing, and what becomes of a record is decided where it was before:
// what it repeats, where a redo ends within a chunk, and whether it comes before what the owner expects, by receive.
//
// A worker has a pipe of its own, which ends with it: what was decoded for an owner that lost its partition is never folded. A seek does
// not empty the pipe. The client is moved to the record after the last one that was queued (refetch), and a pipe has only records that
// were queued before.

// ahead is the pipe: the chunks of a partition that are decoded before their turn. All but the goroutine of run is the owner's.
type ahead struct {
	limit    int // of chunks in flight; 0: the owner decodes
	decoder  *recordDecoder
	todo     chan *chunk // to the goroutine
	done     chan *chunk // back from it
	inFlight int         // chunks that were handed over and have not come back
	ended    chan struct{}
}

// start starts the goroutine. While chunks are under way, the decoder is the goroutine's, otherwise the owner's.
func (a *ahead) start() {
	if a.limit == 0 {
		return
	}
	a.todo, a.done, a.ended = make(chan *chunk, a.limit), make(chan *chunk, a.limit), make(chan struct{})
	go a.run()
}

func (a *ahead) run() {
	defer close(a.ended)
	for c := range a.todo {
		a.decoder.decodeOrFail(c)
		a.done <- c // Never waits: done has room for all chunks under way.
	}
}

// stop ends the goroutine, after the chunk that it decodes. The chunks under way are dropped: the next owner reads them again.
func (a *ahead) stop() {
	if a.limit == 0 {
		return
	}
	for len(a.todo) > 0 {
		select {
		case <-a.todo:
		default: // The goroutine has taken the last one.
		}
	}
	close(a.todo)
	<-a.ended
}

// decodeOrFail decodes a chunk. A panic that is no record's ends the worker rather than the process, as it does in the owner's goroutine.
func (d *recordDecoder) decodeOrFail(c *chunk) {
	defer func() {
		if cause := recover(); cause != nil {
			c.err = fmt.Errorf("decoding offsets from %d made footfall panic: %v: the process ends, and the next owner repeats the unfinished "+
				"flush; please report this\n%s", c.raw[0].Offset, cause, debug.Stack())
		}
	}()
	d.decode(c)
}

// nextChunk makes the next chunk, decoded, the present one, if there is any, and has the chunks after it decoded ahead. A chunk that
// nothing follows is decoded here: there is nothing to do beside it.
func (w *worker) nextChunk() error {
	if w.chunk != nil {
		w.putChunk(w.chunk)
		w.chunk = nil
	}
	a := &w.ahead
	if a.inFlight == 0 {
		c := w.takeChunk()
		filled, more := w.fill(c, 0)
		if !filled {
			w.putChunk(c)
			return nil
		}
		if a.limit == 0 || !more {
			a.decoder.decodeOrFail(c)
			return w.present(c)
		}
		a.handOver(c)
	}
	c := <-a.done // Decoding waits for nothing.
	a.inFlight--
	w.metrics.Ahead.Add(float64(len(c.raw)))
	err := w.present(c)
	w.decodeAhead()
	return err
}

// decodeAhead hands over as many chunks as may be under way.
func (w *worker) decodeAhead() {
	for w.ahead.inFlight < w.ahead.limit {
		c := w.takeChunk()
		if filled, _ := w.fill(c, w.ahead.inFlight); !filled {
			w.putChunk(c)
			return
		}
		w.ahead.handOver(c)
	}
}

func (a *ahead) handOver(c *chunk) {
	a.inFlight++
	a.todo <- c // Never waits: it has room for all chunks under way.
}

// present makes a decoded chunk the present one.
func (w *worker) present(c *chunk) error {
	w.arrived = w.took(c)
	w.chunk, w.batch, w.decoded = c, c.raw, c.records
	return c.err
}
