package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A LostSpan is the result of a quarantine: what a chain had folded into a damaged item up to a position is lost. It is part of the
// chain's history.
type LostSpan struct {
	Key   Key      // of the item
	Kind  string   // its entity
	Site  string   // the site that it is of; "": none
	Attrs []string // that could not be read
	TP    TP
	Lane  string
	To    int64  // position up to which what was folded is lost, exclusive
	Step  int64  // the last step that the item may have had
	At    int64  // when the item was quarantined, ms since the epoch
	By    string // the owner or the command that quarantined it, for people
	ID    string // of the copy: 16 hex digits, which follow from the damage and from To
}

// LostID returns the id of a damage. It is a hash of the item's key, of the unreadable attributes and the applied mark, and of the end of
// the lost span. A second quarantine of the same damage finds the same id.
func LostID(it Item, key Key, attrs []string, to int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %d", key.PK, key.SK, to)
	for _, name := range slices.Sorted(slices.Values(attrs)) {
		fmt.Fprintf(h, " %q %s", name, it[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Item makes the item of the span.
func (l *LostSpan) Item(k Keys) Item {
	key := k.Lost(l.TP, l.Lane, l.ID)
	return Item{AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntityLost), AttrSchema: Int(SchemaVersion),
		AttrSiteID: Str(l.Site), AttrOfPK: Str(l.Key.PK), AttrOfSK: Str(l.Key.SK), AttrOfKind: Str(l.Kind), AttrLostAttrs: Strings(l.Attrs),
		AttrLostTo: Int(l.To), AttrLostStep: Int(l.Step), AttrQuarantinedAt: Int(l.At), AttrQuarantinedBy: Str(l.By)}
}

// ReadLostSpan reads what LostSpan.Item made. It takes the chain and the id from the key.
func ReadLostSpan(it Item) (LostSpan, error) {
	m, ok := Find(it.Key(), it, DefaultShards)
	if !ok || m.Type.Entity != EntityLost {
		return LostSpan{}, fmt.Errorf("item %v: not the key of a lost span", it.Key())
	}
	return LostSpan{Key: Key{it[AttrOfPK].Str(), it[AttrOfSK].Str()}, Kind: it[AttrOfKind].Str(), Site: it[AttrSiteID].Str(),
		Attrs: it[AttrLostAttrs].Strings(),
		TP:    m.Fields.TP, Lane: m.Fields.Lane, To: it[AttrLostTo].Int(), Step: it[AttrLostStep].Int(), At: it[AttrQuarantinedAt].Int(),
		By: it[AttrQuarantinedBy].Str(), ID: m.Fields.Damage}, nil
}

// DamagedCopy makes the copy of a damaged item. It has the item's attributes, key included, under names that begin with "was.". So the
// copy is in no index and has its own time to live.
func DamagedCopy(k Keys, it Item, id string, at int64) Item {
	key := k.Damaged(it.Key(), id)
	dup := Item{AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntityDamaged), AttrSchema: Int(SchemaVersion),
		AttrQuarantinedAt: Int(at), AttrTTL: Int(at/1000 + DamagedDays*86_400)}
	for name, v := range it {
		dup[wasPrefix+name] = v
	}
	return dup
}

// DamagedOriginal returns the item that a copy was made of.
func DamagedOriginal(dup Item) Item {
	it := make(Item)
	for name, v := range maps.All(dup) {
		if was, ok := strings.CutPrefix(name, wasPrefix); ok {
			it[was] = v
		}
	}
	return it
}
