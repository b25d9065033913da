package accesslog

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/strptime"
)

// Config says what NewReader makes.
type Config struct {
	// Format is one of Names; "": combined.
	Format string
	// Layout is how the lines look, in place of a format: in the words of nginx, Apache or GoAccess, or a #Fields header.
	Layout string
	// Switch has lines that Format does not read be read by any other format that does.
	Switch bool
	// Times is the layout of times that are not found by their shape, with the directives of strptime or as Go has it; "": by their shape.
	Times string
	// Zone is that of times that name none; nil: UTC.
	Zone *time.Location
	// Now is the last day of the log, for times without a year; zero: today.
	Now time.Time
}

// Reader reads the lines of an access log. Not safe for concurrent use.
type Reader struct {
	format   format
	parser   parser
	all      bool // other formats may read lines, too
	others   map[string]parser
	refused  int // lines in a row
	layout   bool
	times    string
	values   values
	calendar *calendar
	envelope envelope
	export   bool      // the log is journalctl's output export
	written  time.Time // of the entry in the journal
}

// NewReader makes a reader, or says what is wrong with the configuration.
func NewReader(c Config) (*Reader, error) {
	if c.Format == "" {
		c.Format = "combined"
	}
	r := &Reader{all: c.Switch, times: c.Times, calendar: &calendar{zone: c.Zone, now: c.Now}, others: make(map[string]parser)}
	if r.calendar.zone == nil {
		r.calendar.zone = time.UTC
	}
	if r.calendar.now.IsZero() {
		r.calendar.now = time.Now()
	}
	if strings.Contains(c.Times, "%") {
		var err error
		if r.times, err = strptime.Layout(c.Times); err != nil {
			return nil, err
		}
	}
	if c.Layout == "" {
		var ok bool
		if r.format, ok = find(c.Format); !ok {
			return nil, fmt.Errorf("format %q: choose one of %s", c.Format, strings.Join(Names, ", "))
		}
		r.parser = r.format.make()
		return r, nil
	}
	r.format, r.layout, r.all = format{name: "the layout", hosts: true}, true, false
	if names, ok := strings.CutPrefix(c.Layout, "#Fields:"); ok {
		r.parser = newW3C(names)
		return r, nil
	}
	l, err := compile(c.Layout)
	if err != nil {
		return nil, err
	}
	r.parser, r.format.hosts = l, l.hosts
	return r, nil
}

// NamesHosts reports whether lines may name the host that was asked.
func (r *Reader) NamesHosts() bool { return r.format.hosts }

// Lacks says what a layout of the configuration has no word for, and what follows from that.
func (r *Reader) Lacks() []string {
	if l, ok := r.parser.(*layout); ok && r.layout {
		return l.lacks
	}
	return nil
}

// Under returns the reader of the lines after a line that begins with #, which may name their columns: r itself where it does not.
func (r *Reader) Under(header []byte) *Reader {
	w, ok := r.parser.(*w3c)
	if !ok && r.all && (bytes.HasPrefix(header, []byte("#Fields:")) || bytes.HasPrefix(header, []byte("#Date:"))) {
		w, ok = &w3c{}, true
	}
	if !ok {
		return r
	}
	next := w.under(header)
	if next == nil {
		return r
	}
	under := *r
	under.parser, under.values = next, values{}
	if !r.layout {
		under.format, _ = find("w3c")
	}
	under.format.hosts = len(next.columns) == 0 || slices.ContainsFunc(next.columns, func(c column) bool { return c.field == host })
	return &under
}

// At returns the reader of a log that was written until this time.
func (r *Reader) At(end time.Time) *Reader {
	at := *r
	at.calendar = &calendar{zone: r.calendar.zone, now: end}
	at.values = values{}
	return &at
}

// Read reads a line. The error is a *Fault that says why it is none of the format, or ErrSkip.
func (r *Reader) Read(line []byte, l *Line) error {
	line = bytes.TrimLeft(line, "\x00") // Which are there where a log was cut while it was written.
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	rest, p, err := r.unwrap(line)
	if err != nil {
		return err
	}
	f := r.read(r.parser, rest, p, l)
	if f == nil {
		r.refused = 0
		return nil
	}
	f.fit = (f.fit+r.values.fit(r.calendar))*(len(line)+1) + f.Column
	if f.Column > 0 {
		f.Column += p.length
	}
	if r.all && r.other(rest, p, l) {
		return nil
	}
	r.refused++
	if r.layout && f.Column > 0 {
		f.Reason = "column " + strconv.Itoa(f.Column) + ": " + f.Reason
	}
	if name := r.hint(rest); name != "" && !strings.Contains(f.Reason, "the format is") {
		f.Reason += ": the format may be " + name
	}
	return f
}

// read reads a line by a parser. The prefix's time is that of lines that have none.
func (r *Reader) read(by parser, line []byte, p prefix, l *Line) *Fault {
	v := &r.values
	v.reset()
	if f := by.parse(line, v); f != nil {
		return f
	}
	if r.times != "" {
		v.layout = r.times
	}
	if len(v.of[instant])+len(v.of[clock]) == 0 && !p.time.IsZero() {
		from := len(v.scratch)
		v.scratch = strconv.AppendInt(v.scratch, p.time.UnixMilli(), 10)
		v.of[instant], v.layout = v.scratch[from:], ""
	}
	f := v.line(l, r.calendar)
	if f != nil {
		f.fit = 1 // All parts are there.
	}
	return f
}

// kin are formats that read the beginnings of the lines of another: a line that was cut is not one of theirs. After refusals in a row they
// may read lines.
var kin = map[string]string{"common": "combined", "vhost_common": "vhost_combined"}

// patience is how many lines are refused in a row before that.
const patience = 5

// other has a line be read by another format, which is then the first that is asked.
func (r *Reader) other(line []byte, p prefix, l *Line) bool {
	for _, f := range allFormats {
		if f.name == r.format.name || f.json != (len(line) > 0 && line[0] == '{') || kin[f.name] != "" && r.refused < patience {
			continue
		}
		by := r.others[f.name]
		if by == nil {
			by = f.make()
			r.others[f.name] = by
		}
		if r.read(by, line, p, l) == nil && len(l.Method) > 0 {
			r.others[r.format.name] = r.parser
			r.format, r.parser, r.refused = f, by, 0
			return true
		}
	}
	return false
}

// hint names the format of the same family that reads a line.
func (r *Reader) hint(line []byte) string {
	family := []string{"combined", "common", "vhost_combined"}
	if r.layout || !slices.Contains(family, r.format.name) {
		return ""
	}
	var l Line
	for _, name := range family {
		if f, _ := find(name); name != r.format.name && r.read(f.make(), line, prefix{}, &l) == nil {
			return name
		}
	}
	return ""
}
