package produce

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"
)

// Limits on lines.
const (
	// maxLineBytes is the longest line that is looked at: eight times the largest event, half of what Kafka takes
	// in one batch by default.
	maxLineBytes = 512 << 10
	// maxEventBytes is the largest value of a record that the pipeline decodes.
	maxEventBytes = 64 << 10
)

// A Place is a line of a file.
type Place struct {
	File string `json:"file,omitempty"` // its name; empty: the only file, which has none
	Line int64  `json:"line,omitempty"` // from 1, in the unpacked text
}

// String spells the place: access.log, line 8899.
func (p Place) String() string {
	if p.File == "" {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("%s, line %d", p.File, p.Line)
}

// A Refusal is a line that cannot become a record. It is data, not an error of the program: the lines around it go
// on.
type Refusal struct {
	Place
	Reason string `json:"reason"`
	After  int64  `json:"-"` // how many records were taken before; set once it is listed
}

// Error spells the refusal: line 8899: user agent: no closing quote.
func (r *Refusal) Error() string { return r.Place.String() + ": " + r.Reason }

const endsEarly = "the file ends too early, as an incomplete copy does (unexpected EOF)"

// A ReadError is a file that cannot be read on: the rest of it is lost, and the next call of Next begins the next file.
type ReadError struct {
	Place        // of the last line that was read
	Offset int64 // bytes of the file that were read, packed if it is
	Err    error
}

// Error spells the error: access.log.gz: read after line 8899, at byte 225894 of the file: unexpected EOF.
func (e *ReadError) Error() string {
	cause := e.Err.Error()
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		cause = endsEarly
	}
	in := Input{Name: e.File}
	if e.Line == 0 {
		return in.blame(errors.New(cause)).Error()
	}
	return in.blame(fmt.Errorf("read after line %d, at byte %d of the file: %s", e.Line, e.Offset, cause)).Error()
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// A Format makes a record of a line, or says why it cannot: then the reason is not empty. The record is good until
// the next call, and as long as the line is. Formats may keep state from line to line, as AccessLog does for visits. Events,
// Mapping and AccessLog are formats.
type Format interface {
	record(line []byte) (r Record, reason string)
	// when is the time of the line's event; false: it has none, or none that can be read.
	when(line []byte) (t time.Time, ok bool)
}

// File makes records of the lines of files, one file after the other. Not safe for concurrent use, but for BytesRead.
type File struct {
	inputs  []Input // that were not opened yet
	formats []Format
	format  Format // of the input that is open
	open    io.Closer
	lines   *bufio.Reader // nil: no input is open
	rows    *rows         // how the open input has its rows; nil: it has lines
	line    []byte
	at      Place // of the line that was read last
	made    Place // of the line that Next looked at last
	skipped int64
	left    LeftOut
	read    atomic.Int64
	before  int64            // of read: of the inputs before the open one
	sorted  *sorter          // nil: lines keep their order
	skip    func(*ReadError) // nil: a file that cannot be read to its end is an error
}

// NewFile reads lines from r, packed or not as an [Input] may be. The error is that of reading the first bytes.
func NewFile(r io.Reader, format Format) (*File, error) {
	f := NewFiles([]Input{{Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }, Format: format}})
	return f, f.openNext()
}

// NewFiles reads the lines of the inputs in their order.
func NewFiles(inputs []Input) *File {
	f := &File{inputs: inputs}
	for _, in := range inputs {
		if !slices.Contains(f.formats, in.Format) {
			f.formats = append(f.formats, in.Format)
		}
	}
	return f
}

// Next returns the next record, a *Refusal for a line that cannot be one, io.EOF at the end, and any other error
// when reading cannot go on. Blank lines and comments are passed over, though they are counted as lines.
func (f *File) Next() (Record, error) {
	for {
		r, err := f.next()
		switch {
		case r.left == "":
			return r, err
		case r.left == leftComment:
			f.skipped++
		default:
			f.left.add(r.left)
		}
	}
}

// next is Next, with the records of lines that are left out.
func (f *File) next() (Record, error) {
	if f.sorted != nil {
		return f.nextSorted()
	}
	line, err := f.take()
	f.made = f.at
	if err != nil {
		return Record{}, err
	}
	return f.make(f.format, line, f.at)
}

// make makes the record of a line.
func (f *File) make(format Format, line []byte, at Place) (Record, error) {
	f.made = at
	r, reason := format.record(line)
	if reason != "" {
		return Record{}, &Refusal{Place: at, Reason: reason}
	}
	return r, nil
}

