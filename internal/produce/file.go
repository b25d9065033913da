package produce

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Limits on lines.
const (
	// maxLineBytes is the longest line that is looked at: eight times the largest event, half of what Kafka takes
	// in one batch by default.
	maxLineBytes = 512 << 10
	// maxWindowBytes is the largest window that a file packed with zstd may ask for, in memory: that of zstd --ultra -22.
	maxWindowBytes = 128 << 20
	// maxEventBytes is the largest value of a record that the pipeline decodes.
	maxEventBytes = 64 << 10
)

// A Refusal is a line that cannot become a record. It is data, not an error of the program: the lines around it go
// on.
type Refusal struct {
	Line   int64  `json:"line"` // from 1, in the unpacked text
	Reason string `json:"reason"`
}

// Error spells the refusal: line 8899: user agent: no closing quote.
func (r *Refusal) Error() string { return fmt.Sprintf("line %d: %s", r.Line, r.Reason) }

// A Format makes a record of a line, or says why it cannot: then the reason is not empty. The line belongs to the
// caller again after the call. Formats may keep state from line to line, as Combined does for visits. Events,
// Mapping and Combined are formats.
type Format interface {
	record(line []byte) (r Record, reason string)
	// when is the time of the line's event; false: it has none, or none that can be read.
	when(line []byte) (t time.Time, ok bool)
}

// File makes records of the lines of a file. Not safe for concurrent use, but for BytesRead.
type File struct {
	Name string // for warnings; empty: the file has none

	format Format
	in     *counter
	lines  *bufio.Reader
	line   []byte
	number int64   // of the line that was read last
	made   int64   // of the line that Next looked at last
	sorted *sorter // nil: lines come as they stand
}

// NewFile reads lines from r, packed with gzip or zstd or not: its first bytes tell. The error is that of reading them.
func NewFile(r io.Reader, format Format) (*File, error) {
	f := &File{format: format, in: &counter{r: r}}
	in := bufio.NewReaderSize(f.in, 64<<10)
	f.lines = in
	magic, err := in.Peek(4)
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("read the first bytes: %w", err)
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
		f.lines = bufio.NewReaderSize(z, 64<<10)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// One goroutine's worth: what is read here is handed on line by line, and nobody closes a File.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindowBytes))
		if err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
		f.lines = bufio.NewReaderSize(z, 64<<10)
	}
	return f, nil
}

// Next returns the next record, a *Refusal for a line that cannot be one, io.EOF at the end, and any other error
// when reading cannot go on. Blank lines are passed over, though they are counted as lines.
func (f *File) Next() (Record, error) {
	if f.sorted != nil {
		return f.nextSorted()
	}
	for {
		long, err := f.readLine()
		switch {
		case err != nil:
			return Record{}, err
		case long:
			return f.tooLong()
		case len(bytes.TrimSpace(f.line)) > 0:
			return f.make(f.line, f.number)
		}
	}
}

// make makes the record of a line.
func (f *File) make(line []byte, number int64) (Record, error) {
	f.made = number
	r, reason := f.format.record(line)
	if reason != "" {
		return Record{}, &Refusal{number, reason}
	}
	return r, nil
}

func (f *File) tooLong() (Record, error) {
	f.made = f.number
	return Record{}, &Refusal{f.number, fmt.Sprintf("longer than %d bytes", maxLineBytes)}
}

// BytesRead is how many bytes of the file, packed if it is, have been read. Safe for concurrent use.
func (f *File) BytesRead() int64 { return f.in.n.Load() }

// readLine reads the next line into f.line, without its end. Of one that is too long it reads all, but keeps only
// the beginning.
func (f *File) readLine() (long bool, err error) {
	f.line = f.line[:0]
	for {
		part, err := f.lines.ReadSlice('\n')
		if !long {
			f.line = append(f.line, part...)
			long = len(bytes.TrimRight(f.line, "\r\n")) > maxLineBytes
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(f.line) == 0:
			return false, io.EOF
		case err != nil && err != io.EOF:
			return false, fmt.Errorf("read after line %d: %w", f.number, err)
		}
		f.number++
		f.line = bytes.TrimSuffix(bytes.TrimSuffix(f.line, []byte("\n")), []byte("\r"))
		return long, nil
	}
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
