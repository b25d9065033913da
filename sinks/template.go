package sinks

import (
	"slices"
	"strconv"
	"strings"
)

// Fields are what the variable segments of keys stand for. Which of them a key has is told by its [Template]; the
// others are zero.
type Fields struct {
	Site, Session, User, Visitor, Owner, Funnel, Topic, Goal, Token, Annotation string // ids as they came, not as segments spell them

	ULID   string // of a raw event, 26 characters
	Item   string // the keys of a damaged item, with a space between them
	Damage string // id of a damage, 16 hex digits
	Hash   string // of a visitor, 32 hex digits
	Lane   string
	TP     TP
	At     int64 // start of the bucket, or an instant; milliseconds since the epoch
	Step   int64
	Rev    int64  // of the rules of sites
	Number uint64 // of a goal
	Index  int
	Shard  int // the two digits of a shard that the key does not derive from an id
	Shards int // over how many shards the table spreads the sessions of a site

	Bucket VisitorBucket
}

// A Template is how the partition keys, or the sort keys, of a type of item are spelled: literals and {placeholders},
// joined by "#". It is made by running the very method of [Keys] that writers call, so it cannot say anything else.
type Template string

// templateOf makes the template of what spell spells.
func templateOf(spell func(Fields) string) Template {
	segments, other := strings.Split(spell(samples[0]), "#"), strings.Split(spell(samples[1]), "#")
	for i, s := range segments {
		if s == other[i] {
			continue
		}
		name := derived
		for _, p := range placeholders {
			if p.spell(samples[0]) == s {
				name = p.Name
			}
		}
		segments[i] = "{" + name + "}"
	}
	return Template(strings.Join(segments, "#"))
}

// perPartition makes the template of an attribute's name of which an item has one for each partition.
func perPartition(name func(TP) string) string {
	return strings.Replace(name(samples[0].TP), samples[0].TP.String(), tpPlaceholder, 1)
}

const tpPlaceholder = "{tp}"

// Begins returns the part of the template that spells the beginning of a key: a prefix, or a bound, which may end in
// "~". ok is false when the template spells no key that begins so.
func (t Template) Begins(text string) (part Template, ok bool) {
	bound, open := strings.CutSuffix(text, "~")
	segments, spelled := strings.Split(string(t), "#"), strings.Split(bound, "#")
	if len(spelled) > len(segments) {
		return "", false
	}
	for i, s := range spelled {
		switch p, variable := placeholder(segments[i]); {
		case i > 0 && i == len(spelled)-1 && s == "":
			segments[i] = "" // The prefix ends with the separator.
		case variable:
			if p.read(new(Fields), s) != nil {
				return "", false
			}
		case s != segments[i]:
			return "", false
		}
	}
	part = Template(strings.Join(segments[:len(spelled)], "#"))
	if open {
		part += "~"
	}
	return part, true
}

// A Match is what a key says, of the table or of an index.
type Match struct {
	Type   *ItemType
	Index  Index
	Keys   Keys // of the generation that the key belongs to
	Fields Fields
	Cut    []string // placeholders whose id is known up to where the key cuts it
}

// Find tells which type of item lies at a key, and reads the key; ok is false when no template spells it. Ids that the
// key shortens are taken from it, the item, which may be nil. sessionShards is the table's number of shards of sessions.
func Find(key Key, it Item, sessionShards int) (m Match, ok bool) {
	for i := range catalogue {
		if m, ok := FindEntry(&catalogue[i], Base, key, it, sessionShards); ok {
			return m, true
		}
	}
	return Match{}, false
}

// FindEntry reads the key that an item of the type has in an index, or in the table, as Find does; ok is false when the
// type's template does not spell it.
func FindEntry(t *ItemType, index Index, key Key, it Item, sessionShards int) (m Match, ok bool) {
	keys, pk := generation(key.PK)
	m = Match{Type: t, Index: index, Keys: keys, Fields: Fields{Shards: sessionShards}}
	tpk, tsk, ok := t.IndexTemplates(index)
	if !ok || !m.take(tpk, pk, it) || !m.take(tsk, key.SK, it) {
		return Match{}, false
	}
	return m, true
}

// generation splits the mark of a generation from a partition key.
func generation(pk string) (Keys, string) {
	first, rest, ok := strings.Cut(pk, "#")
	n, err := strconv.Atoi(strings.TrimPrefix(first, "G"))
	if k := (Keys{Generation: n}); ok && err == nil && k.pk(rest) == pk {
		return k, rest
	}
	return Keys{}, pk
}

// take reads one key of the match by its template.
func (m *Match) take(t Template, text string, it Item) bool {
	segments, spelled := strings.Split(string(t), "#"), strings.Split(text, "#")
	if len(segments) != len(spelled) {
		return false
	}
	for i, s := range spelled {
		p, variable := placeholder(segments[i])
		switch {
		case !variable && s != segments[i] || variable && p.read(&m.Fields, s) != nil:
			return false
		case variable && p.id != nil && strings.Contains(s, shortMark):
			if whole := it[p.attr].Str(); escape(whole) == s {
				*p.id(&m.Fields) = whole
			} else if !slices.Contains(m.Cut, p.Name) {
				m.Cut = append(m.Cut, p.Name)
			}
		}
	}
	return true
}

// Spelled returns the key that writers give the item; ok is false when an id is not known whole. It differs from a key that
// was found where no writer spells it so: an hour with its minutes, an item in another shard than its id's.
func (m Match) Spelled() (key Key, ok bool) {
	return m.Type.keyIn(m.Index)(m.Keys, m.Fields), len(m.Cut) == 0
}

// Facts returns what the key says, by placeholder, in the order of its segments; shards are left out.
func (m Match) Facts() []Placed {
	var facts []Placed
	pk, sk, _ := m.Type.IndexTemplates(m.Index)
	for _, segment := range strings.Split(string(pk)+"#"+string(sk), "#") {
		p, ok := placeholder(segment)
		if !ok || p.Name == derived || p.Name == tie {
			continue
		}
		text := p.spell(m.Fields)
		if p.id != nil {
			text = *p.id(&m.Fields)
		}
		facts = append(facts, Placed{p.Name, text, slices.Contains(m.Cut, p.Name)})
	}
	return facts
}

// Placed is what stands in the place of a placeholder.
type Placed struct {
	Name, Value string // the value of an id is decoded
	Cut         bool   // it is the beginning of a longer id
}