// take returns the next line that is neither blank nor a comment, rows as JSON. Errors are those of Next.
func (f *File) take() ([]byte, error) {
	for {
		long, err := f.readLine()
		switch {
		case err != nil:
			return nil, err
		case long:
			return nil, &Refusal{Place: f.at, Reason: fmt.Sprintf("longer than %d bytes", maxLineBytes)}
		case len(bytes.TrimSpace(f.line)) == 0:
			continue
		case f.line[0] == '#' && !f.rows.begun(): // A row may begin with it.
			f.skipped++
			f.under(f.line)
			continue
		case f.rows == nil:
			return f.line, nil
		case !f.rows.begun():
			if err := f.rows.begin(string(f.line)); err != nil {
				return nil, fmt.Errorf("%v: %w", f.at, err)
			}
			continue
		}
		object, reason := f.rows.object(string(f.line))
		if reason != "" {
			return nil, &Refusal{Place: f.at, Reason: reason}
		}
		return object, nil
	}
}

// under has lines after a comment be read as it says, if it is one that names their columns.
func (f *File) under(comment []byte) {
	if headed, ok := f.format.(interface{ under(header []byte) Format }); ok {
		f.format = headed.under(comment)
	}
}

// SessionsEnd is how long after a session's last line, in the time of the newest line that was read, no line joins it any more; 0: the
// lines have sessionIds of their own.
func (f *File) SessionsEnd() time.Duration {
	for _, format := range f.formats {
		if _, ok := format.(*AccessLog); !ok {
			return 0
		}
	}
	return visitsKept + 2*sweepEvery
}

// SiteOfUnnamed is the site of lines of access logs that name none, if there were such lines; "": there were none.
func (f *File) SiteOfUnnamed() (site string) {
	for _, format := range f.formats {
		if log, ok := format.(*AccessLog); ok && log.usedSite() != "" {
			site = log.usedSite()
		}
	}
	return site
}

// LeftOut is what was left out of access logs until now.
func (f *File) LeftOut() LeftOut { return f.left }

// BytesRead is how many bytes of the files, packed if they are, have been read. Safe for concurrent use.
func (f *File) BytesRead() int64 { return f.read.Load() }

// readLine reads the next line into f.line, without its end. Of one that is too long it reads all, but keeps only
// the beginning.
func (f *File) readLine() (long bool, err error) {
	f.line = f.line[:0]
	for {
		if f.lines == nil {
			if err := f.openNext(); err != nil {
				return false, err
			}
			long = false
			continue
		}
		part, err := f.lines.ReadSlice('\n')
		if !long {
			f.line = append(f.line, part...)
			long = len(bytes.TrimRight(f.line, "\r\n")) > maxLineBytes
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(f.line) == 0:
			f.lines = nil
			if err := f.open.Close(); err != nil {
				if err := f.broken(err); err != nil {
					return false, err
				}
			}
			continue
		case err != nil && err != io.EOF:
			if err := f.broken(errors.Join(err, f.open.Close())); err != nil {
				return false, err
			}
			f.line = f.line[:0]
			continue
		}
		f.at.Line++
		f.line = bytes.TrimSuffix(bytes.TrimSuffix(f.line, []byte("\n")), []byte("\r"))
		return long, nil
	}
}

// SkipBroken has Next go on with the next file where one cannot be read to its end, and report it. Call it before Next.
func (f *File) SkipBroken(report func(*ReadError)) { f.skip = report }

// broken reports that the file that was read cannot be read on; nil: the next one is to be read.
func (f *File) broken(err error) error {
	f.lines = nil
	broken := &ReadError{f.at, f.read.Load() - f.before, err}
	if f.skip == nil {
		return broken
	}
	f.skip(broken)
	return nil
}

// openNext opens the next input; io.EOF: there is none.
func (f *File) openNext() error {
	if len(f.inputs) == 0 {
		return io.EOF
	}
	in := f.inputs[0]
	f.inputs = f.inputs[1:]
	f.at, f.before = Place{File: in.Name}, f.read.Load()
	raw, err := in.Open()
	if err != nil {
		return err
	}
	if f.lines, err = unpack(&counter{raw, &f.read}); err != nil {
		raw.Close()
		return f.broken(err)
	}
	f.open, f.rows, f.format = raw, nil, in.format()
	if t, ok := f.format.(interface{ newRows() *rows }); ok {
		f.rows = t.newRows()
	}
	return nil
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
