package sites

import (
	"encoding/hex"
	"fmt"

	"github.com/footfall/footfall/sketch"
)

// Person says which of an event's ids identifies a person.
type Person string

// The two ids of a person.
const (
	Visitor Person = "visitor" // visitorId
	User    Person = "user"    // userId
)

// Persons are both.
var Persons = []Person{Visitor, User}

// personTags keep visitors and users apart in their hashes.
var personTags = map[Person]byte{Visitor: 'V', User: 'U'}

// HashPerson returns the hash that identifies a person in a tombstone.
func HashPerson(h sketch.Hasher, kind Person, site, id []byte) PersonHash {
	return h.Person(personTags[kind], site, id)
}

// HashVisitor returns the hash under which a table keeps the arrival of an event's visitor: of tag and id, as event.Event.Visitor returns
// them, at one site. An erased visitor has another hash: that of the alias.
func HashVisitor(h sketch.Hasher, site []byte, tag byte, id []byte) PersonHash {
	if tag == 'v' {
		return HashPerson(h, Visitor, site, id)
	}
	return h.Person(tag, site, id)
}

// HashErased returns the hash under which a table keeps the arrival of an erased visitor.
func HashErased(h sketch.Hasher, site []byte, of PersonHash) PersonHash {
	return h.Person('e', site, of[:])
}

// PersonHash stands for a person's id at a site: the keyed hash of sketch.Hasher.Person. It is all that is kept of the id.
type PersonHash [16]byte

// String spells the hash in hex.
func (h PersonHash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText spells the hash in hex.
func (h PersonHash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText spelled.
func (h *PersonHash) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != len(h) {
		return fmt.Errorf("%q is not the hash of a person: %d hex digits", text, 2*len(h))
	}
	copy(h[:], b)
	return nil
}

// aliasPrefix begins an alias.
const aliasPrefix = "~erased-"

// Alias returns what replaces the id of an erased visitor in the keys of its visits and of their state.
func (h PersonHash) Alias() string { return aliasPrefix + h.String() }
