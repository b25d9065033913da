package wire

import (
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoForm is how a message is written.
type protoForm uint8

const (
	formPlain    protoForm = iota // an object with the fields
	formAny                       // the same, with @type
	formOnly                      // the value of its only field: a wrapper, Struct or ListValue
	formValue                     // the value of the field that it has
	formTime                      // RFC 3339
	formDuration                  // as in 1.500s
	formMask                      // as in a.b,c
	formDecimal                   // an exact number
)

// forms are the messages that have forms of their own, by full name. All are of files that are built in.
var forms = map[protoreflect.FullName]protoForm{
	"google.protobuf.Any": formAny, "google.protobuf.Value": formValue, "google.protobuf.Timestamp": formTime,
	"google.protobuf.Duration": formDuration, "google.protobuf.FieldMask": formMask, "confluent.type.Decimal": formDecimal,

	"google.protobuf.Struct": formOnly, "google.protobuf.ListValue": formOnly, "google.protobuf.BoolValue": formOnly,
	"google.protobuf.Int32Value": formOnly, "google.protobuf.Int64Value": formOnly, "google.protobuf.UInt32Value": formOnly,
	"google.protobuf.UInt64Value": formOnly, "google.protobuf.FloatValue": formOnly, "google.protobuf.DoubleValue": formOnly,
	"google.protobuf.StringValue": formOnly, "google.protobuf.BytesValue": formOnly,
}

// formOf returns the form of a message. One that a schema declares under a name of Google's is plain.
func formOf(d protoreflect.MessageDescriptor) protoForm {
	file := d.ParentFile().Path()
	if strings.HasPrefix(file, "google/protobuf/") || file == "confluent/type/decimal.proto" {
		return forms[d.FullName()]
	}
	return formPlain
}

// special appends a message in a form of its own. Its fields are fields[first:last].
func (r *protoReader) special(m *protoMessage, first, last, depth int) error {
	switch m.form {
	case formOnly:
		return r.only(&m.fields[0], first, last, depth)
	case formValue:
		return r.dynamic(m, first, last, depth)
	case formTime:
		return r.time(r.number(first, last, 0), r.number(first, last, 1))
	case formDuration:
		return r.duration(r.number(first, last, 0), r.number(first, last, 1))
	case formMask:
		return r.mask(first, last)
	}
	x := found{field: 0}
	if first < last && r.fields[first].field == 0 {
		x = r.fields[first]
	}
	integer, scale := r.in[x.from:x.to], int32(r.number(first, last, 2))
	if scale < -maxDigits || scale > maxDigits {
		return wrong("a decimal with scale " + strconv.Itoa(int(scale)))
	}
	if len(integer) == 0 {
		integer = []byte{0}
	}
	var err error
	r.out, err = appendDecimal(r.out, integer, int(scale))
	return err
}

// number returns the value of the field at a place, 0 if there is none.
func (r *protoReader) number(first, last int, place int32) int64 {
	for _, x := range r.fields[first:last] {
		if x.field == place {
			return int64(x.n)
		}
	}
	return 0
}

// only appends the value of a message's only field, zero or empty if there is none.
func (r *protoReader) only(f *protoField, first, last, depth int) error {
	switch {
	case f.repeats == protoList:
		_, err := r.list(f, first, last, depth)
		return err
	case f.repeats == protoMap && first == last:
		r.out = append(r.out, "{}"...)
		return nil
	case f.repeats == protoMap:
		return r.mapped(f, first, last, depth)
	case first == last:
		return r.value(f, found{}, depth)
	}
	return r.value(f, r.fields[first], depth)
}

// dynamic appends a value of a Struct. One that is not set is null.
func (r *protoReader) dynamic(m *protoMessage, first, last, depth int) error {
	if first == last {
		r.out = append(r.out, "null"...)
		return nil
	}
	x := r.fields[first]
	f := &m.fields[x.field]
	before := len(r.out)
	if f.message != nil {
		depth-- // The field's message has the object or array.
	}
	err := r.value(f, x, depth)
	if err == nil && f.kind == protoreflect.DoubleKind && r.out[before] == '"' {
		err = wrong("a number of a Value is not finite")
	}
	return err
}

// The instants and durations that ProtoJSON can write, in seconds.
const (
	minSeconds  = -62135596800 // 0001-01-01
	maxSeconds  = 253402300799 // 9999-12-31
	maxDuration = 315576000000 // 10,000 years
	nanosMost   = 999_999_999
)

func (r *protoReader) time(seconds, nanos int64) error {
	nanos = int64(int32(nanos))
	if seconds < minSeconds || seconds > maxSeconds || nanos < 0 || nanos > nanosMost {
		return wrong("a Timestamp that is not from the year 1 to 9999: " + pair(seconds, nanos))
	}
	r.out = append(r.out, '"')
	r.out = time.Unix(seconds, 0).UTC().AppendFormat(r.out, "2006-01-02T15:04:05")
	r.out = append(appendNanos(r.out, nanos), 'Z', '"')
	return nil
}

func (r *protoReader) duration(seconds, nanos int64) error {
	nanos = int64(int32(nanos))
	if seconds < -maxDuration || seconds > maxDuration || nanos < -nanosMost || nanos > nanosMost ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return wrong("a Duration out of range, or with two signs: " + pair(seconds, nanos))
	}
	r.out = append(r.out, '"')
	if seconds < 0 || nanos < 0 {
		seconds, nanos = -seconds, -nanos
		r.out = append(r.out, '-')
	}
	r.out = strconv.AppendInt(r.out, seconds, 10)
	r.out = append(appendNanos(r.out, nanos), 's', '"')
	return nil
}

func pair(seconds, nanos int64) string {
	return strconv.FormatInt(seconds, 10) + " seconds and " + strconv.FormatInt(nanos, 10) + " nanoseconds"
}

// appendNanos appends a fraction of 0, 3, 6 or 9 digits.
func appendNanos(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return dst
	}
	begin := len(dst)
	dst = strconv.AppendInt(dst, nanos+1e9, 10)
	dst[begin] = '.'
	for len(dst) > begin+4 && string(dst[len(dst)-3:]) == "000" {
		dst = dst[:len(dst)-3]
	}
	return dst
}

// mask appends the paths of a FieldMask, in lower camel case.
func (r *protoReader) mask(first, last int) error {
	var paths strings.Builder
	for i := first; i < last; i++ {
		if i > first {
			paths.WriteByte(',')
		}
		upper := false
		for _, b := range r.in[r.fields[i].from:r.fields[i].to] {
			switch {
			case 'A' <= b && b <= 'Z' || upper && !('a' <= b && b <= 'z') || b == ',':
				return wrong("a path of a FieldMask has no spelling in JSON")
			case b == '_':
				upper = true
				continue
			case upper:
				b -= 'a' - 'A'
			}
			upper = false
			paths.WriteByte(b)
		}
		if upper {
			return wrong("a path of a FieldMask has no spelling in JSON")
		}
	}
	var err error
	r.out, err = appendText(r.out, []byte(paths.String()))
	return err
}
