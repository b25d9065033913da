package localtable

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// The bytes of an item: all attributes of an item but pk and sk, in the order of their names, so equal
// items have equal bytes.
//
//	version   1 byte, itemVersion
//	count     uvarint
//	count times:
//	  name    uvarint length, bytes
//	  kind    1 byte
//	  value   kindString, kindBinary: uvarint length, bytes
//	          kindInt: zigzag varint
//	          kindWide: a whole number beyond int64, in decimal: uvarint length, bytes
//	          kindList: uvarint count, and so many times: uvarint length, bytes
const itemVersion = 1

const (
	kindString byte = iota + 1
	kindInt
	kindWide
	kindBinary
	kindList
)

// AppendItem appends the bytes of an item that has passed a check.
func AppendItem(b []byte, it sinks.Item) []byte {
	as := make(sinks.Attrs, 0, len(it))
	for name, v := range it {
		as = append(as, sinks.Attr{Name: name, Value: v})
	}
	return AppendAttrs(b, as)
}

// AppendAttrs is AppendItem for an item as a list, which it sorts.
func AppendAttrs(b []byte, as sinks.Attrs) []byte {
	as = slices.DeleteFunc(as, func(a sinks.Attr) bool { return a.Name == sinks.AttrPK || a.Name == sinks.AttrSK })
	slices.SortFunc(as, func(a, b sinks.Attr) int { return strings.Compare(a.Name, b.Name) })
	b = append(b, itemVersion)
	b = binary.AppendUvarint(b, uint64(len(as)))
	for _, a := range as {
		b = appendText(b, a.Name)
		switch v := a.Value; v.Kind() {
		case sinks.String:
			b = appendText(append(b, kindString), v.Str())
		case sinks.Number:
			if n := v.Int(); int128.From(n) == v.Num() {
				b = binary.AppendVarint(append(b, kindInt), n)
			} else {
				b = appendText(append(b, kindWide), v.Num().String())
			}
		case sinks.Binary:
			b = appendText(append(b, kindBinary), v.Bytes())
		case sinks.List:
			b = binary.AppendUvarint(append(b, kindList), uint64(len(v.Strings())))
			for _, s := range v.Strings() {
				b = appendText(b, s)
			}
		}
	}
	return b
}

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// ReadItem makes an item of its key and bytes, which it copies.
func ReadItem(k sinks.Key, b []byte) (sinks.Item, error) {
	if len(b) == 0 || b[0] != itemVersion {
		return nil, sinks.Damaged(k, "", fmt.Errorf("its bytes are not of version %d, the only one this footfall knows: %w", itemVersion,
			sinks.ErrUndecodable))
	}
	d := decoder{b: b, s: string(b), at: 1}
	n := d.uvarint()
	it := make(sinks.Item, 2+min(n, uint64(len(b))))
	for i := uint64(0); i < n && d.ok(); i++ {
		name := d.text()
		it[name] = d.value()
	}
	if !d.ok() || d.at != len(b) || uint64(len(it)) != n {
		return nil, sinks.Damaged(k, "", fmt.Errorf("its %d bytes are damaged near byte %d: %w", len(b), d.at, sinks.ErrUndecodable))
	}
	it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(k.PK), sinks.Str(k.SK)
	return it, nil
}

// decoder reads an item's bytes; after the first fault it reads nothing but zeros. All texts of an item are parts
// of one string: one allocation, however many attributes.
type decoder struct {
	b   []byte
	s   string // b once more
	at  int
	bad bool
}

func (d *decoder) ok() bool { return !d.bad }

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b[d.at:])
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.at += size
	return n
}

// span returns where the next text lies.
func (d *decoder) span() (from, to int) {
	n := d.uvarint()
	if d.bad || n > uint64(len(d.b)-d.at) {
		d.bad = true
		return 0, 0
	}
	from = d.at
	d.at += int(n)
	return from, d.at
}

func (d *decoder) text() string {
	from, to := d.span()
	return d.s[from:to]
}

func (d *decoder) value() sinks.Value {
	if d.bad || d.at >= len(d.b) {
		d.bad = true
		return sinks.Value{}
	}
	kind := d.b[d.at]
	d.at++
	switch kind {
	case kindString:
		return sinks.Str(d.text())
	case kindInt:
		n, size := binary.Varint(d.b[d.at:])
		if size <= 0 {
			d.bad = true
			return sinks.Value{}
		}
		d.at += size
		return sinks.Int(n)
	case kindWide:
		n, err := int128.Parse(d.text())
		d.bad = d.bad || err != nil
		return sinks.Num(n)
	case kindBinary:
		from, to := d.span()
		return sinks.Bytes([]byte(d.s[from:to]))
	case kindList:
		n := d.uvarint()
		if n > uint64(len(d.b)-d.at) { // Each element takes a byte at least.
			d.bad = true
			return sinks.Value{}
		}
		l := make([]string, 0, n)
		for range n {
			l = append(l, d.text())
		}
		return sinks.Strings(l)
	}
	d.bad = true
	return sinks.Value{}
}
