package event

import (
	"encoding/binary"
	"slices"
)

// knownKey is a key of the schema as the last record spelled it, with its quotes, its colon and the white space around them: all bytes
// between the brace or comma before it and its value. The records of a producer have their keys in one order and spell them alike. To
// compare the key that is expected takes two words; to find out which key it is takes a search for its end and for its name.
type knownKey struct {
	words, masks [2]uint64 // the spelling, and the bytes of the words that it has
	size         int       // of the spelling, up to maxSpelled
	field        eventField
}

// begins reports whether the key begins a text whose first bytes are in x and y.
func (k *knownKey) begins(x, y uint64) bool {
	return (x^k.words[0])&k.masks[0]|(y^k.words[1])&k.masks[1] == 0
}

// maxSpelled is the longest spelling that is known. The longest key has 13 bytes with its quotes and colon.
const maxSpelled = 16

// maxAbsent is how many of the keys that are expected next may be absent. Each of them costs a comparison.
const maxAbsent = 3

// expected returns the field of the key that begins at b[i], where its value begins, and the place in d.keys of the key that is expected
// after it. value is -1 if the key is none of those that are expected from d.keys[next] on.
func (d *Decoder) expected(b []byte, i, next int) (f eventField, value, after int) {
	if len(b)-i <= maxSpelled {
		return fieldUnknown, -1, next
	}
	x, y := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+8:])
	for n := next; n < len(d.keys) && n <= next+maxAbsent; n++ {
		k := &d.keys[n]
		if k.begins(x, y) {
			return k.field, i + k.size, n + 1
		}
	}
	return fieldUnknown, -1, next
}

// learn keeps how a field's key is spelled, and returns the place in d.keys after it. A new key is inserted at next.
func (d *Decoder) learn(f eventField, spelled []byte, next int) int {
	if len(spelled) > maxSpelled {
		return next
	}
	at := slices.IndexFunc(d.keys, func(k knownKey) bool { return k.field == f })
	if at < 0 {
		at = next
		d.keys = slices.Insert(d.keys, at, knownKey{field: f})
	}
	d.keys[at].spell(spelled)
	return at + 1
}

func (k *knownKey) spell(spelled []byte) {
	var text, mask [maxSpelled]byte
	k.size = copy(text[:], spelled)
	for i := range spelled {
		mask[i] = 0xff
	}
	for i := range k.words {
		k.words[i], k.masks[i] = binary.LittleEndian.Uint64(text[8*i:]), binary.LittleEndian.Uint64(mask[8*i:])
	}
}
