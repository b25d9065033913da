package sinks

import (
	"slices"
	"strings"
	"time"
)

// An ItemType is a type of item of the table: how its keys are spelled, which attributes it has, who writes them and how,
// when it expires. [Catalogue] lists all of them; the schema document, the access patterns and what `query explain` says
// come from there, and a test holds it against what the pipeline writes.
type ItemType struct {
	Name   string // for people, as in "hour stats"; unique
	Entity string // the value of AttrEntity; stats of hours and days share one
	About  string // a sentence or two
	Writer string // who writes it, and when

	Key  func(Keys, Fields) Key // of the table
	GSI1 func(Keys, Fields) Key // the item's place in the index; nil: it is not there

	Marked     string // the lane whose applied marks the item carries; "": none
	Merged     bool   // an erasure merges flushes into the item, and then writes the mark as well
	Attributes []Attribute
	Expiry     Expiry
	Size       Extent
}

// An Attribute is an attribute of a type of item, beside those that every item has.
type Attribute struct {
	Name  string // where an item has one for each partition or goal, a template as in h{tp} or g{n}
	Kind  Kind
	Unit  Unit
	How   []How // how it is written; more than one: each of them
	About string
}

// Unit says what an attribute's value is, for people and for those who decode it.
type Unit string

// The units.
const (
	UnitText         Unit = "text"
	UnitSchemaText   Unit = "schema"
	UnitID           Unit = "id"
	UnitCount        Unit = "count"
	UnitNumber       Unit = "number"
	UnitYesNo        Unit = "0 or 1"
	UnitMillis       Unit = "ms since the epoch"
	UnitSeconds      Unit = "s since the epoch"
	UnitMilliseconds Unit = "ms"
	UnitMicros       Unit = "millionths"
	UnitDays         Unit = "days, -1 for ever"
	UnitDecimal      Unit = "decimal"
	UnitPosition     Unit = "position"
	UnitOffset       Unit = "offset"
	UnitStep         Unit = "flush"
	UnitJSON         Unit = "JSON"
	UnitSettingsJSON Unit = "JSON of settings"
	UnitTotalsJSON   Unit = "JSON of totals"
	UnitGapJSON      Unit = "JSON of a gap"
	UnitForgotJSON   Unit = "JSON of skipped offsets"
	UnitParkJSON     Unit = "JSON of a park"
	UnitRulesJSON    Unit = "JSON of rules"
	UnitGoalJSON     Unit = "JSON of a goal"
	UnitStepsJSON    Unit = "JSON of a funnel's steps"
	UnitHourSketch   Unit = "sketch, p = 14"
	UnitMinuteSketch Unit = "sketch, p = 10"
	UnitTopState     Unit = "top-k state"
	UnitBreakdown    Unit = "breakdown, packed"
	UnitLate         Unit = "journal entry"
	UnitPack         Unit = "raw events, packed"
	UnitPackIDs      Unit = "hashes of ids"
	UnitLimitsJSON   Unit = "JSON of limits"
	UnitSealedDays   Unit = "sealed days"
	UnitSessionBytes Unit = "state of a session"
	UnitVisits       Unit = "visits of a visitor"
	UnitListed       Unit = "sessions of visitors"
	UnitCompactID    Unit = "id, compact"
	UnitSecret       Unit = "secret" // never shown
)

// How says how an attribute is written.
type How string

// The ways of writing.
const (
	PutOnce        How = "put once, if absent"
	PutNewer       How = "put, if newer"
	PutVersion     How = "put, if of the version that was read"
	PutWhole       How = "put"
	BatchWritten   How = "batch put"
	GuardedAdd     How = "guarded ADD" // under the applied mark
	GuardedSet     How = "guarded SET"
	CompareAndSet  How = "compare-and-set"               // SET while what was read still holds
	CompareAndAdd  How = "ADD, compared"                 // ADD while what was read still holds
	PutSealed      How = "put, if none was sealed since" // of later marks
	SetNewer       How = "SET, if newer"
	SetQuarantined How = "SET, if what is damaged is unchanged" // when a damaged item is quarantined
	PlainAdd       How = "ADD"                                  // without a condition on what it changes
	PlainSet       How = "SET"
)

// Expiry says when items of a type expire: so many days, or so long, after an instant.
type Expiry struct {
	From  string                   // the instant in words; "": they never expire
	After func(Item, Fields) int64 // the instant of an item, milliseconds since the epoch; nil: a state in the item has it
	Days  string                   // the name, in the rules of the site and in the settings, of how many days it is; "": Fixed holds
	More  string                   // the name of days that are added to them; "": none
	Fixed time.Duration
}

// Extent says how many bytes items of a type are, by [Item.Size].
type Extent struct {
	Typical int
	Most    int    // about; 0: bounded by MaxItemBytes alone
	Grows   string // with what; "": with nothing
}

// keyIn returns what spells the keys in an index; nil when the items are not in it.
func (t *ItemType) keyIn(index Index) func(Keys, Fields) Key {
	if index == GSI1 {
		return t.GSI1
	}
	return t.Key
}

// Common returns the attributes that items of the type have beside their own: first those that every item has, the key, the
// entity type and the schema version; then, where they apply, the keys in GSI1, the applied marks and the time to live.
// Where How is nil they are written with the item. The zero ItemType has only the first.
func (t *ItemType) Common() []Attribute {
	all := []Attribute{
		{Name: AttrPK, Kind: String, Unit: UnitText, About: "partition key"},
		{Name: AttrSK, Kind: String, Unit: UnitText, About: "sort key"},
		{Name: AttrEntity, Kind: String, Unit: UnitText, About: "type of the item"},
		{Name: AttrSchema, Kind: Number, Unit: UnitNumber, About: "version of the schema"},
	}
	if t.GSI1 != nil {
		all = append(all, Attribute{Name: AttrGSI1PK, Kind: String, Unit: UnitText, About: "partition key in GSI1"},
			Attribute{Name: AttrGSI1SK, Kind: String, Unit: UnitText, About: "sort key in GSI1"})
	}
	if t.Marked != "" {
		mark := perPartition(func(tp TP) string { return AttrMark(t.Marked, tp) })
		how := []How{GuardedSet}
		if t.Merged {
			how = append(how, CompareAndSet)
		}
		all = append(all, Attribute{Name: mark, Kind: Number, Unit: UnitStep, How: how,
			About: "applied mark: the last flush of the partition's " + t.Marked + " lane that is folded into the item"})
	}
	if t.Expiry.From != "" {
		all = append(all, Attribute{Name: AttrTTL, Kind: Number, Unit: UnitSeconds, About: "when the item expires; absent: never"})
	}
	return all
}

// Attribute returns the attribute of that name, and for a name made of a partition the partition; ok is false when items of
// the type have none of that name.
func (t *ItemType) Attribute(name string) (a Attribute, tp TP, ok bool) {
	if t.Entity == EntityDamaged && strings.HasPrefix(name, wasPrefix) {
		return Attribute{Name: wasAttribute, Unit: UnitText}, TP{}, true
	}
	for _, a := range slices.Concat(t.Attributes, t.Common()) {
		prefix, suffix, each := strings.Cut(a.Name, tpPlaceholder)
		if !each && (a.Name == name || a.Name == sumTemplate(name)) {
			return a, TP{}, true
		}
		if !each || len(name) < len(prefix)+len(suffix) || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
			continue
		}
		tp, err := ParseTP(name[len(prefix) : len(name)-len(suffix)])
		if err == nil && prefix+tp.String()+suffix == name {
			return a, tp, true
		}
	}
	return Attribute{}, TP{}, false
}
