package finding

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// Comparison compares one item, attribute by attribute.
type Comparison struct {
	Kind        string
	Key         sinks.Key
	Item        sinks.Item
	Known       map[string]bool // attributes that were compared, or need not be
	Differences []Difference
}

// CompareItem begins the comparison of an item that the table has.
func CompareItem(kind string, it sinks.Item) *Comparison {
	c := &Comparison{Kind: kind}
	c.Begin(it)
	return c
}

// Begin begins the comparison of another item.
func (c *Comparison) Begin(it sinks.Item) {
	c.Key, c.Item, c.Known = it.Key(), it, map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}
}

// Differ notes that an attribute differs: what the table has, and what the recount has.
func (c *Comparison) Differ(attr, table, recount string) {
	c.Differences = append(c.Differences, Difference{Kind: c.Kind, PK: c.Key.PK, SK: c.Key.SK, Attribute: attr, Table: table,
		Recount: recount})
}

// Ignore passes over attributes.
func (c *Comparison) Ignore(attrs ...string) {
	for _, attr := range attrs {
		c.Known[attr] = true
	}
}

// Number compares a number; an absent one is 0.
func (c *Comparison) Number(attr string, want int64) { c.Wide(attr, int128.From(want)) }

// Wide compares a number of up to 128 bits; an absent one is 0.
func (c *Comparison) Wide(attr string, want int128.Int) {
	c.Ignore(attr)
	have := c.Item[attr]
	if (have.Kind() != sinks.Number && have.Kind() != sinks.None) || have.Num() != want {
		c.Differ(attr, Show(have), want.String())
	}
}

// Text compares a string; "" wants it to be absent.
func (c *Comparison) Text(attr, want string) {
	value := sinks.Value{}
	if want != "" {
		value = sinks.Str(want)
	}
	c.OneOf(attr, []sinks.Value{value})
}

// OneOf compares with several values. Each of them is right.
func (c *Comparison) OneOf(attr string, want []sinks.Value) {
	c.Ignore(attr)
	have := c.Item[attr]
	var words []string
	for _, w := range want {
		if have.Equal(w) {
			return
		}
		if word := Show(w); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	c.Differ(attr, Show(have), strings.Join(words, " or "))
}

// Uniques compares a sketch, register by register. empty makes the sketch that the bytes are read into.
func (c *Comparison) Uniques(attr string, want *sketch.Uniques, empty func() *sketch.Uniques) {
	c.Ignore(attr)
	have, err := ReadUniques(c.Item[attr], empty)
	switch {
	case err != nil:
		c.Differ(attr, err.Error(), showUniques(want))
	case !have.Equal(want):
		hashes, registers := have.Differ(want)
		c.Differ(attr, fmt.Sprintf("%s (%d hashes and %d registers differ)", showUniques(have), hashes, registers), showUniques(want))
	}
}

// ReadUniques reads a sketch of visitors; an absent one is empty.
func ReadUniques(v sinks.Value, empty func() *sketch.Uniques) (*sketch.Uniques, error) {
	u := empty()
	if v.Kind() == sinks.None {
		return u, nil
	}
	if err := u.UnmarshalBinary(v.Bytes()); err != nil {
		return nil, fmt.Errorf("unreadable: %w", err)
	}
	return u, nil
}

// Common compares what every item has, then reports attributes that nothing explains.
func (c *Comparison) Common(entity, site string) {
	c.Text(sinks.AttrEntity, entity)
	c.Number(sinks.AttrSchema, sinks.SchemaVersion)
	if !c.Known[sinks.AttrSiteID] && c.Item[sinks.AttrSiteID].Kind() != sinks.None {
		c.Text(sinks.AttrSiteID, site) // Of ids that the key holds shortened.
	}
	for _, name := range slices.Sorted(maps.Keys(c.Item)) {
		if !c.Known[name] {
			c.Differ(name, Show(c.Item[name]), Absent)
		}
	}
}

// Show is a value as differences show it.
func Show(v sinks.Value) string {
	switch v.Kind() {
	case sinks.String:
		return Quote(v.Str())
	case sinks.Number:
		return v.Num().String()
	case sinks.Binary:
		return fmt.Sprintf("%d bytes %.32x", len(v.Bytes()), v.Bytes())
	case sinks.List:
		return fmt.Sprintf("%q", v.Strings())
	case sinks.Other:
		return v.String()
	}
	return Absent
}

// Quote is a text as differences show it.
func Quote(s string) string { return strconv.Quote(s) }

func showUniques(u *sketch.Uniques) string {
	if n := u.Entries(); n >= 0 {
		return fmt.Sprintf("a set of %d", n)
	}
	return fmt.Sprintf("registers that estimate %d", u.Estimate())
}

// Counted compares a number that is there even if it is 0.
func (c *Comparison) Counted(attr string, want int64) {
	c.Ignore(attr)
	if got := c.Item[attr]; !got.Equal(sinks.Int(want)) {
		c.Differ(attr, Show(got), fmt.Sprint(want))
	}
}

// KindIs compares the type of an attribute that must be there, whatever its value.
func (c *Comparison) KindIs(attr string, kind sinks.Kind) {
	c.Ignore(attr)
	if c.Item[attr].Kind() != kind {
		c.Differ(attr, Show(c.Item[attr]), map[sinks.Kind]string{sinks.String: "a text", sinks.Number: "a number", sinks.Binary: "bytes"}[kind])
	}
}

// Between compares a number that must be there with the least and the greatest that it can be.
func (c *Comparison) Between(attr string, least, most int64) {
	c.KindIs(attr, sinks.Number)
	if n := c.Item[attr]; n.Kind() == sinks.Number && (n.Int() < least || n.Int() > most) {
		c.Differ(attr, Show(n), fmt.Sprintf("%d to %d", least, most))
	}
}

// Presence answers for an item that is there without a reason, or not there with one; done is false when both or
// neither hold.
func (c *Comparison) Presence(expected bool) (done bool) {
	switch {
	case c.Item == nil && expected:
		c.Differ(Whole, Absent, "present")
	case c.Item != nil && !expected:
		c.Differ(Whole, Summary(c.Item), Absent)
	default:
		return false
	}
	return true
}
