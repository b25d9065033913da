package verify

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

// comparison compares one item, attribute by attribute.
type comparison struct {
	kind        string
	key         sinks.Key
	item        sinks.Item
	known       map[string]bool // attributes that were compared, or need not be
	differences []Difference
}

// compare begins the comparison of a subject.
func (v *judges) compare(s subject, it sinks.Item) *comparison {
	return &comparison{kind: s.kind, key: v.key(s), item: it, known: map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}}
}

// compareItem begins the comparison of an item that the table has.
func compareItem(kind string, it sinks.Item) *comparison {
	c := &comparison{kind: kind}
	c.begin(it)
	return c
}

// begin begins the comparison of another item.
func (c *comparison) begin(it sinks.Item) {
	c.key, c.item, c.known = it.Key(), it, map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}
}

func (c *comparison) differ(attr, table, recount string) {
	c.differences = append(c.differences, Difference{Kind: c.kind, PK: c.key.PK, SK: c.key.SK, Attribute: attr, Table: table,
		Recount: recount})
}

// ignore passes over attributes.
func (c *comparison) ignore(attrs ...string) {
	for _, attr := range attrs {
		c.known[attr] = true
	}
}

// number compares a number; an absent one is 0.
func (c *comparison) number(attr string, want int64) { c.wide(attr, int128.From(want)) }

func (c *comparison) wide(attr string, want int128.Int) {
	c.ignore(attr)
	have := c.item[attr]
	if (have.Kind() != sinks.Number && have.Kind() != sinks.None) || have.Num() != want {
		c.differ(attr, show(have), want.String())
	}
}

// text compares a string; "" wants it to be absent.
func (c *comparison) text(attr, want string) {
	value := sinks.Value{}
	if want != "" {
		value = sinks.Str(want)
	}
	c.oneOf(attr, []sinks.Value{value})
}

// oneOf compares with several values. Each of them is right.
func (c *comparison) oneOf(attr string, want []sinks.Value) {
	c.ignore(attr)
	have := c.item[attr]
	var words []string
	for _, w := range want {
		if have.Equal(w) {
			return
		}
		if word := show(w); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	c.differ(attr, show(have), strings.Join(words, " or "))
}

// uniques compares a sketch, register by register. empty makes the sketch that the bytes are read into.
func (c *comparison) uniques(attr string, want *sketch.Uniques, empty func() *sketch.Uniques) {
	c.ignore(attr)
	have, err := readUniques(c.item[attr], empty)
	switch {
	case err != nil:
		c.differ(attr, err.Error(), showUniques(want))
	case !have.Equal(want):
		hashes, registers := have.Differ(want)
		c.differ(attr, fmt.Sprintf("%s (%d hashes and %d registers differ)", showUniques(have), hashes, registers), showUniques(want))
	}
}

func readUniques(v sinks.Value, empty func() *sketch.Uniques) (*sketch.Uniques, error) {
	u := empty()
	if v.Kind() == sinks.None {
		return u, nil
	}
	if err := u.UnmarshalBinary(v.Bytes()); err != nil {
		return nil, fmt.Errorf("unreadable: %w", err)
	}
	return u, nil
}

// pages compares a top-k state.
func (c *comparison) pages(attr string, want *sketch.Top) {
	c.ignore(attr)
	have := sketch.NewTop(pageRows)
	if v := c.item[attr]; v.Kind() != sinks.None {
		if err := have.UnmarshalBinary(v.Bytes()); err != nil {
			c.differ(attr, "unreadable: "+err.Error(), showTop(want))
			return
		}
	}
	if !have.Equal(want) {
		table, recount := showTop(have), showTop(want)
		if table == recount {
			table += ", and what is not shown differs"
		}
		c.differ(attr, table, recount)
	}
}

// common compares what every item has, then reports attributes that nothing explains.
func (c *comparison) common(entity, site string) {
	c.text(sinks.AttrEntity, entity)
	c.number(sinks.AttrSchema, sinks.SchemaVersion)
	if !c.known[sinks.AttrSiteID] && c.item[sinks.AttrSiteID].Kind() != sinks.None {
		c.text(sinks.AttrSiteID, site) // Of ids that the key holds shortened.
	}
	for _, name := range slices.Sorted(maps.Keys(c.item)) {
		if !c.known[name] {
			c.differ(name, show(c.item[name]), absent)
		}
	}
}

func show(v sinks.Value) string {
	switch v.Kind() {
	case sinks.String:
		return quote(v.Str())
	case sinks.Number:
		return v.Num().String()
	case sinks.Binary:
		return fmt.Sprintf("%d bytes %.32x", len(v.Bytes()), v.Bytes())
	case sinks.List:
		return fmt.Sprintf("%q", v.Strings())
	case sinks.Other:
		return v.String()
	}
	return absent
}

func quote(s string) string { return strconv.Quote(s) }

func showUniques(u *sketch.Uniques) string {
	if n := u.Entries(); n >= 0 {
		return fmt.Sprintf("a set of %d", n)
	}
	return fmt.Sprintf("registers that estimate %d", u.Estimate())
}

func showTop(t *sketch.Top) string {
	rows := t.Rows()
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows", len(rows))
	for i, r := range rows {
		if i == 3 {
			b.WriteString(", ...")
			break
		}
		fmt.Fprintf(&b, ", %q %d", r.Value, r.Count)
	}
	if t.Other() > 0 || t.Floor() > 0 {
		fmt.Fprintf(&b, ", others %d, floor %d", t.Other(), t.Floor())
	}
	return b.String()
}
