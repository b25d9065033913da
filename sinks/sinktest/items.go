package sinktest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// key names an item of the suite.
func key(sk string) sinks.Key { return sinks.Key{PK: "SITE#a", SK: sk} }

// item makes an item of a key and attributes.
func item(k sinks.Key, attrs ...sinks.Attr) sinks.Item {
	it := sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK)}
	for _, a := range attrs {
		it[a.Name] = a.Value
	}
	return it
}

func attr(name string, v sinks.Value) sinks.Attr { return sinks.Attr{Name: name, Value: v} }

func count(name string, n int64) sinks.Attr { return attr(name, sinks.Int(n)) }

// number reads a decimal of up to 128 bits.
func number(t *testing.T, s string) sinks.Value {
	t.Helper()
	n, err := int128.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return sinks.Num(n)
}

// Batch returns items as BatchPut takes them.
func Batch(items ...sinks.Item) []sinks.Attrs {
	batch := make([]sinks.Attrs, len(items))
	for i, it := range items {
		for name, v := range it {
			batch[i] = append(batch[i], sinks.Attr{Name: name, Value: v})
		}
	}
	return batch
}

func sortKeys(items []sinks.Item) []string {
	var keys []string
	for _, it := range items {
		keys = append(keys, it[sinks.AttrSK].Str())
	}
	return keys
}

// wantItem checks that an item has exactly the attributes of want; nil is absence.
func wantItem(t *testing.T, what string, got, want sinks.Item) {
	t.Helper()
	if maps.EqualFunc(got, want, sinks.Value.Equal) && (got == nil) == (want == nil) {
		return
	}
	t.Errorf("%s:\n%s, want\n%s", what, spell(got), spell(want))
}

// spell writes an item for people, in the order of its attributes' names.
func spell(it sinks.Item) string {
	if it == nil {
		return "no item"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(it)) {
		v := it[name]
		fmt.Fprintf(&b, "%s=", name)
		switch v.Kind() {
		case sinks.String:
			fmt.Fprintf(&b, "%.80q ", v.Str())
		case sinks.Number:
			fmt.Fprintf(&b, "%s ", v.Num())
		case sinks.Binary:
			fmt.Fprintf(&b, "%.80x ", v.Bytes())
		case sinks.List:
			fmt.Fprintf(&b, "%.200q ", v.Strings())
		default:
			b.WriteString("(none) ")
		}
	}
	return b.String()
}
