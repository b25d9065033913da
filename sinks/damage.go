package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DamagedError reports an item that cannot be read as what it should be. It names the item and what an operator can do.
type DamagedError struct {
	Key  Key
	Attr string // the attribute; "": the item as a whole
	Err  error  // what is wrong with it
}

// ErrUndecodable reports an item that the store cannot decode at all. It cannot be quarantined, since nothing of it can be read.
var ErrUndecodable = errors.New("restore the table from a backup; or delete the row from the table, which loses what it held, repeat " +
	"`footfall table quarantine` to continue partitions that are parked because of it, and run `footfall verify`")

func (e *DamagedError) Error() string {
	what := ""
	if e.Attr != "" {
		what = "attribute " + e.Attr + ": "
	}
	if errors.Is(e.Err, ErrUndecodable) {
		return fmt.Sprintf("item %s / %s is damaged: %s%v", e.Key.PK, e.Key.SK, what, e.Err)
	}
	return fmt.Sprintf("item %s / %s is damaged: %s%v: quarantine it with `footfall table quarantine %s %s`",
		e.Key.PK, e.Key.SK, what, e.Err, ShellWord(e.Key.PK), ShellWord(e.Key.SK))
}

func (e *DamagedError) Unwrap() error { return e.Err }

// ShellWord quotes a part of a key for a shell.
func ShellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Damaged makes a DamagedError of an attribute of an item. It returns nil for a nil error.
func Damaged(key Key, attr string, err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{Key: key, Attr: attr, Err: err}
}

// entityKinds are the kinds of the attributes of an entity's items. They are looked at whenever a state is read.
type entityKinds struct {
	byName map[string]Kind // names and templates of names, but for those with a partition
	each   []partitionKind
}

// partitionKind is an attribute that each partition has of an item.
type partitionKind struct {
	prefix, suffix string
	kind           Kind
}

var kinds = func() map[string]*entityKinds {
	all := make(map[string]*entityKinds)
	for i := range catalogue {
		t := &catalogue[i]
		of := all[t.Entity]
		if of == nil {
			of = &entityKinds{byName: make(map[string]Kind)}
			all[t.Entity] = of
		}
		for _, a := range slices.Concat(t.Attributes, t.Common()) {
			if prefix, suffix, each := strings.Cut(a.Name, tpPlaceholder); each {
				if k := (partitionKind{prefix, suffix, a.Kind}); !slices.Contains(of.each, k) {
					of.each = append(of.each, k)
				}
			} else if a.Name != wasAttribute {
				of.byName[a.Name] = a.Kind
			}
		}
	}
	return all
}()

// of returns the kind of an attribute and its partition; shared is true if all partitions share it. ok is false if items of the
// entity have no such attribute.
func (e *entityKinds) of(name string) (kind Kind, tp TP, shared, ok bool) {
	if e == nil {
		return 0, TP{}, false, false
	}
	if kind, ok = e.byName[name]; ok {
		return kind, TP{}, true, true
	}
	for _, a := range e.each {
		if len(name) <= len(a.prefix)+len(a.suffix) || !strings.HasPrefix(name, a.prefix) || !strings.HasSuffix(name, a.suffix) {
			continue
		}
		if tp, err := ParseTP(name[len(a.prefix) : len(name)-len(a.suffix)]); err == nil && a.prefix+tp.String()+a.suffix == name {
			return a.kind, tp, false, true
		}
	}
	kind, ok = e.byName[goalTemplate(name)]
	return kind, TP{}, true, ok
}

// WrongKinds returns the attributes of an item whose kind is not the one that the entity has them with, in the order of their names.
// Attributes that the entity does not have are left out.
func WrongKinds(entity string, it Item) (wrong []string) {
	e := kinds[entity]
	for name, v := range it {
		if kind, _, _, ok := e.of(name); ok && v.Kind() != kind {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// ErrMissing reports an attribute that an item needs and does not have.
var ErrMissing = errors.New("it is missing")

// ErrKind reports an attribute of another type than footfall writes.
var ErrKind = errors.New("it is of another type than footfall writes")

// CheckKinds returns a DamagedError if an attribute of an item has another kind than the item's entity has it with. Read as the right
// kind, it would be zero.
func CheckKinds(it Item) error {
	if wrong := WrongKinds(it[AttrEntity].Str(), it); len(wrong) > 0 {
		return Damaged(it.Key(), wrong[0], ErrKind)
	}
	return nil
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

// PartitionOf returns the partition that an attribute of an entity's items belongs to; ok is false if partitions share it.
func PartitionOf(entity, name string) (tp TP, ok bool) {
	_, tp, shared, ok := kinds[entity].of(name)
	return tp, ok && !shared
}

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

// Attributes of lost spans.
const (
	AttrOfPK          = "ofPk"
	AttrOfSK          = "ofSk"
	AttrOfKind        = "ofKind"
	AttrLostAttrs     = "attrs"
	AttrLostTo        = "t"
	AttrLostStep      = "k"
	AttrQuarantinedAt = "at"
	AttrQuarantinedBy = "by"
)

// DamagedDays is how long the copy of a damaged item is kept. The copy may hold personal data, and no erasure finds it.
const DamagedDays = 30

// wasPrefix begins the names under which a copy has the attributes of the damaged item.
const (
	wasPrefix    = "was."
	wasAttribute = wasPrefix + "{attribute}"
)

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
