package state

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sketch"
)

// aliasPrefix begins an alias, which replaces the id of an erased visitor.
const aliasPrefix = "~erased-"

// Alias replaces the id of an erased visitor in the keys of the visits and of their state.
func Alias(hash sites.PersonHash) string { return aliasPrefix + hash.String() }

// personTags keep visitors and users apart in their hashes.
var personTags = map[sites.Person]byte{sites.Visitor: 'V', sites.User: 'U'}

// HashPerson returns the hash that identifies a person in a tombstone.
func HashPerson(h sketch.Hasher, kind sites.Person, site, id []byte) sites.PersonHash {
	return h.Person(personTags[kind], site, id)
}
