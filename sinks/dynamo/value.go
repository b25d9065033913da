package dynamo

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// attribute makes the SDK's value of v; nil for the zero Value, which means no such attribute.
func attribute(v sinks.Value) types.AttributeValue {
	switch v.Kind() {
	case sinks.String:
		return &types.AttributeValueMemberS{Value: v.Str()}
	case sinks.Number:
		return &types.AttributeValueMemberN{Value: v.Num().String()}
	case sinks.Binary:
		b := v.Bytes()
		if b == nil {
			b = []byte{} // The SDK writes nil as null, which is no binary value.
		}
		return &types.AttributeValueMemberB{Value: b}
	case sinks.List:
		l := make([]types.AttributeValue, len(v.Strings()))
		for i, s := range v.Strings() {
			l[i] = &types.AttributeValueMemberS{Value: s}
		}
		return &types.AttributeValueMemberL{Value: l}
	case sinks.Other:
		if a, ok := v.Stored().(types.AttributeValue); ok {
			return a
		}
	}
	return nil
}

// storable reports whether v is a value of an attribute.
func storable(v sinks.Value) bool {
	if v.Kind() == sinks.Other {
		_, ok := v.Stored().(types.AttributeValue)
		return ok
	}
	return v.Kind() != sinks.None
}

// attributes makes the SDK's item, without the attributes that have no value.
func attributes(it sinks.Item) map[string]types.AttributeValue {
	return attributeMap(maps.All(it), len(it))
}

// attributeMap makes the SDK's item; n is the most attributes that it may have.
func attributeMap(all iter.Seq2[string, sinks.Value], n int) map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, n)
	for name, v := range all {
		if a := attribute(v); a != nil {
			m[name] = a
		}
	}
	return m
}

func keyAttributes(k sinks.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		sinks.AttrPK: &types.AttributeValueMemberS{Value: k.PK},
		sinks.AttrSK: &types.AttributeValueMemberS{Value: k.SK},
	}
}

// keyOf reads the key of an item, or a key alone.
func keyOf(m map[string]types.AttributeValue) sinks.Key {
	return sinks.Key{PK: text(m, sinks.AttrPK), SK: text(m, sinks.AttrSK)}
}

// text returns a string attribute, "" if it is another or absent.
func text(m map[string]types.AttributeValue, name string) string {
	if s, ok := m[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// itemOf reads an item; nil for no item. Values that footfall never writes, such as numbers that are not whole and booleans, are of the
// kind Other: its readers find such an item damaged, and it can be quarantined.
func itemOf(m map[string]types.AttributeValue) sinks.Item {
	if m == nil {
		return nil
	}
	it := make(sinks.Item, len(m))
	for name, a := range m {
		it[name] = valueOf(a)
	}
	return it
}

func valueOf(a types.AttributeValue) sinks.Value {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return sinks.Str(a.Value)
	case *types.AttributeValueMemberN:
		if n, err := int128.Parse(a.Value); err == nil {
			return sinks.Num(n)
		}
	case *types.AttributeValueMemberB:
		return sinks.Bytes(a.Value)
	case *types.AttributeValueMemberL:
		if l, ok := stringsOf(a.Value); ok {
			return sinks.Strings(l)
		}
	}
	return sinks.Foreign(spell(a), a)
}

// spell spells a value of any type. Equal values have the same text.
func spell(a types.AttributeValue) string {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return fmt.Sprintf("S %q", a.Value)
	case *types.AttributeValueMemberN:
		return "N " + a.Value
	case *types.AttributeValueMemberB:
		return fmt.Sprintf("B %x", a.Value)
	case *types.AttributeValueMemberBOOL:
		return fmt.Sprintf("BOOL %t", a.Value)
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberSS:
		return fmt.Sprintf("SS %q", slices.Sorted(slices.Values(a.Value)))
	case *types.AttributeValueMemberNS:
		return fmt.Sprintf("NS %q", slices.Sorted(slices.Values(a.Value)))
	case *types.AttributeValueMemberBS:
		return fmt.Sprintf("BS %x", slices.SortedFunc(slices.Values(a.Value), bytes.Compare))
	case *types.AttributeValueMemberL:
		each := make([]string, len(a.Value))
		for i, e := range a.Value {
			each[i] = spell(e)
		}
		return fmt.Sprintf("L %q", each)
	case *types.AttributeValueMemberM:
		each := make([]string, 0, len(a.Value))
		for _, name := range slices.Sorted(maps.Keys(a.Value)) {
			each = append(each, name, spell(a.Value[name]))
		}
		return fmt.Sprintf("M %q", each)
	}
	return fmt.Sprintf("%T", a)
}

func stringsOf(list []types.AttributeValue) ([]string, bool) {
	l := make([]string, len(list))
	for i, a := range list {
		s, ok := a.(*types.AttributeValueMemberS)
		if !ok {
			return nil, false
		}
		l[i] = s.Value
	}
	return l, true
}

func itemsOf(ms []map[string]types.AttributeValue) []sinks.Item {
	items := make([]sinks.Item, len(ms))
	for i, m := range ms {
		items[i] = itemOf(m)
	}
	return items
}
