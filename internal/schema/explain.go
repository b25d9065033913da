package schema

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Explain says what an item means, whoever wrote it. ruled are the rules of the item's site, see [SiteOf], by which its hours
// and days are cut; nil: UTC's. sessionShards is the table's number of shards of sessions; now tells whether the item has
// expired. It writes nothing, reads nothing and refuses nothing: what it does not know it says so.
func Explain(it sinks.Item, ruled *sites.Rules, sessionShards int, now time.Time) Explanation {
	key := it.Key()
	x := &explainer{item: it, ruled: ruled, now: now}
	x.PK, x.SK, x.Entity, x.Generation = key.PK, key.SK, it[sinks.AttrEntity].Str(), 1
	x.Key, x.Marks, x.Attributes, x.Notes = []Fact{}, []Mark{}, []Fact{}, []string{}
	x.Bytes = it.Size()
	x.WriteUnits = consumed.WriteUnits(x.Bytes)
	x.IndexUnits = consumed.IndexUnits(key, sinks.Key{}, consumed.IndexKeyOf(it)) // as its entry in the index comes
	x.place(key, sessionShards)
	x.expiry()
	for _, name := range slices.Sorted(maps.Keys(it)) {
		x.attribute(name, it[name])
	}
	return x.Explanation
}

// SiteOf returns the site whose item lies at a key; "": it is of none, or nobody can tell of which.
func SiteOf(it sinks.Item, sessionShards int) string {
	m, ok := sinks.Find(it.Key(), it, sessionShards)
	if !ok || slices.Contains(m.Cut, "site") {
		return ""
	}
	return m.Fields.Site
}

// ExplainText explains an item that ParseItem reads. The rules of its site are not known here: its hours and days are taken
// for UTC's, and a note says so.
func ExplainText(in io.Reader, sessionShards int, now time.Time) (Explanation, error) {
	it, foreign, err := ParseItem(in)
	if err != nil {
		return Explanation{}, err
	}
	x := Explain(it, nil, sessionShards, now)
	if slices.ContainsFunc(x.Key, func(f Fact) bool { return f.Name == "hour" || f.Name == "day" || f.Name == "month" }) {
		x.Notes = append(x.Notes, "The zone of its site is not known here: its span assumes UTC.")
	}
	for _, name := range foreign {
		x.Notes = append(x.Notes, fmt.Sprintf("Attribute %q is of a type that footfall never writes, and left out.", name))
	}
	return x, nil
}

// ExplainKey says what lies at a key, in words, if anything does.
func ExplainKey(key sinks.Key, sessionShards int) string {
	m, ok := sinks.Find(key, nil, sessionShards)
	if !ok {
		return "footfall writes no item under such a key"
	}
	text := "it would be of the type " + m.Type.Name
	for _, p := range m.Facts() {
		text += fmt.Sprintf(", %s %q", p.Name, p.Value)
	}
	if spelled, whole := m.Spelled(); whole && spelled != key {
		text += fmt.Sprintf("; footfall writes that to %q / %q", spelled.PK, spelled.SK)
	}
	return text
}

// explainer makes one explanation.
type explainer struct {
	Explanation
	item  sinks.Item
	match sinks.Match
	known *sinks.ItemType // nil: neither the key nor the entity type says which
	ruled *sites.Rules    // of the item's site; nil: its hours and days are UTC's
	now   time.Time
}

