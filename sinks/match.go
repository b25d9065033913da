package sinks

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks/internal/ids"
)

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

// ListedSite returns the site of an entry of the list of sites. It takes the site from the key if the entry lacks the attribute, and is
// empty if the key cuts the siteId.
func ListedSite(entry Item) string {
	if id := entry[AttrSiteID].Str(); id != "" {
		return id
	}
	if m, ok := Find(entry.Key(), entry, DefaultShards); ok && m.Type.Entity == EntitySiteEntry {
		return m.Fields.Site
	}
	return ""
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
		case variable && p.id != nil && strings.Contains(s, ids.ShortMark):
			if whole := it[p.attr].Str(); ids.Escape(whole) == s {
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
