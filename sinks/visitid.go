package sinks

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A VisitID names a visit: a session that no producer named, found in a visitor's events without a sessionId. It stands
// where sessionIds stand. From it alone a reader finds the visit's shard, which is its visitor's.
type VisitID struct {
	Visitor  uint64 // VisitorHash of the visitorId
	TP       TP     // whose chain found the visit
	Position int64  // of the visit's first record, not negative
}

// visitPrefix is how visits' ids begin. The decoder takes no id of such a form from a producer.
const visitPrefix = "~visit-"

// VisitorHash is the hash of a visitorId by which shards are chosen: xxh64 with seed 0. It never changes.
func VisitorHash(visitor string) uint64 { return xxhash.Sum64String(visitor) }

// String spells the id: ~visit-, the hash in 16 hex digits, the partition and the position, as in
// ~visit-0a1b2c3d4e5f6071-1_17-4711.
func (v VisitID) String() string { return string(v.Append(nil)) }

// Append appends what String spells.
func (v VisitID) Append(b []byte) []byte {
	b = append(b, visitPrefix...)
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[v.Visitor>>shift&15])
	}
	b = append(b, '-')
	b = append(strconv.AppendInt(b, v.TP.Topic, 10), '_')
	b = append(strconv.AppendInt(b, int64(v.TP.Partition), 10), '-')
	return strconv.AppendInt(b, v.Position, 10)
}

// ParseVisitID reads what String spelled; ok is false for any other text.
func ParseVisitID(s string) (v VisitID, ok bool) {
	rest, ok := strings.CutPrefix(s, visitPrefix)
	if !ok {
		return VisitID{}, false
	}
	part := strings.Split(rest, "-")
	if len(part) != 3 {
		return VisitID{}, false
	}
	hash, err1 := strconv.ParseUint(part[0], 16, 64)
	tp, err2 := ParseTP(part[1])
	position, err3 := strconv.ParseInt(part[2], 10, 64)
	v = VisitID{hash, tp, position}
	if err1 != nil || err2 != nil || err3 != nil || v.String() != s {
		return VisitID{}, false
	}
	return v, true
}

// IsVisitID reports whether an id is one of a visit. It does not allocate for others.
func IsVisitID(id []byte) bool {
	if len(id) < len(visitPrefix) || string(id[:len(visitPrefix)]) != visitPrefix {
		return false
	}
	_, ok := ParseVisitID(string(id))
	return ok
}
