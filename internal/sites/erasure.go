package sites

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Erasure is a revision that erases a person's data at its site: all events of the person up to an instant of event time, from
// every partition, topic and offset, however late and however often they come. Later events count as usual. An erasure depends on
// the record alone, so redone flushes, replays and copies of the topic have the same result.
type Erasure struct {
	Person Person     `json:"person"`
	Hash   PersonHash `json:"hash"`
	Until  int64      `json:"until"` // event time, ms since the epoch, inclusive

	// Breakdowns is the visitor's hash in sketches if rows of breakdowns that only this visitor made are dropped as well; nil:
	// breakdowns stay as they are.
	Breakdowns *uint64 `json:"breakdowns,omitempty"`
}

func (e *Erasure) String() string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // Texts and numbers marshal.
	}
	return string(b)
}

func parseErasure(text string) (*Erasure, error) {
	e := new(Erasure)
	if err := json.Unmarshal([]byte(text), e); err != nil {
		return nil, fmt.Errorf("erasure %q: %w", text, err)
	}
	if !slices.Contains(Persons, e.Person) {
		return nil, fmt.Errorf("erasure of a %q: it is neither of a visitor nor of a user", e.Person)
	}
	return e, nil
}

// Tombstone is an erasure of one person: its revision, and up to which event time it holds.
type Tombstone struct {
	Rev   int64
	Until int64 // ms since the epoch, inclusive

	breakdowns *uint64 // the visitor's hash in sketches; nil: breakdowns are not included
}

type person struct {
	kind Person
	hash PersonHash
}

// tombstones are all erasures of a site, by revision, the least first. They are not changed once they are part of a Log.
type tombstones map[person][]Tombstone

// Erased are the erasures of one site as of a revision. The zero value has none.
type Erased struct {
	all tombstones
	rev int64
}

// None reports that there are no erasures. It is cheap, and saves the hashing of ids.
func (e Erased) None() bool { return len(e.all) == 0 }

// At returns the first erasure of the person that holds at an event time.
func (e Erased) At(kind Person, hash PersonHash, t int64) (Tombstone, bool) {
	for _, x := range e.all[person{kind, hash}] {
		if x.Rev <= e.rev && t <= x.Until {
			return x, true
		}
	}
	return Tombstone{}, false
}

// Until returns up to which event time the person is erased; 0: not at all.
func (e Erased) Until(kind Person, hash PersonHash) (until int64) {
	for _, x := range e.all[person{kind, hash}] {
		if x.Rev <= e.rev {
			until = max(until, x.Until)
		}
	}
	return until
}

// Latest returns up to which event time anyone is erased, in ms since the epoch; 0: there are no erasures.
func (e Erased) Latest() (until int64) {
	for _, list := range e.all {
		for _, x := range list {
			if x.Rev <= e.rev {
				until = max(until, x.Until)
			}
		}
	}
	return until
}

// Erased returns the erasures of a site.
func (v View) Erased(site string) Erased {
	if v.log == nil {
		return Erased{}
	}
	return Erased{v.log.erased[site], v.Rev}
}

// addErasures returns known with the erasures among changes. It copies what it changes, because other goroutines still read known.
func addErasures(known map[string]tombstones, changes []Revision) map[string]tombstones {
	fresh := make(map[string]tombstones)
	for _, c := range changes {
		if c.Erase == nil {
			continue
		}
		site := fresh[c.Site]
		if site == nil {
			if site = maps.Clone(known[c.Site]); site == nil {
				site = make(tombstones)
			}
			fresh[c.Site] = site
		}
		who := person{c.Erase.Person, c.Erase.Hash}
		site[who] = append(slices.Clip(site[who]), Tombstone{c.Rev, c.Erase.Until, c.Erase.Breakdowns})
	}
	if len(fresh) == 0 {
		return known
	}
	next := maps.Clone(known)
	if next == nil {
		return fresh
	}
	maps.Copy(next, fresh)
	return next
}
