package wire

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// found is a field of a message as it occurs in the payload.
type found struct {
	field    int32  // its place in the message type
	from, to int32  // of what has a length: in the payload
	n        uint64 // of what has none: the number as stored
}

// protoReader reads a payload and appends its text.
type protoReader struct {
	in     []byte
	out    []byte
	most   int     // of out, in bytes
	fields []found // of the messages that are being read, the innermost last
	keys   keys
}

// protoReaders are kept for their lists.
var protoReaders = sync.Pool{New: func() any { return new(protoReader) }}

// maxKept is how many fields a reader may have been long enough for, and is kept.
const maxKept = 4096

func (s *protoSchema) appendValue(dst []byte, id ID, payload []byte) ([]byte, error) {
	m, payload, err := s.messageOf(id, payload)
	if err != nil {
		return dst, err
	}
	r := protoReaders.Get().(*protoReader)
	r.in, r.out, r.most = payload, dst, len(dst)+MaxJSON
	err = r.message(m, 0, int32(len(payload)), 1)
	out := r.out
	r.in, r.out, r.fields = nil, nil, r.fields[:0]
	r.keys.close(mapKeys{})
	if cap(r.fields) <= maxKept && cap(r.keys.list) <= maxKept {
		protoReaders.Put(r)
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// message appends the message in a part of the payload. depth is how many objects and arrays there are with it.
func (r *protoReader) message(m *protoMessage, from, to int32, depth int) error {
	if depth > maxDepth {
		return wrong(whyTooDeep)
	}
	first := len(r.fields)
	if err := r.scan(m, from, to); err != nil {
		return err
	}
	last := len(r.fields)
	var err error
	if m.form == formPlain || m.form == formAny {
		err = r.members(m, first, last, depth)
	} else {
		err = r.special(m, first, last, depth)
	}
	r.fields = r.fields[:first]
	return err
}

// members appends the fields of a message, which are fields[first:last], as an object.
func (r *protoReader) members(m *protoMessage, first, last, depth int) error {
	r.out = append(r.out, '{')
	begin := len(r.out)
	for i := first; i < last; {
		f := &m.fields[r.fields[i].field]
		next := i + 1
		for next < last && r.fields[next].field == r.fields[i].field {
			next++
		}
		before := len(r.out)
		if before > begin {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, f.label...)
		written, err := r.field(f, i, next, depth)
		if err != nil {
			return within(err, f.name)
		}
		if !written {
			r.out = r.out[:before]
		}
		i = next
	}
	r.out = append(r.out, '}')
	return nil
}

// scan appends the fields of a message to r.fields, in the order of declaration, and checks that none has another too many.
func (r *protoReader) scan(m *protoMessage, at, to int32) error {
	first, sorted := len(r.fields), true
	for at < to {
		number, wire, n := protowire.ConsumeTag(r.in[at:to])
		if n < 0 {
			return wrong("a field's tag is not valid")
		}
		at += int32(n)
		x := found{field: int32(m.place(number))}
		if x.field < 0 {
			n = protowire.ConsumeFieldValue(number, wire, r.in[at:to])
		} else {
			n = r.consume(&x, number, wire, at, to)
		}
		if n < 0 {
			return within(wrong(consumed(n)), "field "+strconv.Itoa(int(number)))
		}
		at += int32(n)
		if x.field < 0 {
			continue
		}
		f := &m.fields[x.field]
		if wire != f.wire && !(wire == protowire.BytesType && f.repeats == protoList && f.wire != protowire.StartGroupType) {
			return within(wrong("wire type "+strconv.Itoa(int(wire))+" is not the field's"), f.name)
		}
		if last := len(r.fields) - 1; last >= first && r.fields[last].field > x.field {
			sorted = false
		}
		r.fields = append(r.fields, x)
	}
	if !sorted {
		slices.SortStableFunc(r.fields[first:], func(a, b found) int { return cmp.Compare(a.field, b.field) })
	}
	for i := first + 1; i < len(r.fields); i++ {
		a, b := &m.fields[r.fields[i-1].field], &m.fields[r.fields[i].field]
		if a == b && b.repeats == protoOnce || a != b && b.oneof > 0 && a.oneof == b.oneof {
			return within(wrong("it, or a field of the same oneof, is there twice"), b.name)
		}
	}
	return nil
}

// consume reads a field's value into x. It returns how many bytes that takes, or an error of protowire.
func (r *protoReader) consume(x *found, number protowire.Number, wire protowire.Type, at, to int32) (n int) {
	switch b := r.in[at:to]; wire {
	case protowire.VarintType:
		x.n, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		x.n = uint64(v)
	case protowire.Fixed64Type:
		x.n, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		var v []byte
		v, n = protowire.ConsumeBytes(b)
		x.from, x.to = at+int32(n-len(v)), at+int32(n)
	case protowire.StartGroupType:
		var v []byte
		v, n = protowire.ConsumeGroup(number, b)
		x.from, x.to = at, at+int32(len(v))
	default:
		n = protowire.ConsumeFieldValue(number, wire, b)
	}
	return n
}

// consumed says what an error of protowire means. Google's package begins it with "proto:" and, in some programs, a no-break space.
func consumed(n int) string {
	return strings.TrimLeft(strings.TrimPrefix(protowire.ParseError(n).Error(), "proto:"), " \u00a0")
}

// field appends the value of a field, which is fields[i:next]. written is false if there is nothing to write.
func (r *protoReader) field(f *protoField, i, next, depth int) (written bool, err error) {
	switch f.repeats {
	case protoList:
		n, err := r.list(f, i, next, depth+1)
		return n > 0, err
	case protoMap:
		return true, r.mapped(f, i, next, depth+1)
	}
	if !f.zeros && f.zero(r.fields[i]) {
		return false, nil
	}
	return true, r.value(f, r.fields[i], depth)
}

// zero reports whether a value is zero or empty, as a field that is missing has.
func (f *protoField) zero(x found) bool {
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return x.from == x.to
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.EnumKind:
		return uint32(x.n) == 0
	}
	return x.n == 0
}

// list appends the items of a repeated field, packed or not, and returns how many they are.
func (r *protoReader) list(f *protoField, i, next, depth int) (n int, err error) {
	if depth > maxDepth {
		return 0, wrong(whyTooDeep)
	}
	r.out = append(r.out, '[')
	item := func(x found) error {
		if n > 0 {
			r.out = append(r.out, ',')
		}
		err := r.value(f, x, depth)
		n++
		return err
	}
	packable := f.wire != protowire.BytesType && f.wire != protowire.StartGroupType
	for ; i < next && err == nil; i++ {
		x := r.fields[i]
		if packable && x.to > 0 { // Only what has a length ends after the first byte of the payload.
			for at := x.from; at < x.to && err == nil; {
				y := found{field: x.field}
				size := r.consume(&y, 1, f.wire, at, x.to)
				if size < 0 {
					err = wrong(consumed(size))
					break
				}
				at += int32(size)
				err = item(y)
			}
		} else {
			err = item(x)
		}
	}
	if err != nil {
		return n, within(err, index(max(n-1, 0)))
	}
	r.out = append(r.out, ']')
	return n, nil
}

// mapped appends the entries of a map.
func (r *protoReader) mapped(f *protoField, i, next, depth int) error {
	if depth > maxDepth {
		return wrong(whyTooDeep)
	}
	entry := f.message
	own := r.keys.open()
	open := byte('{')
	for ; i < next; i++ {
		first := len(r.fields)
		if err := r.scan(entry, r.fields[i].from, r.fields[i].to); err != nil {
			return err
		}
		k, v := found{field: 0}, found{field: 1}
		if entry.fields[1].enum != nil {
			v.n = uint64(int64(entry.fields[1].enum.first))
		}
		for _, x := range r.fields[first:] {
			if x.field == 0 {
				k = x
			} else {
				v = x
			}
		}
		r.fields = r.fields[:first]
		r.out = append(r.out, open)
		open = ','
		begin := len(r.out)
		if err := r.key(&entry.fields[0], k); err != nil {
			return err
		}
		text := r.out[begin:len(r.out):len(r.out)]
		if !r.keys.add(&own, text) {
			return within(wrong("the map has this key twice"), string(text))
		}
		r.out = append(r.out, ':')
		if err := r.value(&entry.fields[1], v, depth); err != nil {
			return within(err, "["+excerpt(string(text))+"]")
		}
	}
	r.keys.close(own)
	r.out = append(r.out, '}')
	return nil
}

// key appends the key of an entry, always a string.
func (r *protoReader) key(f *protoField, x found) error {
	if f.kind == protoreflect.StringKind {
		return r.value(f, x, 0)
	}
	r.out = append(r.out, '"')
	err := r.value(f, x, 0)
	r.out = append(r.out, '"')
	return err
}

// value appends one value of a field. depth is how many objects and arrays it is in.
func (r *protoReader) value(f *protoField, x found, depth int) (err error) {
	switch f.kind {
	case protoreflect.BoolKind:
		r.out = strconv.AppendBool(r.out, x.n != 0)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		r.out = strconv.AppendInt(r.out, int64(int32(x.n)), 10)
	case protoreflect.Sint32Kind:
		r.out = strconv.AppendInt(r.out, protowire.DecodeZigZag(x.n&math.MaxUint32), 10)
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		r.out = strconv.AppendInt(r.out, int64(x.n), 10)
	case protoreflect.Sint64Kind:
		r.out = strconv.AppendInt(r.out, protowire.DecodeZigZag(x.n), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		r.out = strconv.AppendUint(r.out, uint64(uint32(x.n)), 10)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		r.out = strconv.AppendUint(r.out, x.n, 10)
	case protoreflect.FloatKind:
		r.float(float64(math.Float32frombits(uint32(x.n))), 32)
	case protoreflect.DoubleKind:
		r.float(math.Float64frombits(x.n), 64)
	case protoreflect.EnumKind:
		r.out = f.enum.append(r.out, int32(x.n))
	case protoreflect.StringKind:
		r.out, err = appendText(r.out, r.in[x.from:x.to])
	case protoreflect.BytesKind:
		r.out = appendBase64(r.out, r.in[x.from:x.to])
	case protoreflect.MessageKind, protoreflect.GroupKind:
		err = r.message(f.message, x.from, x.to, depth+1)
	}
	if err == nil && len(r.out) > r.most {
		err = wrong(whyTooLong)
	}
	return err
}

func (e *protoEnum) append(dst []byte, n int32) []byte {
	if name := e.names[n]; name != nil {
		return append(dst, name...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// float appends a number, or its name as ProtoJSON has it.
func (r *protoReader) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		r.out = append(r.out, `"NaN"`...)
	case math.IsInf(f, 1):
		r.out = append(r.out, `"Infinity"`...)
	case math.IsInf(f, -1):
		r.out = append(r.out, `"-Infinity"`...)
	default:
		r.out = appendFloat(r.out, f, bits)
	}
}
