package sinks

import "strings"

// SpellsID reports whether the keys of items spell an id whole, so that the items need not repeat it: of one whose segment would pass
// 256 bytes they hold the beginning and a hash.
func SpellsID(id string) bool {
	if 3*len(id) <= maxSegmentBytes {
		return true
	}
	n := len(id)
	for i := 0; i < len(id); i++ {
		if mustEscape(id[i]) {
			n += 2
		}
	}
	return n <= maxSegmentBytes
}

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
	id, cut, err := unescaped(segment)
	if cut || err != nil {
		return ""
	}
	return id
}

// CompactID spells the id of a visitor in fewer bytes where it is a UUID or 32 lower-case hex digits: as keys do, in 24 characters. Any
// other id is spelled as it is, after a "%" if it begins with one.
func CompactID(id string) string {
	var room [compactBytes + maxSegmentBytes]byte
	return string(AppendCompactID(room[:0], id))
}

// AppendCompactID appends what CompactID returns.
func AppendCompactID(b []byte, id string) []byte {
	if bytes, uuid, ok := BinaryID(id); ok {
		return appendCompact(b, bytes, uuid)
	}
	if strings.HasPrefix(id, "%") {
		b = append(b, '%')
	}
	return append(b, id...)
}

// ExpandID returns the id that CompactID spelled.
func ExpandID(s string) string {
	if compacted(s) {
		if id, err := expand(s); err == nil {
			return id
		}
	}
	if strings.HasPrefix(s, "%%") {
		return s[1:]
	}
	return s
}
