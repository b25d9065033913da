package wire

import "bytes"

// fewKeys is up to how many keys of a map are compared with each other, without a set.
const fewKeys = 16

// keys finds keys that a map has twice. It has those of all maps that are being read, the innermost last.
type keys struct {
	list [][]byte
}

// mapKeys are the keys of one map.
type mapKeys struct {
	first int             // in the list
	many  map[string]bool // all of them, once they are more than a few
}

func (k *keys) open() mapKeys { return mapKeys{first: len(k.list)} }

func (k *keys) close(m mapKeys) {
	clear(k.list[m.first:]) // They hold on to memory of the caller.
	k.list = k.list[:m.first]
}

// add is false if the map has the key already.
func (k *keys) add(m *mapKeys, key []byte) bool {
	if m.many != nil {
		if m.many[string(key)] {
			return false
		}
		m.many[string(key)] = true
		return true
	}
	for _, other := range k.list[m.first:] {
		if bytes.Equal(other, key) {
			return false
		}
	}
	k.list = append(k.list, key)
	if len(k.list)-m.first > fewKeys {
		m.many = make(map[string]bool)
		for _, key := range k.list[m.first:] {
			m.many[string(key)] = true
		}
	}
	return true
}
