package dynamo

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// An answer is what DynamoDB says when it has done something: the members of all operations that a table needs.
type answer struct {
	item  sinks.Item   // Attributes
	items []sinks.Item // Items of a Query, Responses of a BatchGetItem
	last  sinks.Item   // LastEvaluatedKey
	left  []sinks.Key  // of UnprocessedItems and UnprocessedKeys
	units float64      // ConsumedCapacity
}

// A decoder reads answers. The zero value is ready for use; it is not safe for concurrent use. What it returns holds no part of the text
// that it was read from.
//
// It is stricter than the generated client, since a text that breaks a rule was damaged on its way: no member may be there twice, nothing
// may follow the object, and each value has exactly one type.
type decoder struct {
	json    jsontext.Decoder
	text    bytes.Buffer
	scratch []byte
}

// errShape reports JSON that is not what the protocol says.
var errShape = errors.New("the answer is not as DynamoDB's are")

// read reads an answer.
func (d *decoder) read(text []byte) (a answer, err error) {
	d.text = *bytes.NewBuffer(text)
	d.json.Reset(&d.text)
	defer func() { d.text = bytes.Buffer{} }()
	err = d.object(func(name string) error { return d.member(name, &a) })
	if err != nil {
		return answer{}, err
	}
	if _, err := d.json.ReadToken(); err != io.EOF {
		return answer{}, errors.Join(errShape, err)
	}
	return a, nil
}

func (d *decoder) member(name string, a *answer) (err error) {
	switch name {
	case "Attributes":
		a.item, err = d.item()
	case "LastEvaluatedKey":
		a.last, err = d.item()
	case "Items":
		a.items, err = d.items(a.items)
	case "Responses":
		err = d.object(func(string) error {
			a.items, err = d.items(a.items)
			return err
		})
	case "UnprocessedItems":
		err = d.object(func(string) error { return d.unprocessedItems(a) })
	case "UnprocessedKeys":
		err = d.object(func(string) error { return d.unprocessedKeys(a) })
	case "ConsumedCapacity":
		if d.json.PeekKind() == jsontext.KindBeginArray {
			return d.array(func() error { return d.capacity(a) })
		}
		err = d.capacity(a)
	default:
		err = d.json.SkipValue()
	}
	return err
}

// object reads an object: value is called for each member, to read its value. Null is an object without members.
func (d *decoder) object(value func(name string) error) error {
	return d.each(jsontext.KindBeginObject, jsontext.KindEndObject, func() error {
		name, err := d.string()
		if err != nil {
			return err
		}
		return value(name)
	})
}

// array reads an array: element is called to read each element. Null is an array without elements.
func (d *decoder) array(element func() error) error {
	return d.each(jsontext.KindBeginArray, jsontext.KindEndArray, element)
}

func (d *decoder) each(begin, end jsontext.Kind, read func() error) error {
	t, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() == jsontext.KindNull {
		return nil
	}
	if t.Kind() != begin {
		return fmt.Errorf("%w: %v in place of %v", errShape, t.Kind(), begin)
	}
	for {
		switch d.json.PeekKind() {
		case end:
			_, err := d.json.ReadToken()
			return err
		case jsontext.KindInvalid:
			_, err := d.json.ReadToken()
			return cut(err)
		}
		if err := read(); err != nil {
			return cut(err)
		}
	}
}

// cut makes the end of the text the error that it is within an object.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (d *decoder) unprocessedItems(a *answer) error {
	return d.array(func() error {
		return d.object(func(kind string) error {
			if kind != "PutRequest" {
				return d.json.SkipValue()
			}
			return d.object(func(name string) error {
				if name != "Item" {
					return d.json.SkipValue()
				}
				it, err := d.item()
				a.left = append(a.left, it.Key())
				return err
			})
		})
	})
}

func (d *decoder) unprocessedKeys(a *answer) error {
	return d.object(func(name string) error {
		if name != "Keys" {
			return d.json.SkipValue()
		}
		return d.array(func() error {
			key, err := d.item()
			a.left = append(a.left, key.Key())
			return err
		})
	})
}

// capacity adds the units of one table.
func (d *decoder) capacity(a *answer) error {
	return d.object(func(name string) error {
		if name != "CapacityUnits" || d.json.PeekKind() != jsontext.KindNumber {
			return d.json.SkipValue()
		}
		t, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		units, err := t.Float()
		a.units += units
		return err
	})
}

func (d *decoder) items(items []sinks.Item) ([]sinks.Item, error) {
	err := d.array(func() error {
		it, err := d.item()
		items = append(items, it)
		return err
	})
	return items, err
}

