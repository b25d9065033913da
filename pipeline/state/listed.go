package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// ListedSession is an entry of an item that lists sessions of visitors.
type ListedSession struct {
	Visitor  uint64 // hash of the visitorId, see sinks.VisitorHash
	OpenedAt int64  // in the item's hour, milliseconds since the epoch
	Session  string // its id
}

// Compare orders entries as items have them: by visitor, by time, by id.
func (l ListedSession) Compare(o ListedSession) int {
	return cmp.Or(cmp.Compare(l.Visitor, o.Visitor), cmp.Compare(l.OpenedAt, o.OpenedAt), strings.Compare(l.Session, o.Session))
}

// The bytes of an item: a version byte, then for each entry, in order
//
//	8 bytes   hash of the visitor, big endian
//	3 bytes   milliseconds from the start of the item's hour, big endian
//	uvarint   0: a UUID follows, 1: 32 hex digits, as 16 bytes each; 2: the position of a visit's first record follows, a uvarint;
//	          n+3: an id of n bytes follows
const (
	listedVersion = 1

	listedUUID  = 0
	listedHex   = 1
	listedVisit = 2
	listedText  = 3

	idBytes        = 16
	listedBytes    = 8 + 3 + 1 + idBytes // of most entries
	maxListedBytes = 256                 // of an id
)

// AppendListed encodes entries of a partition that belong to an hour. They are in order.
func AppendListed(b []byte, entries []ListedSession, hour int64, tp sinks.TP) []byte {
	b = append(slices.Grow(b, 1+len(entries)*listedBytes), listedVersion)
	for _, e := range entries {
		b = binary.BigEndian.AppendUint64(b, e.Visitor)
		ms := e.OpenedAt - hour
		b = append(b, byte(ms>>16), byte(ms>>8), byte(ms))
		b = appendListedID(b, &e, tp)
	}
	return b
}

func appendListedID(b []byte, e *ListedSession, tp sinks.TP) []byte {
	if visit, ok := sinks.ParseVisitID(e.Session); ok && visit.Visitor == e.Visitor && visit.TP == tp {
		return binary.AppendUvarint(append(b, listedVisit), uint64(visit.Position))
	}
	switch id, uuid, ok := sinks.BinaryID(e.Session); {
	case ok && uuid:
		return append(append(b, listedUUID), id[:]...)
	case ok:
		return append(append(b, listedHex), id[:]...)
	}
	b = binary.AppendUvarint(b, listedText+uint64(len(e.Session)))
	return append(b, e.Session...)
}

var errListed = errors.New("not a list of sessions")

// DecodeListed reads what AppendListed encoded. It refuses bytes that AppendListed does not make.
func DecodeListed(b []byte, hour int64, tp sinks.TP) ([]ListedSession, error) {
	if len(b) < 2 || b[0] != listedVersion {
		return nil, fmt.Errorf("%w: version byte missing or unknown in %x", errListed, b[:min(len(b), 1)])
	}
	r := varints{b: b[1:]}
	var entries []ListedSession
	for len(r.b) > 0 && !r.bad {
		entries = append(entries, r.listedSession(hour, tp))
	}
	if r.bad || !slices.IsSortedFunc(entries, ListedSession.Compare) || !bytes.Equal(AppendListed(nil, entries, hour, tp), b) {
		return nil, fmt.Errorf("%w: %.32x", errListed, b)
	}
	return entries, nil
}

// listedSession reads an entry.
func (r *varints) listedSession(hour int64, tp sinks.TP) (e ListedSession) {
	head := r.bytes(8+3, 8+3)
	if r.bad {
		return e
	}
	e.Visitor = binary.BigEndian.Uint64([]byte(head[:8]))
	ms := int64(head[8])<<16 | int64(head[9])<<8 | int64(head[10])
	e.OpenedAt = hour + ms
	r.bad = ms >= event.HourMs
	switch n := r.unsigned(); n {
	case listedUUID, listedHex:
		if id := r.bytes(idBytes, idBytes); !r.bad {
			e.Session = sinks.SpellID([idBytes]byte([]byte(id)), n == listedUUID)
		}
	case listedVisit:
		e.Session = sinks.VisitID{Visitor: e.Visitor, TP: tp, Position: int64(r.unsigned())}.String()
	default:
		e.Session = r.bytes(n-listedText, maxListedBytes)
	}
	return e
}
