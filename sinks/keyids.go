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

// ListedIn returns the id of the user, or of the visitor, that the partition key of a list of sessions in an index spells. It is "" where
// the key shortens it.
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
