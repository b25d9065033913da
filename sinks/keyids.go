package sinks

import (
	"strings"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// SpellsID reports whether the keys of items spell an id whole, so that the items need not repeat it: of one whose segment would pass
// 256 bytes they hold the beginning and a hash.
func SpellsID(id string) bool { return ids.Whole(id) }

// SessionIn returns the id of the session that the sort key of its item spells. It is "" where the key shortens it.
func SessionIn(sk string) string {
	rest, ok := strings.CutPrefix(sk, SessionPrefix)
	i := strings.LastIndexByte(rest, '#')
	if !ok || i < 0 {
		return ""
	}
	return wholeID(rest[:i])
}

// ListedIn returns the id of the user that the partition key of a list of sessions in GSI1 spells. It is "" where the key shortens it.
func ListedIn(pk string) string { return wholeID(pk[strings.LastIndexByte(pk, '#')+1:]) }

// wholeID returns the id that a segment spells; "" for one that shortens it, or spells none.
func wholeID(segment string) string {
	if strings.IndexByte(segment, '%') < 0 {
		return segment
	}
	id, cut, err := ids.Unescape(segment)
	if cut || err != nil {
		return ""
	}
	return id
}

// CompactID spells the id of a visitor in fewer bytes where it is a UUID or 32 lower-case hex digits: as keys do, in 24 characters. Any
// other id is spelled as it is, after a "%" if it begins with one.
func CompactID(id string) string { return ids.Compact(id) }

// AppendCompactID appends what CompactID returns.
func AppendCompactID(b []byte, id string) []byte { return ids.AppendCompact(b, id) }

// ExpandID returns the id that CompactID spelled.
func ExpandID(s string) string { return ids.Expand(s) }

// BinaryID returns the bytes of an id that is a UUID, or 32 hex digits, in lower case; ok is false for any other id.
func BinaryID(id string) (b [16]byte, uuid, ok bool) { return ids.Binary(id) }

// SpellID returns the id that BinaryID read.
func SpellID(b [16]byte, uuid bool) string { return ids.Spell(b, uuid) }
