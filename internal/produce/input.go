package produce

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Input is a file of lines: as they are, or packed with gzip, zstd or bzip2, which its first bytes say.
type Input struct {
	Name string                        // for people; empty: it is the only one
	Open func() (io.ReadCloser, error) // called once, when the lines before were read
	Head func() ([]byte, error)        // the first bytes, HeadBytes or all that are there now; whatever is called, and when, Open gives all

	Format  Format    // of its lines. Inputs may share one
	ModTime time.Time // when the last line was written; zero: not known
}

// format is that of the input's lines, which may need to know their year.
func (in Input) format() Format {
	if dated, ok := in.Format.(interface{ at(end time.Time) Format }); ok && !in.ModTime.IsZero() {
		return dated.at(in.ModTime)
	}
	return in.Format
}

// HeadBytes is how much of an input is looked at to find its format and its first time.
const HeadBytes = 64 << 10

// maxWindowBytes is the largest window that a file packed with zstd may ask for, in memory: that of zstd --ultra -22.
const maxWindowBytes = 128 << 20

// blame names the input in an error.
func (in Input) blame(err error) error {
	if in.Name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", in.Name, err)
}

// unpack reads r, unpacked, from after its byte order mark.
func unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	magic, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the first bytes: %w", err)
	}
	var text io.Reader
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		if text, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}), isSkippable(magic):
		// One goroutine's worth: what is read here is handed on line by line, and a File has no Close.
		if text, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindowBytes)); err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
	case bytes.HasPrefix(magic, []byte("BZh")):
		text = bzip2.NewReader(in)
	}
	lines := in
	if text != nil {
		lines = bufio.NewReaderSize(text, 64<<10)
	}
	switch mark, _ := lines.Peek(3); { // What cannot be read is an error of the first line.
	case bytes.Equal(mark, []byte("\xef\xbb\xbf")):
		_, err = lines.Discard(len(mark))
		return lines, err
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, errors.New("the text is UTF-16: convert it to UTF-8 first, as in iconv -f UTF-16 -t UTF-8")
	}
	head, _ := lines.Peek(lines.Buffered()) // More may come much later.
	if is := noLines(head); is != "" {
		return nil, errors.New("it is " + is)
	}
	return lines, nil
}

// isSkippable reports whether a file begins with a frame that zstd passes over (RFC 8878, 3.1.2), as those of pzstd do.
func isSkippable(magic []byte) bool {
	return len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})
}

// strangers are kinds of files that have no lines, by how they begin, and what to do about them.
var strangers = []struct{ begins, is string }{
	{"PK\x03\x04", "a zip archive or an Office document: unpack it first, or save it as CSV"},
	{"\xfd7zXZ\x00", "packed with xz: unpack it first with xz -d"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"},
	{"\x04\x22\x4d\x18", "packed with lz4: unpack it first with lz4 -d"},
	{"\x1f\x9d", "packed with compress: unpack it first with gzip -d"},
	{"%PDF-", "a PDF document: analyze the file that it was made of"},
	{"<!doctype html", "an HTML page, as servers answer where a login is needed or a file is missing: download the file again"},
	{"<html", "an HTML page, as servers answer where a login is needed or a file is missing: download the file again"},
}

// noLines says what a file is that has no lines, and the remedy; "": its first bytes may be lines.
func noLines(head []byte) string {
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive: unpack it first with tar -xf"
	}
	first := bytes.TrimSpace(head)
	for _, s := range strangers {
		if bytes.EqualFold(first[:min(len(first), len(s.begins))], []byte(s.begins)) {
			return s.is
		}
	}
	return ""
}

// headLines returns the first lines of an input, without blank ones and comments, at most a number. Comments that name columns are
// among them.
func (in Input) headLines(most int) ([]string, error) {
	head, err := in.Head()
	if err != nil {
		return nil, in.blame(err)
	}
	r, err := unpack(bytes.NewReader(head))
	if err != nil {
		return nil, in.blame(err)
	}
	text, err := io.ReadAll(io.LimitReader(r, 16*HeadBytes))
	whole := err == nil && len(head) < HeadBytes
	var lines []string
	for len(text) > 0 && len(lines) < most {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		text = rest
		if line = bytes.TrimSuffix(line, []byte("\r")); !ended && !whole || len(bytes.TrimSpace(line)) == 0 ||
			line[0] == '#' && !bytes.HasPrefix(line, []byte("#Fields:")) && !bytes.HasPrefix(line, []byte("#Date:")) {
			continue
		}
		lines = append(lines, string(line))
	}
	if len(lines) == 0 && len(head) < HeadBytes && errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, in.blame(errors.New(endsEarly))
	}
	return lines, nil
}

// maxHeadLines is how many lines of an input decide what its format is.
const maxHeadLines = 100

// Order sorts inputs by the times of their first lines: rotated logs then come in the order in which they were written. Those whose
// first lines have no time, or cannot be read before the input is opened, keep their order after the others.
func Order(inputs []Input) {
	if len(inputs) < 2 {
		return
	}
	first := make(map[string]time.Time, len(inputs))
	for _, in := range inputs {
		lines, _ := in.headLines(maxHeadLines) // What cannot be read is an error when it is opened.
		first[in.Name] = firstTime(lines, in.format())
	}
	slices.SortStableFunc(inputs, func(a, b Input) int {
		ta, tb := first[a.Name], first[b.Name]
		if ta.IsZero() != tb.IsZero() {
			return cmp.Compare(boolOf(ta.IsZero()), boolOf(tb.IsZero()))
		}
		return ta.Compare(tb)
	})
}

func boolOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// firstTime is the time of the first line that has one; zero: none has.
func firstTime(lines []string, format Format) time.Time {
	var r *rows
	if t, ok := format.(interface{ newRows() *rows }); ok {
		if r = t.newRows(); r != nil && len(lines) > 0 && r.begin(lines[0]) == nil {
			lines = lines[1:]
		}
	}
	for _, text := range lines {
		line := []byte(text)
		if r.begun() {
			line, _ = r.object(text)
		}
		if headed, ok := format.(interface{ under(header []byte) Format }); ok && line[0] == '#' {
			format = headed.under(line)
			continue
		}
		if t, ok := format.when(line); ok {
			return t
		}
	}
	return time.Time{}
}

// BeginsAs reports whether two inputs begin with the same lines.
func (in Input) BeginsAs(other Input) bool {
	a, err := in.headLines(maxHeadLines)
	b, otherErr := other.headLines(maxHeadLines)
	n := min(len(a), len(b)) // Packed bytes have more lines.
	return err == nil && otherErr == nil && n > 0 && slices.Equal(a[:n], b[:n])
}

// KeyOf makes a secret for the visitors' hash from the first lines of the inputs: the same files give the same visitorIds in every run, and
// only who has the files, with the addresses in them, can compute it. Inputs whose first lines cannot be read give none: nil.
func KeyOf(inputs []Input) []byte {
	var sums [][]byte
	for _, in := range inputs {
		lines, err := in.headLines(maxHeadLines)
		if err != nil {
			return nil
		}
		sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
		sums = append(sums, sum[:])
	}
	slices.SortFunc(sums, bytes.Compare) // Files may be named in any order.
	key := sha256.Sum256(bytes.Join(sums, nil))
	return key[:]
}