// item reads an item; nil for null.
func (d *decoder) item() (it sinks.Item, err error) {
	if d.json.PeekKind() == jsontext.KindBeginObject {
		it = make(sinks.Item)
	}
	err = d.object(func(name string) error {
		v, err := d.value()
		it[name] = v
		return err
	})
	return it, err
}

// value reads a value of an attribute. The kinds that footfall writes are read at once, and others as the generated client would.
func (d *decoder) value() (v sinks.Value, err error) {
	members := 0
	err = d.object(func(kind string) (err error) {
		if members++; members > 1 {
			return fmt.Errorf("%w: a value of two types", errShape)
		}
		switch kind {
		case "S":
			var s string
			s, err = d.string()
			v = sinks.Str(s)
		case "N":
			v, err = d.number()
		case "B":
			var b []byte
			b, err = d.binary()
			v = sinks.Bytes(b)
		default:
			var a types.AttributeValue
			if a, err = d.stored(kind); err == nil {
				v = valueOf(a)
			}
		}
		return err
	})
	if err == nil && members == 0 {
		err = fmt.Errorf("%w: a value of no type", errShape)
	}
	return v, err
}

// stored reads what a value of a type is.
func (d *decoder) stored(kind string) (types.AttributeValue, error) {
	switch kind {
	case "S":
		s, err := d.string()
		return &types.AttributeValueMemberS{Value: s}, err
	case "N":
		s, err := d.string()
		return &types.AttributeValueMemberN{Value: s}, err
	case "B":
		b, err := d.binary()
		return &types.AttributeValueMemberB{Value: b}, err
	case "BOOL":
		b, err := d.bool()
		return &types.AttributeValueMemberBOOL{Value: b}, err
	case "NULL":
		b, err := d.bool()
		return &types.AttributeValueMemberNULL{Value: b}, err
	case "SS":
		l, err := list(d, d.string)
		return &types.AttributeValueMemberSS{Value: l}, err
	case "NS":
		l, err := list(d, d.string)
		return &types.AttributeValueMemberNS{Value: l}, err
	case "BS":
		l, err := list(d, d.binary)
		return &types.AttributeValueMemberBS{Value: l}, err
	case "L":
		l, err := list(d, d.storedValue)
		return &types.AttributeValueMemberL{Value: l}, err
	case "M":
		m := make(map[string]types.AttributeValue)
		err := d.object(func(name string) (err error) {
			m[name], err = d.storedValue()
			return err
		})
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("%w: a value of the unknown type %q", errShape, kind)
}

func (d *decoder) storedValue() (a types.AttributeValue, err error) {
	err = d.object(func(kind string) error {
		if a != nil {
			return fmt.Errorf("%w: a value of two types", errShape)
		}
		a, err = d.stored(kind)
		return err
	})
	if err == nil && a == nil {
		err = fmt.Errorf("%w: a value of no type", errShape)
	}
	return a, err
}

func list[E any](d *decoder, element func() (E, error)) ([]E, error) {
	l := []E{}
	err := d.array(func() error {
		e, err := element()
		l = append(l, e)
		return err
	})
	return l, err
}

// quoted returns the content of a string, without escapes, until the next call.
func (d *decoder) quoted() ([]byte, error) {
	raw, err := d.json.ReadValue()
	if err != nil {
		return nil, err
	}
	if raw.Kind() != jsontext.KindString {
		return nil, fmt.Errorf("%w: %v in place of a string", errShape, raw.Kind())
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	d.scratch, err = jsontext.AppendUnquote(d.scratch[:0], raw)
	return d.scratch, err
}

func (d *decoder) string() (string, error) {
	b, err := d.quoted()
	return string(b), err
}

func (d *decoder) binary() ([]byte, error) {
	b, err := d.quoted()
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendDecode(make([]byte, 0, base64.StdEncoding.DecodedLen(len(b))), b)
}

// number reads a number. Most are short integers, which need no text of their own.
func (d *decoder) number() (sinks.Value, error) {
	b, err := d.quoted()
	if err != nil {
		return sinks.Value{}, err
	}
	if n, ok := small(b); ok {
		return sinks.Num(int128.From(n)), nil
	}
	return valueOf(&types.AttributeValueMemberN{Value: string(b)}), nil
}

// small reads an integer of at most 18 digits.
func small(digits []byte) (n int64, ok bool) {
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

func (d *decoder) bool() (bool, error) {
	t, err := d.json.ReadToken()
	if err != nil {
		return false, err
	}
	if t.Kind() != jsontext.KindTrue && t.Kind() != jsontext.KindFalse {
		return false, fmt.Errorf("%w: %v in place of true or false", errShape, t.Kind())
	}
	return t.Bool(), nil
}
