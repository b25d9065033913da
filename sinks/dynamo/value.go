package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
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
	}
	return nil
}

// attributes makes the SDK's item, without the attributes that have no value.
func attributes(it sinks.Item) map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, len(it))
	for name, v := range it {
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

// itemOf reads an item; nil for no item. Attributes of a type that footfall never writes are somebody else's and
// are left out. A number that is not whole, or not of 128 bits, is an error: read as 0 it would be a wrong answer.
func itemOf(m map[string]types.AttributeValue) (sinks.Item, error) {
	if m == nil {
		return nil, nil
	}
	it := make(sinks.Item, len(m))
	for name, a := range m {
		switch a := a.(type) {
		case *types.AttributeValueMemberS:
			it[name] = sinks.Str(a.Value)
		case *types.AttributeValueMemberN:
			n, err := sinks.ParseInt128(a.Value)
			if err != nil {
				k := keyOf(m)
				return nil, fmt.Errorf("item %s / %s: attribute %q: %w", k.PK, k.SK, name, err)
			}
			it[name] = sinks.Num(n)
		case *types.AttributeValueMemberB:
			it[name] = sinks.Bytes(a.Value)
		case *types.AttributeValueMemberL:
			if l, ok := stringsOf(a.Value); ok {
				it[name] = sinks.Strings(l)
			}
		}
	}
	return it, nil
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

func itemsOf(ms []map[string]types.AttributeValue) ([]sinks.Item, error) {
	items := make([]sinks.Item, 0, len(ms))
	for _, m := range ms {
		it, err := itemOf(m)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}
