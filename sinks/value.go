package sinks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/footfall/footfall/sinks/int128"
)

// Kind is the type of a Value.
type Kind uint8

// The kinds of values an item holds.
const (
	None   Kind = iota // the zero Value: no such attribute
	String             // valid UTF-8
	Number             // a whole number of 128 bits
	Binary
	List  // of strings, in order
	Other // a value that a store holds although footfall never writes its type
)

// Value is one attribute's value. The zero Value is that of an absent attribute: its kind is None and every
// accessor returns its zero. Accessors of another kind than the value's return zero too.
//
// A step holds a hundred thousand of them, so kinds share their room, as in log/slog: 32 bytes instead of 88.
type Value struct {
	_    [0]func()      // not comparable by ==: see Equal
	kind Kind           // what ref is
	n    int128.Int     // the number; of a string, a binary and a list, the length
	ref  unsafe.Pointer // to the first byte, or the first string
}

// Str makes a string value.
func Str(s string) Value {
	return Value{kind: String, n: int128.From(int64(len(s))), ref: unsafe.Pointer(unsafe.StringData(s))}
}

// Int makes a number.
func Int(n int64) Value { return Value{kind: Number, n: int128.From(n)} }

// Num makes a number of 128 bits.
func Num(n int128.Int) Value { return Value{kind: Number, n: n} }

// Bytes makes a binary value. The slice is not copied.
func Bytes(b []byte) Value {
	return Value{kind: Binary, n: int128.From(int64(len(b))), ref: unsafe.Pointer(unsafe.SliceData(b))}
}

// Strings makes a list of strings. The slice is not copied.
func Strings(l []string) Value {
	return Value{kind: List, n: int128.From(int64(len(l))), ref: unsafe.Pointer(unsafe.SliceData(l))}
}

// other is what a value of the kind Other holds.
type other struct {
	text   string
	stored any
}

// Foreign makes a value of a type that footfall never writes. text spells the value for people; different values have different texts.
// stored is the store's own value, for conditions and for copies.
func Foreign(text string, stored any) Value {
	return Value{kind: Other, ref: unsafe.Pointer(&other{text, stored})}
}

// Stored returns what [Foreign] was given.
func (v Value) Stored() any {
	if v.kind != Other {
		return nil
	}
	return (*other)(v.ref).stored
}

// foreign returns the text of a value of the kind Other.
func (v Value) foreign() string {
	if v.kind != Other {
		return ""
	}
	return (*other)(v.ref).text
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Str returns the string.
func (v Value) Str() string {
	if v.kind != String {
		return ""
	}
	return unsafe.String((*byte)(v.ref), v.n.Int64())
}

// Int returns the number; outside the range of int64 it returns the nearest end of the range.
func (v Value) Int() int64 { return v.Num().Int64() }

// Num returns the number in full.
func (v Value) Num() int128.Int {
	if v.kind != Number {
		return int128.Int{}
	}
	return v.n
}

// Bytes returns the binary value, which must not be changed.
func (v Value) Bytes() []byte {
	if v.kind != Binary {
		return nil
	}
	return unsafe.Slice((*byte)(v.ref), v.n.Int64())
}

// Strings returns the list, which must not be changed.
func (v Value) Strings() []string {
	if v.kind != List {
		return nil
	}
	return unsafe.Slice((*string)(v.ref), v.n.Int64())
}

// String spells the value for people.
func (v Value) String() string {
	switch v.kind {
	case String:
		return fmt.Sprintf("%q", v.Str())
	case Number:
		return v.n.String()
	case Binary:
		return fmt.Sprintf("%x", v.Bytes())
	case List:
		return fmt.Sprintf("%q", v.Strings())
	case Other:
		return v.foreign()
	}
	return "none"
}

// Equal reports whether both values have the same kind and content.
func (v Value) Equal(o Value) bool {
	return v.kind == o.kind && v.n == o.n && v.Str() == o.Str() && v.foreign() == o.foreign() && bytes.Equal(v.Bytes(), o.Bytes()) &&
		slices.Equal(v.Strings(), o.Strings())
}

// Item is a set of named values, the key attributes among them.
type Item map[string]Value

// Key names an item: its partition key and its sort key.
type Key struct{ PK, SK string }

// Compare orders keys by PK and then by SK, each byte by byte.
func (k Key) Compare(with Key) int {
	if by := strings.Compare(k.PK, with.PK); by != 0 {
		return by
	}
	return strings.Compare(k.SK, with.SK)
}

// Key returns the item's key.
func (it Item) Key() Key { return Key{it[AttrPK].Str(), it[AttrSK].Str()} }

// Expired reports whether the item's time to live has passed at now, in seconds since the epoch.
// An item without one never expires.
func (it Item) Expired(now int64) bool {
	ttl := it[AttrTTL]
	return ttl.Kind() == Number && ttl.Int() <= now
}

// Size returns the item's size in bytes by DynamoDB's rules: names and values, a number as one byte and a byte for every two
// digits without zeros at its end, three bytes and one an element for a list
// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html). That digits are paired from the
// units up, and that a negative number takes another byte, is what DynamoDB Local 3.3.1 does.
func (it Item) Size() (n int) {
	for name, v := range it {
		n += len(name) + v.size()
	}
	return n
}

func (v Value) size() int {
	switch v.kind {
	case String:
		return len(v.Str())
	case Number:
		n := 1 + pairs(v.n)
		if v.n.Sign() < 0 {
			n++
		}
		return n
	case Binary:
		return len(v.Bytes())
	case List:
		n := 3
		for _, s := range v.Strings() {
			n += 1 + len(s)
		}
		return n
	case Other:
		return len(v.foreign()) // About.
	}
	return 0
}

// pairs returns how many pairs of decimal digits a has, from its units up, without trailing pairs of 00: 3 of
// 1,001,000, which is 1 00 10 00. 0 has none.
func pairs(a int128.Int) (n int) {
	rest := a.Int64()
	if int128.From(rest) != a {
		text := strings.TrimPrefix(a.String(), "-")
		for strings.HasSuffix(text, "00") {
			text = text[:len(text)-2]
		}
		return (len(text) + 1) / 2
	}
	for rest != 0 && rest%100 == 0 {
		rest /= 100
	}
	for ; rest != 0; rest /= 100 {
		n++
	}
	return n
}