func (x *explainer) note(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// place finds out which type of item it is, and what its key says.
func (x *explainer) place(key sinks.Key, sessionShards int) {
	m, ok := sinks.Find(key, x.item, sessionShards)
	if !ok {
		x.note("No template of footfall spells this key.")
		if t, ok := sinks.EntityType(x.Entity); ok {
			pk, sk := t.Templates()
			x.known, x.Item, x.About = &t, t.Name, t.About
			x.note("Its entity type is that of the type %s, which lies at %s / %s.", t.Name, pk, sk)
		} else if x.Entity != "" {
			x.note("Its entity type %q is none of this footfall: a later release may have written it.", x.Entity)
		}
		return
	}
	x.match, x.known, x.Item, x.About = m, m.Type, m.Type.Name, m.Type.About
	x.Generation = max(1, m.Keys.Generation)
	if x.Entity == "" {
		x.Entity = m.Type.Entity
		x.note("It has no entity type (%s): footfall has not written it whole.", sinks.AttrEntity)
	} else if x.Entity != m.Type.Entity {
		x.note("Its entity type is %s, and what footfall writes to such a key is %s.", x.Entity, m.Type.Entity)
	}
	if v := x.item[sinks.AttrSchema]; v.Kind() == sinks.Number && v.Int() != sinks.SchemaVersion {
		x.note("Its schema version is %s, this footfall knows %d.", v, sinks.SchemaVersion)
	}
	for _, p := range m.Facts() {
		f := Fact{Name: p.Name, Value: p.Value, Meaning: x.placed(p, m.Fields)}
		x.Key = append(x.Key, f)
	}
	if spelled, whole := m.Spelled(); whole && spelled != key {
		x.note("No writer spells its key so: footfall writes that to %s / %s.", spelled.PK, spelled.SK)
	}
}

// placed says what a part of the key means; "" when it speaks for itself.
func (x *explainer) placed(p sinks.Placed, f sinks.Fields) string {
	if p.Cut {
		return p.Value + "... (shortened; the item does not say the rest)"
	}
	switch p.Name {
	case "tp":
		return partition(f.TP)
	case "instant":
		return time.UnixMilli(f.At).UTC().Format("2006-01-02T15:04:05.000Z")
	case "ulid":
		if id, err := ulid.ParseStrict(p.Value); err == nil {
			return p.Value + ", of " + id.Timestamp().UTC().Format(time.RFC3339Nano)
		}
	}
	var from, to int64
	switch p.Name {
	case "minute":
		from, to = f.At, f.At+time.Minute.Milliseconds()
	case "hour": // It ends early where clocks are set.
		from = f.At
		_, to = x.ruled.Zone(from).Hour(from)
	case "day":
		from, to = x.ruled.DaySpan(f.At)
	case "month":
		from = x.ruled.Begin(f.At)
		_, to = x.ruled.DaySpan(sinks.LastDay(f.At))
	default:
		return ""
	}
	return fmt.Sprintf("[%s, %s)", time.UnixMilli(from).UTC().Format(time.RFC3339), time.UnixMilli(to).UTC().Format(time.RFC3339))
}

// lastSecond is the last that RFC 3339 spells: 9999-12-31T23:59:59Z.
const lastSecond = 253_402_300_799

// expiry says when the item expires, as far as years have four digits, and whether items of its type do.
func (x *explainer) expiry() {
	ttl := x.item[sinks.AttrTTL]
	if ttl.Kind() != sinks.Number {
		return
	}
	at := time.Unix(min(max(ttl.Int(), 0), lastSecond), 0).UTC()
	x.ExpiresAt, x.Expired = &at, x.item.Expired(x.now.Unix())
	if x.match.Type != nil && x.match.Type.Expiry.From == "" {
		x.note("Items of this type never expire, and this one does.")
	}
}

// attribute explains one attribute.
func (x *explainer) attribute(name string, v sinks.Value) {
	f := Fact{Name: name, Type: typeName(v.Kind()), Value: spell(v)}
	known := x.known
	if known == nil {
		known = &sinks.ItemType{Expiry: sinks.Expiry{From: "an instant that its type says"}}
	}
	a, tp, ok := known.Attribute(name)
	f.About = a.About
	switch {
	case !ok && x.known == nil:
	case !ok:
		x.note("Items of this type have no attribute %q.", name)
	case a.Unit == sinks.UnitSecret:
		f.Value = nil
	case a.Kind != v.Kind() && a.Kind != sinks.None:
		x.note("Attribute %q is of type %s, and footfall writes %s.", name, typeName(v.Kind()), typeName(a.Kind))
	default:
		f.Meaning = x.meaning(name, a, tp, v)
	}
	if ok && a.Kind == v.Kind() && known.Marked != "" && name == sinks.AttrMark(known.Marked, tp) {
		x.Marks = append(x.Marks, Mark{Lane: known.Marked, Topic: tp.Topic, Partition: tp.Partition, Step: v.Int()})
	}
	x.Attributes = append(x.Attributes, f)
}

// meaning says what an attribute's value means; "" when it speaks for itself.
func (x *explainer) meaning(name string, a sinks.Attribute, tp sinks.TP, v sinks.Value) string {
	var parts []string
	if n, _, ok := sinks.GoalSum(name); ok && a.Name != name { // It has one for each goal.
		parts = append(parts, fmt.Sprintf("goal %d", n))
	} else if a.Name != name { // It has one for each partition.
		parts = append(parts, partition(tp))
	}
	if decode, ok := units[a.Unit]; ok {
		text, err := decode(v, x.item)
		if err != nil {
			x.note("Attribute %q cannot be read: %v.", name, err)
			text = "cannot be read"
		}
		parts = append(parts, text)
	}
	if text := x.listed(name); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ": ")
}

// listed says under what an index lists the item, where the attribute is the index's partition key; else "".
func (x *explainer) listed(name string) string {
	for index, names := range indexKeys {
		if names[0] != name || x.known == nil {
			continue
		}
		key := sinks.Key{PK: x.item[names[0]].Str(), SK: x.item[names[1]].Str()}
		m, ok := sinks.FindEntry(x.known, index, key, x.item, sinks.DefaultShards)
		if !ok {
			x.note("No template of footfall spells its key in an index, %s / %s.", key.PK, key.SK)
			return "not spelled as footfall does"
		}
		m.Fields.Session, m.Fields.TP = x.match.Fields.Session, x.match.Fields.TP
		if spelled, whole := m.Spelled(); whole && len(x.match.Cut) == 0 && spelled != key {
			x.note("No writer spells its key in an index so: footfall writes %s / %s.", spelled.PK, spelled.SK)
		}
		var says []string
		for _, p := range m.Facts() {
			text := p.Name + " " + cmp.Or(x.placed(p, m.Fields), p.Value)
			if !slices.Contains(says, text) {
				says = append(says, text)
			}
		}
		return "listed by " + strings.Join(says, ", ")
	}
	return ""
}

// indexKeys are the attributes that are the keys of each index.
var indexKeys = map[sinks.Index][2]string{
	sinks.GSI1: {sinks.AttrGSI1PK, sinks.AttrGSI1SK},
}

func partition(tp sinks.TP) string {
	return fmt.Sprintf("partition %d of topic %d", tp.Partition, tp.Topic)
}

// typeName is DynamoDB's name of a kind.
func typeName(k sinks.Kind) string {
	return map[sinks.Kind]string{sinks.None: "any", sinks.String: "S", sinks.Number: "N", sinks.Binary: "B", sinks.List: "L",
		sinks.Other: "other"}[k]
}

// spell spells a value so that it can be read back.
func spell(v sinks.Value) any {
	switch v.Kind() {
	case sinks.String:
		return v.Str()
	case sinks.Number:
		return v.Num().String()
	case sinks.Binary:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	case sinks.List:
		return append([]string{}, v.Strings()...)
	case sinks.Other:
		return v.String()
	}
	return nil
}
