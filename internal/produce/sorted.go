package produce

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"time"
)

// Bounds of the lines that a File holds to sort them.
const (
	// DefaultSortLines is enough for a month of a site with 16,000 lines a day.
	DefaultSortLines = 500_000
	// maxSortBytes is what the held lines take at most, with heldOverhead for each.
	maxSortBytes = 256 << 20
	heldOverhead = 160 // A heldLine, and as much again while the slice of them grows.
)

// Sort has the lines come in the order of their times, as far as the file holds them: up to that many lines, and 256 MiB of them, are
// read before the earliest is taken. So a file of no more lines is sorted as a whole, and a line of a larger file comes in its
// place unless more lines than that lie between. Lines of equal times keep their order. A line without a time keeps its place.
//
// Formats see the lines in the sorted order: sessions of an access log are those of a sorted log. Call Sort before Next.
func (f *File) Sort(lines int) { f.sorted = &sorter{most: lines} }

// sorter holds lines, as a heap: the earliest is the first.
type sorter struct {
	lines  []heldLine
	most   int
	bytes  int
	number int64 // of the line that was held last
	bound  bool  // the bytes have reached their bound before the lines theirs
	err    error // of reading; io.EOF at the end
}

type heldLine struct {
	time   time.Time
	number int64 // the order in which lines were read
	at     Place
	format Format
	text   []byte
}

func (s *sorter) Len() int { return len(s.lines) }
func (s *sorter) Less(i, j int) bool {
	a, b := &s.lines[i], &s.lines[j]
	return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.number, b.number)) < 0
}
func (s *sorter) Swap(i, j int) { s.lines[i], s.lines[j] = s.lines[j], s.lines[i] }
func (s *sorter) Push(x any)    { s.lines = append(s.lines, x.(heldLine)) }
func (s *sorter) Pop() any {
	last := len(s.lines) - 1
	x := s.lines[last]
	s.lines[last] = heldLine{}
	s.lines = s.lines[:last]
	return x
}

// full reports whether no further line is read before the earliest is taken.
func (s *sorter) full() bool {
	over := s.bytes >= maxSortBytes
	s.bound = s.bound || over
	return over || len(s.lines) >= s.most
}

func (s *sorter) hold(x heldLine) {
	s.bytes += len(x.text) + heldOverhead
	heap.Push(s, x)
}

func (s *sorter) take() heldLine {
	x := heap.Pop(s).(heldLine)
	s.bytes -= len(x.text) + heldOverhead
	return x
}

// nextSorted is Next for a file that is sorted. What has been read before an error comes before it.
func (f *File) nextSorted() (Record, error) {
	s := f.sorted
	for s.err == nil && !s.full() {
		line, err := f.take()
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			f.made = f.at
			return Record{}, refusal
		}
		if err != nil {
			s.err = err
			continue
		}
		when, ok := f.format.when(line)
		if !ok {
			return f.make(f.format, line, f.at)
		}
		s.number++
		s.hold(heldLine{when, s.number, f.at, f.format, bytes.Clone(line)})
	}
	if len(s.lines) > 0 {
		x := s.take()
		return f.make(x.format, x.text, x.at)
	}
	return Record{}, s.err
}
