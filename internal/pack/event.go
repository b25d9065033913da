package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks"
)

// An Event is a raw event as its pack keeps it. Texts are those of [Names]; nil: the event does not have it.
type Event struct {
	ID         ulid.ULID
	RecordTime int64 // ms since the epoch
	Offset     int64
	Texts      [texts][]byte
	Foreign    bool
	Excluded   bool
}

const (
	owns  = 13 // texts that are no dimensions
	texts = owns + len(figures.Given)

	beforeGiven = 10                  // texts that stand before those of dimensions
	among       = figures.GivenOS + 1 // how many dimensions stand there; later ones come after all other texts
)

// Names are the attributes of a raw event's item that hold its texts.
var Names = func() [texts]string {
	var given [len(figures.Given)]string
	for i, d := range figures.Given {
		given[i] = figures.Dimensions[d].Name
	}
	return Arrange([...]string{"type", "id", sinks.AttrVisitorID, sinks.AttrSessionID, sinks.AttrUserID, "url", "referrer", "title",
		"userAgent",
		sinks.AttrName, "properties", "value", sinks.AttrBot}, given)
}()

// Arrange puts the texts that an event gives for dimensions among its others. The order is part of the format.
func Arrange[T any](own [owns]T, given [len(figures.Given)]T) (all [texts]T) {
	copy(all[:], own[:beforeGiven])
	copy(all[beforeGiven:], given[:among])
	copy(all[beforeGiven+among:], own[beforeGiven:])
	copy(all[owns+among:], given[among:])
	return all
}

// The bits of the two marks come after those of the first texts. Texts of dimensions that are declared later have the bits after the marks.
const (
	marksAt     = owns + among
	foreignBit  = 1 << marksAt
	excludedBit = 2 << marksAt
	knownBits   = 4<<texts - 1
)

// bitOf returns the bit of a text.
func bitOf(text int) uint64 {
	if text >= marksAt {
		text += 2
	}
	return 1 << text
}

// Places of texts that the index has.
const (
	visitorText = 2
	sessionText = 3
	userText    = 4
)

// Append appends the bytes of the event: its ULID, then what it has.
func (e *Event) Append(b []byte) []byte {
	b = append(b, e.ID[:]...)
	b = binary.AppendVarint(b, e.RecordTime-int64(e.ID.Time()))
	b = binary.AppendUvarint(b, uint64(e.Offset))
	b = binary.AppendUvarint(b, e.has())
	for _, t := range e.Texts {
		if t != nil {
			b = binary.AppendUvarint(b, uint64(len(t)))
			b = append(b, t...)
		}
	}
	return b
}

// has says what the event has: a bit for each text, and those of its marks.
func (e *Event) has() uint64 {
	has := uint64(0)
	for i, t := range e.Texts {
		if t != nil {
			has |= bitOf(i)
		}
	}
	if e.Foreign {
		has |= foreignBit
	}
	if e.Excluded {
		has |= excludedBit
	}
	return has
}

// size is how many bytes Append appends.
func (e *Event) size() int {
	shift := e.RecordTime - int64(e.ID.Time())
	n := len(e.ID) + uvarintSize(uint64(shift<<1^shift>>63)) + uvarintSize(uint64(e.Offset)) + uvarintSize(e.has())
	for _, t := range e.Texts {
		if t != nil {
			n += uvarintSize(uint64(len(t))) + len(t)
		}
	}
	return n
}

// uvarintSize is how many bytes a number takes.
func uvarintSize(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

// errShort reports bytes that end too early, or that no event has.
var errShort = errors.New("the bytes of a pack's event are damaged")

// readEvent reads an event and returns what follows it. Texts alias b.
func readEvent(b []byte) (e Event, rest []byte, err error) {
	if len(b) < len(e.ID) {
		return e, nil, errShort
	}
	r := reader{b: b[copy(e.ID[:], b):]}
	e.RecordTime = r.varint() + int64(e.ID.Time())
	e.Offset = int64(r.uvarint())
	has := r.uvarint()
	if has > knownBits {
		return e, nil, fmt.Errorf("a pack's event has fields of another release (%x)", has)
	}
	for i := range e.Texts {
		if has&bitOf(i) != 0 {
			e.Texts[i] = r.text()
		}
	}
	e.Foreign, e.Excluded = has&foreignBit != 0, has&excludedBit != 0
	if r.bad {
		return e, nil, errShort
	}
	return e, r.b, nil
}

// reader reads numbers and texts. Once bytes are missing, bad is set and all else is empty.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) {
	if n <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.take(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.take(n)
	return v
}

func (r *reader) text() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	t := r.b[:n:n]
	r.b = r.b[n:]
	return t
}

// expires is when what is of an instant and kept for days expires, in seconds since the epoch.
func expires(ms, days int64) int64 { return ms/1000 + days*86_400 }
