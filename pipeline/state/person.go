package state

import (
	"github.com/footfall/footfall/internal/rules"
	"github.com/footfall/footfall/sketch"
)

// aliasPrefix begins an alias, which replaces the id of an erased visitor.
const aliasPrefix = "~erased-"

// Alias replaces the id of an erased visitor in the keys of the visits and of their state.
func Alias(hash rules.PersonHash) string { return aliasPrefix + hash.String() }

// personTags keep visitors and users apart in their hashes.
var personTags = map[rules.Person]byte{rules.Visitor: 'V', rules.User: 'U'}

// HashPerson returns the hash that identifies a person in a tombstone.
func HashPerson(h sketch.Hasher, kind rules.Person, site, id []byte) rules.PersonHash {
	return h.Person(personTags[kind], site, id)
}
