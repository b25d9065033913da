package dynamo

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// A body is the JSON text of a request under construction, as DynamoDB's JSON 1.0 protocol has it. Members are in the order of
// appending.
type body struct {
	text []byte
	expression
}

// begin starts a request about a table.
func (b *body) begin(table string) {
	b.text = append(b.text[:0], `{"ReturnConsumedCapacity":"TOTAL"`...)
	b.member("TableName")
	b.text = appendQuoted(b.text, table)
}

// beginBatch starts a request whose member RequestItems has a table's part, which is still to be appended.
func (b *body) beginBatch(table string) {
	b.text = append(b.text[:0], `{"ReturnConsumedCapacity":"TOTAL"`...)
	b.member("RequestItems")
	b.text = append(appendQuoted(append(b.text, '{'), table), ':')
}

// member begins a member; its value is to be appended next.
func (b *body) member(name string) {
	b.text = append(b.text, `,"`...)
	b.text = append(b.text, name...)
	b.text = append(b.text, `":`...)
}

// option appends a member whose value needs no escapes.
func (b *body) option(name, value string) {
	b.member(name)
	b.text = append(append(append(b.text, '"'), value...), '"')
}

// spell appends a member whose value is an expression, which needs no escapes; none if the expression is empty.
func (b *body) spell(name string, spell func([]byte) []byte) {
	before := len(b.text)
	b.member(name)
	b.text = append(b.text, '"')
	begin := len(b.text)
	if b.text = spell(b.text); len(b.text) == begin {
		b.text = b.text[:before]
		return
	}
	b.text = append(b.text, '"')
}

// conditions appends the conditions of a write, and asks for the item that does not meet them.
func (b *body) conditions(conds []sinks.Cond) {
	b.spell("ConditionExpression", func(text []byte) []byte { return b.appendConditions(text, conds) })
	if conds != nil {
		b.option("ReturnValuesOnConditionCheckFailure", "ALL_OLD")
	}
}

// end appends the names and values of the expressions, and ends the request.
func (b *body) end() {
	if len(b.attrs) > 0 {
		b.member("ExpressionAttributeNames")
		for i, attr := range b.attrs {
			b.text = appendPlaceholder(append(b.text, separator(i), '"'), '#', i)
			b.text = appendQuoted(append(b.text, `":`...), attr)
		}
		b.text = append(b.text, '}')
	}
	if len(b.values) > 0 {
		b.member("ExpressionAttributeValues")
		for i, v := range b.values {
			b.text = appendPlaceholder(append(b.text, separator(i), '"'), ':', i)
			b.text = appendAttribute(append(b.text, `":`...), v)
		}
		b.text = append(b.text, '}')
	}
	b.text = append(b.text, '}')
}

// separator begins an object, or separates a member from the one before.
func separator(i int) byte {
	if i == 0 {
		return '{'
	}
	return ','
}

func appendKey(b []byte, k sinks.Key) []byte {
	b = appendQuoted(append(b, `{"`+sinks.AttrPK+`":{"S":`...), k.PK)
	b = appendQuoted(append(b, `},"`+sinks.AttrSK+`":{"S":`...), k.SK)
	return append(b, `}}`...)
}

// appendItem appends an item without the attributes that have no value.
func appendItem(b []byte, it sinks.Item) []byte {
	b = append(b, '{')
	first := len(b)
	for name, v := range it {
		b = appendPair(b, first, name, v)
	}
	return append(b, '}')
}

// appendAttrs appends an item, its attributes in their order, without those that have no value.
func appendAttrs(b []byte, as sinks.Attrs) []byte {
	b = append(b, '{')
	first := len(b)
	for i := range as {
		b = appendPair(b, first, as[i].Name, as[i].Value)
	}
	return append(b, '}')
}

// appendPair appends an attribute, unless it has no value, to an object whose members begin at index first.
func appendPair(b []byte, first int, name string, v sinks.Value) []byte {
	if !storable(v) {
		return b
	}
	if len(b) > first {
		b = append(b, ',')
	}
	return appendAttribute(append(appendQuoted(b, name), ':'), v)
}

// appendAttribute appends a value of a kind that is [storable].
func appendAttribute(b []byte, v sinks.Value) []byte {
	switch v.Kind() {
	case sinks.String:
		return append(appendQuoted(append(b, `{"S":`...), v.Str()), '}')
	case sinks.Number:
		return append(appendNumber(append(b, `{"N":"`...), v.Num()), `"}`...)
	case sinks.Binary:
		return append(appendBinary(append(b, `{"B":`...), v.Bytes()), '}')
	case sinks.List:
		b = append(b, `{"L":[`...)
		for i, s := range v.Strings() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(append(b, `{"S":`...), s), '}')
		}
		return append(b, `]}`...)
	case sinks.Other:
		if a, ok := v.Stored().(types.AttributeValue); ok {
			return appendStored(b, a)
		}
	}
	return append(b, `null`...)
}

// appendStored appends a value of any type.
func appendStored(b []byte, a types.AttributeValue) []byte {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		b = appendQuoted(append(b, `{"S":`...), a.Value)
	case *types.AttributeValueMemberN:
		b = appendQuoted(append(b, `{"N":`...), a.Value)
	case *types.AttributeValueMemberB:
		b = appendBinary(append(b, `{"B":`...), a.Value)
	case *types.AttributeValueMemberBOOL:
		b = strconv.AppendBool(append(b, `{"BOOL":`...), a.Value)
	case *types.AttributeValueMemberNULL:
		b = strconv.AppendBool(append(b, `{"NULL":`...), a.Value)
	case *types.AttributeValueMemberSS:
		b = appendList(append(b, `{"SS":`...), a.Value, appendQuoted)
	case *types.AttributeValueMemberNS:
		b = appendList(append(b, `{"NS":`...), a.Value, appendQuoted)
	case *types.AttributeValueMemberBS:
		b = appendList(append(b, `{"BS":`...), a.Value, appendBinary)
	case *types.AttributeValueMemberL:
		b = appendList(append(b, `{"L":`...), a.Value, appendStored)
	case *types.AttributeValueMemberM:
		b = append(b, `{"M":{`...)
		first := len(b)
		for name, e := range a.Value {
			if len(b) > first {
				b = append(b, ',')
			}
			b = appendStored(append(appendQuoted(b, name), ':'), e)
		}
		b = append(b, '}')
	default:
		return append(b, `null`...)
	}
	return append(b, '}')
}

func appendList[E any](b []byte, list []E, each func([]byte, E) []byte) []byte {
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = each(b, e)
	}
	return append(b, ']')
}

func appendNumber(b []byte, n int128.Int) []byte {
	if small := n.Int64(); int128.From(small) == n {
		return strconv.AppendInt(b, small, 10)
	}
	return append(b, n.String()...)
}

func appendBinary(b, data []byte) []byte {
	b = slices.Grow(b, base64.StdEncoding.EncodedLen(len(data))+2)
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
}

// appendQuoted appends s as a JSON string. Like the generated client, it replaces what is no UTF-8 by U+FFFD.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			b, _ = jsontext.AppendQuote(b, s) // The error says that something was replaced.
			return b
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
