package produce

import (
	"context"
	"io"
)

// Interruptible returns a reader of r whose Read returns the context's cause when the context ends, even while r
// gives nothing, as a pipe or a terminal may. It reads ahead in a goroutine of its own, which ends with r's error;
// blocked in r it stays behind when the context ends, which is for processes that are about to end themselves.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	i := &interruptible{ctx: ctx, chunks: make(chan chunk)}
	go i.readAhead(r)
	return i
}

type interruptible struct {
	ctx    context.Context // of the one read loop that this reader is made for
	chunks chan chunk
	rest   []byte
	err    error
}

type chunk struct {
	data []byte
	err  error
}

func (i *interruptible) readAhead(r io.Reader) {
	var bufs [2][64 << 10]byte // One is filled while Read has the other.
	for turn := 0; ; turn++ {
		buf := bufs[turn%2][:]
		n, err := r.Read(buf)
		select {
		case i.chunks <- chunk{buf[:n], err}:
		case <-i.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (i *interruptible) Read(p []byte) (int, error) {
	for len(i.rest) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		select {
		case c := <-i.chunks:
			i.rest, i.err = c.data, c.err
		case <-i.ctx.Done():
			i.err = context.Cause(i.ctx)
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
