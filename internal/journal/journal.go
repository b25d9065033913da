// Package journal keeps what flushes did to the breakdowns of old hours, and to their visitors, until it is merged into the
// hours' items.
//
// One late event changes a few rows of an item of up to 350 KB. Written whole, that item costs up to 350 write units. So a
// flush may write what it did to the hours of one date into one small item instead, an [Entry], and leave the hours' items as
// they are. An entry holds a log of operations for each of its hours, in the order in which the flush carried them out, which is
// that of positions. What an hour's breakdown is follows from three rules:
//
//   - The breakdown of an hour is its item, and after it the logs of all entries of a later step than the item's mark, in the
//     order of steps. An entry of the mark's step or an earlier one is in the item already.
//   - Two entries of one step that have the same hour say the same of it: one of them counts. A flush that is done again may
//     divide its hours otherwise than the first attempt did.
//   - The visitors of an hour are the union of its parts and of the visitors of all entries, whatever their steps.
//
// Readers read the entries of a date before its items: an entry is deleted only after the item that has it is in the table, so
// what a reader does not find among the entries it finds in the item. An hour without an item has expired, and so have its
// entries. The protocol of the writer is described in docs/internals/exactly-once.md.
package journal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// MaxBytes bounds what the logs of one entry come to before compression. A flush that has more begins another entry.
const MaxBytes = 192 << 10

// A Log is what a flush did to the breakdown of one hour; see [sketch.Breakdown.Replay].
type Log struct {
	Hour int64 // its start, milliseconds since the epoch
	Ops  []byte
}

// An Entry is one item of the journal.
type Entry struct {
	Key  sinks.Key
	TP   sinks.TP
	Step int64 // of the partition's stats chain
	Logs []Log
}

// Pack returns the bytes of an entry's logs, as its item keeps them: for each the hour, the length and the operations,
// compressed with S2 as a whole.
func Pack(logs []Log) []byte {
	var plain []byte
	for _, l := range logs {
		plain = binary.AppendVarint(plain, l.Hour)
		plain = binary.AppendUvarint(plain, uint64(len(l.Ops)))
		plain = append(plain, l.Ops...)
	}
	return s2.EncodeBetter(nil, plain)
}

// Unpack reads what Pack returned. What it allocates is bounded whatever the bytes claim to hold.
func Unpack(packed []byte) ([]Log, error) {
	size, err := s2.DecodedLen(packed)
	if err == nil && size > 2*MaxBytes {
		err = fmt.Errorf("%d bytes unpacked: more than %d", size, 2*MaxBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("journal entry: %w", err)
	}
	plain, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, fmt.Errorf("journal entry: %w", err)
	}
	var logs []Log
	for len(plain) > 0 {
		hour, n := binary.Varint(plain)
		if n <= 0 {
			return nil, errEnds
		}
		length, m := binary.Uvarint(plain[n:])
		if m <= 0 || length > uint64(len(plain)-n-m) {
			return nil, errEnds
		}
		plain = plain[n+m:]
		logs = append(logs, Log{hour, plain[:length:length]})
		plain = plain[length:]
	}
	return logs, nil
}

var errEnds = errors.New("journal entry: it ends too early")

// Check reads the bytes of an entry to their end, and returns an error if they cannot be replayed.
func Check(packed []byte) error {
	_, err := checked(packed)
	return err
}

func checked(packed []byte) ([]Log, error) {
	logs, err := Unpack(packed)
	for _, l := range logs {
		if err == nil {
			err = (*sketch.Breakdown)(nil).Replay(l.Ops, nil)
		}
	}
	return logs, err
}

// Read reads an entry from its item. Its error is a [sinks.DamagedError].
func Read(it sinks.Item) (Entry, error) {
	e := Entry{Key: it.Key()}
	var err error
	if e.TP, e.Step, err = sinks.ParseLate(e.Key.SK); err != nil {
		return Entry{}, sinks.Damaged(e.Key, "", err)
	}
	if e.Logs, err = checked(it[sinks.AttrPart].Bytes()); err != nil {
		return Entry{}, sinks.Damaged(e.Key, sinks.AttrPart, err)
	}
	return e, nil
}

// A Journal is the entries of one date of a site. The zero value has none.
type Journal struct{ entries []Entry }

// Add adds an entry, in any order.
func (j *Journal) Add(e Entry) { j.entries = append(j.entries, e) }

// After returns the logs of an hour that a partition wrote in steps after the mark and before end, one of each step in the
// order of steps, and the last of these steps; it is the mark when there is none.
func (j *Journal) After(tp sinks.TP, hour, mark, end int64) (logs [][]byte, last int64) {
	type found struct {
		step int64
		ops  []byte
	}
	var all []found
	for i := range j.entries {
		e := &j.entries[i]
		if e.TP != tp || e.Step <= mark || e.Step >= end {
			continue
		}
		for _, l := range e.Logs {
			if l.Hour == hour {
				all = append(all, found{e.Step, l.Ops})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.step, b.step) })
	last = mark
	for _, f := range all {
		if f.step != last {
			logs, last = append(logs, f.ops), f.step
		}
	}
	return logs, last
}

// Stripped reports whether an entry of a later step than the mark has a stripped log of the hour. The hour's item contains that step,
// and was read before it did.
func (j *Journal) Stripped(tp sinks.TP, hour, mark int64) bool {
	logs, _ := j.After(tp, hour, mark, 1<<62)
	return slices.ContainsFunc(logs, sketch.Stripped)
}

// Apply brings a breakdown, as the item of an hour has it under the mark, up to the last entry.
func (j *Journal) Apply(b *sketch.Breakdown, tp sinks.TP, hour, mark int64) (last int64, err error) {
	logs, last := j.After(tp, hour, mark, 1<<62)
	for _, ops := range logs {
		if err := b.Replay(ops, nil); err != nil {
			return last, err
		}
	}
	return last, nil
}

// ApplyTo brings a breakdown, as the item of an hour has it, up to the last entry.
func (j *Journal) ApplyTo(b *sketch.Breakdown, it sinks.Item, hour int64) error {
	sk := it.Key().SK
	tp, err := sinks.ParseTP(sk[strings.LastIndexByte(sk, '#')+1:])
	if err != nil {
		return err
	}
	_, err = j.Apply(b, tp, hour, it[sinks.AttrMark("stats", tp)].Int())
	return err
}

// Visitors calls see with the visitor of every event of an hour, of any partition, some more than once.
func (j *Journal) Visitors(hour int64, see func(visitor uint64)) error {
	for _, e := range j.entries {
		for _, l := range e.Logs {
			if l.Hour != hour {
				continue
			}
			if err := (*sketch.Breakdown)(nil).Replay(l.Ops, see); err != nil {
				return sinks.Damaged(e.Key, sinks.AttrPart, err)
			}
		}
	}
	return nil
}

// Entries are all entries.
func (j *Journal) Entries() []Entry { return j.entries }
