package dynamo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// An expression collects the names and values of one request. Every name stands behind a placeholder, #0 and on,
// since many of ours are words that DynamoDB reserves ("values", "name", "ttl") or begin as its own do not ("_et").
type expression struct {
	attrs  []string                        // the name behind #0, #1, ...
	names  map[string]string               // as the request carries them; nil: none
	values map[string]types.AttributeValue // as the request carries them; nil: none
	err    error
}

func (e *expression) name(attr string) string {
	i := slices.Index(e.attrs, attr)
	if i < 0 {
		i = len(e.attrs)
		e.attrs = append(e.attrs, attr)
		if e.names == nil {
			e.names = make(map[string]string)
		}
		e.names[placeholder('#', i)] = attr
	}
	return placeholder('#', i)
}

func (e *expression) value(attr string, v sinks.Value) string {
	a := attribute(v)
	if a == nil && e.err == nil {
		e.err = fmt.Errorf("attribute %q has no value: give it one, or remove it", attr)
	}
	if e.values == nil {
		e.values = make(map[string]types.AttributeValue)
	}
	p := placeholder(':', len(e.values))
	e.values[p] = a
	return p
}

func placeholder(mark byte, i int) string { return string(mark) + strconv.Itoa(i) }

// update spells ADD #0 :0,#1 :1 SET #2=:2 REMOVE #3; nil when there is nothing to change, which makes DynamoDB
// create the item if it is absent.
func (e *expression) update(u sinks.Update) *string {
	var b strings.Builder
	clause := func(i int, word string) {
		switch {
		case i > 0:
			b.WriteByte(',')
		case b.Len() > 0:
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteString(word)
		}
	}
	for i, a := range u.Add {
		clause(i, "ADD ")
		b.WriteString(e.name(a.Name))
		b.WriteByte(' ')
		b.WriteString(e.value(a.Name, a.Value))
	}
	for i, a := range u.Set {
		clause(i, "SET ")
		b.WriteString(e.name(a.Name))
		b.WriteByte('=')
		b.WriteString(e.value(a.Name, a.Value))
	}
	for i, name := range u.Remove {
		clause(i, "REMOVE ")
		b.WriteString(e.name(name))
	}
	if b.Len() == 0 {
		return nil
	}
	s := b.String()
	return &s
}

// conditions spells all of conds joined by AND; nil when there is none.
func (e *expression) conditions(conds []sinks.Cond) *string {
	if len(conds) == 0 {
		return nil
	}
	var b strings.Builder
	for i, c := range conds {
		if i > 0 {
			b.WriteString(" AND ")
		}
		n := e.name(c.Attr)
		switch c.Op {
		case sinks.Absent:
			b.WriteString("attribute_not_exists(" + n + ")")
		case sinks.Present:
			b.WriteString("attribute_exists(" + n + ")")
		case sinks.Equal:
			b.WriteString(n + "=" + e.value(c.Attr, c.Value))
		case sinks.AbsentOrLess:
			b.WriteString("(attribute_not_exists(" + n + ") OR " + n + "<" + e.value(c.Attr, c.Value) + ")")
		default:
			e.err = fmt.Errorf("condition on %q has the unknown operator %d", c.Attr, c.Op)
		}
	}
	s := b.String()
	return &s
}
