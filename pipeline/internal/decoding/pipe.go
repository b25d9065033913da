package decoding

import (
	"context"
	"fmt"
	"runtime/debug"
)

// While the owner of a partition folds a chunk, or waits for its states, a goroutine beside it decodes the chunks that follow: a hot
// partition uses more than one core. Chunks are handed over whole, through channels, and come back in the order of the log.
//
// The owner decides when a chunk is made and when it is folded, and waits for a chunk that is not decoded yet, which takes as long as
// decoding it would. So how fast the goroutine runs decides nothing, and what becomes of a record is decided where it was before:
// what it repeats, where a redo ends within a chunk, and whether it comes before what the owner expects.
//
// A worker has a pipe of its own, which ends with it: what was decoded for an owner that lost its partition is never folded. A seek does
// not empty the pipe. The client is moved to the record after the last one that was queued, and a pipe has only records that
// were queued before.

// Pipe has the chunks of a partition that are decoded before their turn. Only the owner calls its methods.
type Pipe struct {
	Limit    int // of chunks in flight; 0: the owner decodes
	Decoder  *Decoder
	gate     *SchemaGate // nil: chunks need not wait
	held     *Chunk      // which the gate has not admitted yet; nil: none
	Chunks   *Pool
	todo     chan *Chunk // to the goroutine
	Done     chan *Chunk // back from it
	InFlight int         // chunks that were handed over and have not come back
	ended    chan struct{}
}

// Start starts the goroutine. While chunks are under way, the decoder is the goroutine's, otherwise the owner's.
func (a *Pipe) Start() {
	if a.Limit == 0 {
		return
	}
	a.todo, a.Done, a.ended = make(chan *Chunk, a.Limit), make(chan *Chunk, a.Limit), make(chan struct{})
	go a.run()
}

func (a *Pipe) run() {
	defer close(a.ended)
	for c := range a.todo {
		a.Decoder.DecodeOrFail(c)
		a.Done <- c // Never waits: done has room for all chunks under way.
	}
}

// Stop ends the goroutine, after the chunk that it decodes. The chunks under way are dropped: the next owner reads them again.
func (a *Pipe) Stop() {
	a.gate.Close()
	if a.Limit == 0 {
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

// DecodeOrFail decodes a chunk. A panic that is no record's ends the worker rather than the process, as it does in the owner's goroutine.
func (d *Decoder) DecodeOrFail(c *Chunk) {
	defer func() {
		if cause := recover(); cause != nil {
			c.Err = fmt.Errorf("decoding offsets from %d made footfall panic: %v: the process ends, and the next owner repeats the unfinished "+
				"flush; please report this\n%s", c.Raw[0].Offset, cause, debug.Stack())
		}
	}()
	d.Decode(c)
}

// WaitAt has each chunk wait until a gate admits it. It is called before the first one.
func (a *Pipe) WaitAt(g *SchemaGate) { a.gate, a.Decoder.gate = g, g }

// Next returns the next chunk that may be decoded, and whether more may follow it; nil: there is none yet. A chunk that the gate does not
// admit is held, and tried first the next time. fill fills a chunk, and reports whether it has records and whether more are waiting.
func (a *Pipe) Next(ctx context.Context, fill func(*Chunk) (filled, more bool)) (c *Chunk, more bool, err error) {
	if c = a.held; c == nil {
		var filled bool
		c = a.Chunks.Take()
		if filled, more = fill(c); !filled {
			a.Chunks.Put(c)
			return nil, more, nil
		}
	}
	a.held = nil
	if a.gate == nil {
		return c, more, nil
	}
	admitted, err := a.gate.Admit(ctx, c, a.Decoder.ReadsSchemas)
	if !admitted {
		a.held = c
		return nil, more, err
	}
	return c, true, nil
}

// HandOver has the goroutine decode a chunk after those that were handed over before.
func (a *Pipe) HandOver(c *Chunk) {
	a.InFlight++
	a.todo <- c // Never waits: it has room for all chunks under way.
}

// TakeBack returns the chunk that was handed over first, as soon as it is decoded: decoding waits for nothing.
func (a *Pipe) TakeBack() *Chunk {
	c := <-a.Done
	a.InFlight--
	return c
}
