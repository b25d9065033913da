package dynamo

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// An expression collects the names and values of one request. Every name stands behind a placeholder, #0 and on,
// since many of ours are words that DynamoDB reserves ("values", "name", "ttl") or begin as its own do not ("_et").
type expression struct {
	attrs  []string      // the name behind #0, #1, ...
	values []sinks.Value // the value behind :0, :1, ...
	err    error
}

func (e *expression) appendName(b []byte, attr string) []byte {
	i := slices.Index(e.attrs, attr)
	if i < 0 {
		i = len(e.attrs)
		e.attrs = append(e.attrs, attr)
	}
	return appendPlaceholder(b, '#', i)
}

func (e *expression) appendValue(b []byte, attr string, v sinks.Value) []byte {
	if !storable(v) && e.err == nil {
		e.err = fmt.Errorf("attribute %q has no value: give it one, or remove it", attr)
	}
	e.values = append(e.values, v)
	return appendPlaceholder(b, ':', len(e.values)-1)
}

func appendPlaceholder(b []byte, mark byte, i int) []byte {
	return strconv.AppendInt(append(b, mark), int64(i), 10)
}

// nameMap returns the names as the generated client takes them; nil: none.
func (e *expression) nameMap() map[string]string {
	if len(e.attrs) == 0 {
		return nil
	}
	m := make(map[string]string, len(e.attrs))
	for i, attr := range e.attrs {
		m[string(appendPlaceholder(nil, '#', i))] = attr
	}
	return m
}

// valueMap returns the values as the generated client takes them; nil: none.
func (e *expression) valueMap() map[string]types.AttributeValue {
	if len(e.values) == 0 {
		return nil
	}
	m := make(map[string]types.AttributeValue, len(e.values))
	for i, v := range e.values {
		m[string(appendPlaceholder(nil, ':', i))] = attribute(v)
	}
	return m
}

// appendUpdate spells ADD #0 :0,#1 :1 SET #2=:2 REMOVE #3. It appends nothing when there is nothing to change, which
// makes DynamoDB create the item if it is absent.
func (e *expression) appendUpdate(b []byte, u sinks.Update) []byte {
	begin := len(b)
	clause := func(i int, word string) {
		switch {
		case i > 0:
			b = append(b, ',')
		case len(b) > begin:
			b = append(b, ' ')
			fallthrough
		default:
			b = append(b, word...)
		}
	}
	for i, a := range u.Add {
		clause(i, "ADD ")
		b = append(e.appendName(b, a.Name), ' ')
		b = e.appendValue(b, a.Name, a.Value)
	}
	for i, a := range u.Set {
		clause(i, "SET ")
		b = append(e.appendName(b, a.Name), '=')
		b = e.appendValue(b, a.Name, a.Value)
	}
	for i, name := range u.Remove {
		clause(i, "REMOVE ")
		b = e.appendName(b, name)
	}
	return b
}

// appendConditions spells all of conds joined by AND. It appends nothing when there is none.
func (e *expression) appendConditions(b []byte, conds []sinks.Cond) []byte {
	for i, c := range conds {
		if i > 0 {
			b = append(b, " AND "...)
		}
		switch c.Op {
		case sinks.Absent:
			b = append(e.appendName(append(b, "attribute_not_exists("...), c.Attr), ')')
		case sinks.Present:
			b = append(e.appendName(append(b, "attribute_exists("...), c.Attr), ')')
		case sinks.Equal:
			b = append(e.appendName(b, c.Attr), '=')
			b = e.appendValue(b, c.Attr, c.Value)
		case sinks.AbsentOrLess:
			b = append(e.appendName(append(b, "(attribute_not_exists("...), c.Attr), ") OR "...)
			b = append(e.appendName(b, c.Attr), '<')
			b = append(e.appendValue(b, c.Attr, c.Value), ')')
		default:
			e.err = fmt.Errorf("condition on %q has the unknown operator %d", c.Attr, c.Op)
		}
	}
	return b
}

// appendRange spells the condition on the keys of an index that q asks for.
func (e *expression) appendRange(b []byte, q sinks.Query) []byte {
	index := indexes[q.Index]
	bound := func(s string) { b = e.appendValue(b, index.sk, sinks.Str(s)) }
	b = append(e.appendName(b, index.pk), '=')
	b = e.appendValue(b, index.pk, sinks.Str(q.PK))
	switch {
	case q.Prefix != "":
		b = append(e.appendName(append(b, " AND begins_with("...), index.sk), ',')
		bound(q.Prefix)
		b = append(b, ')')
	case q.From != "" && q.To != "":
		b = append(e.appendName(append(b, " AND "...), index.sk), " BETWEEN "...)
		bound(q.From)
		b = append(b, " AND "...)
		bound(q.To)
	case q.From != "":
		b = append(e.appendName(append(b, " AND "...), index.sk), ">="...)
		bound(q.From)
	case q.To != "":
		b = append(e.appendName(append(b, " AND "...), index.sk), "<="...)
		bound(q.To)
	}
	return b
}

// spelled returns what was appended to nil as the generated client takes it; nil: nothing.
func spelled(b []byte) *string {
	if len(b) == 0 {
		return nil
	}
	s := string(b)
	return &s
}
