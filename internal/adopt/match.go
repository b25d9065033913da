package adopt

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// digest identifies a record by its bytes, whichever topic it is in.
type digest [sha256.Size]byte

// found is a record of a log.
type found struct {
	digest digest
	offset int64
}

func digestOf(r *kgo.Record) digest {
	var b []byte
	part := func(text []byte) { // An absent part is no empty one.
		n := int64(len(text))
		if text == nil {
			n = -1
		}
		b = append(binary.BigEndian.AppendUint64(b, uint64(n)), text...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(r.Timestamp.UnixMilli()))
	part(r.Key)
	part(r.Value)
	for _, h := range r.Headers {
		part([]byte(h.Key))
		part(h.Value)
	}
	return sha256.Sum256(b)
}

// span is what was read of a partition's two logs around a position.
type span struct {
	before, after []found // of the old log: the last records before the position, and the first from it on
	mirror        []found // of the mirror, from the first record that may be one of before on
	begins        bool    // that is the first record of the mirror's log
}

// meeting is where the position is in the mirror.
type meeting struct {
	next          int64 // offset of the record after the last one before the position
	before, after int   // how many records around it are equal
	same          bool  // all records that the mirror has before it have their old offsets
}

// match finds the position in the mirror.
func (s *span) match() (m meeting, err error) {
	i, j, err := s.anchor()
	if err != nil {
		return m, err
	}
	m.same = s.begins
	for n := 1; n <= min(i, j); n++ { // Back to the beginning of either.
		if err := s.compare(s.before[i-n], j-n); err != nil {
			return m, err
		}
		m.same = m.same && s.before[i-n].offset == s.mirror[j-n].offset
	}
	if j < i && !s.begins {
		return m, fmt.Errorf("the record at offset %d is missing in the mirror before offset %d", s.before[i-j-1].offset, s.mirror[0].offset)
	}
	m.before, m.same = min(i, j), m.same && j <= i
	for ; i < len(s.before); i, j = i+1, j+1 {
		if j == len(s.mirror) {
			return m, fmt.Errorf("the mirror does not have the record at offset %d, which was counted, yet: wait until it has caught up",
				s.before[i].offset)
		}
		if err := s.compare(s.before[i], j); err != nil {
			return m, err
		}
		m.same = m.same && s.before[i].offset == s.mirror[j].offset
		m.before, m.next = m.before+1, s.mirror[j].offset+1
	}
	for m.after < min(len(s.after), len(s.mirror)-j) {
		if err := s.compare(s.after[m.after], j+m.after); err != nil {
			return m, err
		}
		m.after++
	}
	return m, s.twice(j + m.after)
}

// twice returns an error if the mirror has a record of before once more, from an index on.
func (s *span) twice(from int) error {
	before := make(map[digest]int64, len(s.before))
	for _, r := range s.before {
		before[r.digest] = r.offset
	}
	for _, r := range s.mirror[from:] {
		if old, ok := before[r.digest]; ok {
			return fmt.Errorf("the record at offset %d, which was counted, is in the mirror once more, at offset %d", old, r.offset)
		}
	}
	return nil
}

// compare returns an error unless a record of the old log is the one at an index of the mirror.
func (s *span) compare(old found, j int) error {
	if old.digest == s.mirror[j].digest {
		return nil
	}
	return fmt.Errorf("the record at offset %d is not the one at offset %d of the mirror, where it should be: a record is missing there, or "+
		"is there twice, or is another topic's", old.offset, s.mirror[j].offset)
}

// anchor finds the last record before the position that both logs have exactly once, and its indexes.
func (s *span) anchor() (before, mirror int, err error) {
	old, there := make(map[digest]int), make(map[digest]int)
	for _, all := range [][]found{s.before, s.after} {
		for _, r := range all {
			old[r.digest]++
		}
	}
	at := make(map[digest]int)
	for j, r := range s.mirror {
		there[r.digest]++
		at[r.digest] = j
	}
	several := false
	for i := len(s.before) - 1; i >= 0; i-- {
		d := s.before[i].digest
		if old[d] == 1 && there[d] == 1 {
			return i, at[d], nil
		}
		several = several || there[d] > 0
	}
	if several {
		return 0, 0, fmt.Errorf("the last %d records that were counted are in the mirror several times: nothing shows which is "+
			"which", len(s.before))
	}
	return 0, 0, fmt.Errorf("the mirror has none of the last %d records that were counted, up to offset %d: it has not come so far, it began "+
		"later, or it changes records, such as their timestamps (message.timestamp.type must be CreateTime)", len(s.before),
		s.before[len(s.before)-1].offset)
}
