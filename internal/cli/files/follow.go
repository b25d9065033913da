package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// poll is how often a file that is followed is looked at.
const poll = 500 * time.Millisecond

// Followed is a file that is read on as it grows: also when another takes its name, as when logs are rotated, or when it is emptied. It
// ends when the context does.
type Followed struct {
	ctx   context.Context
	name  string
	every time.Duration // between two calls of pause while the file does not end
	pause func() error  // called by Read once all that is there was read, or when it has been a while

	file   *os.File
	at     int64
	quiet  int       // looks at which another file had the name, and this one had no more
	midway bool      // the last line has no end yet
	read   bool      // since the last pause
	paused time.Time // zero: never
}

// Follow opens a file to follow it.
func Follow(ctx context.Context, name string, every time.Duration, pause func() error) (*Followed, error) {
	f := &Followed{ctx: ctx, name: name, every: every, pause: pause}
	var err error
	f.file, err = os.Open(name)
	return f, err
}

// Read implements io.Reader.
func (f *Followed) Read(p []byte) (int, error) {
	if err := f.rest(f.every); err != nil { // What was read before has been taken.
		return 0, err
	}
	for f.ctx.Err() == nil {
		n, err := f.file.Read(p)
		if n > 0 {
			f.at, f.midway, f.read = f.at+int64(n), p[n-1] != '\n', true
			return n, nil
		}
		if err != io.EOF {
			return 0, err
		}
		if err := f.rest(0); err != nil {
			return 0, err
		}
		next, err := f.next()
		switch {
		case err != nil:
			return 0, err
		case next && f.midway: // What another file begins with does not belong to this line.
			f.midway = false
			p[0] = '\n'
			return 1, nil
		case next:
			continue
		}
		select {
		case <-time.After(poll):
		case <-f.ctx.Done():
		}
	}
	return 0, io.EOF
}

// rest pauses if something was read since the last pause, which is some time ago. Before the first time the whole file is read.
func (f *Followed) rest(after time.Duration) error {
	if !f.read || after > 0 && (f.paused.IsZero() || time.Since(f.paused) < after) {
		return nil
	}
	f.read, f.paused = false, time.Now()
	return f.pause()
}

// next turns to the file that has taken the name, or to the beginning of one that was cut. It reports whether it did.
func (f *Followed) next() (bool, error) {
	now, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // It is about to be made.
	}
	old, oldErr := f.file.Stat()
	if err = errors.Join(err, oldErr); err != nil {
		return false, err
	}
	switch {
	case os.SameFile(now, old) && now.Size() >= f.at:
		return false, nil
	case os.SameFile(now, old):
		f.at = 0
		_, err = f.file.Seek(0, io.SeekStart)
		return true, err
	case old.Size() > f.at:
		f.quiet = 0
		return false, nil // Its last lines come first.
	case now.Size() == 0: // A server writes to the former file until it is asked to open this one.
		return false, nil
	}
	if f.quiet++; f.quiet < 2 {
		return false, nil
	}
	file, err := os.Open(f.name)
	if err != nil {
		return false, err
	}
	f.at, f.quiet = 0, 0
	err = f.file.Close()
	f.file = file
	return true, err
}

// Close closes the file.
func (f *Followed) Close() error { return f.file.Close() }
