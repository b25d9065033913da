package wire

import (
	"encoding/binary"
	"math"
	"strconv"
)

// maxEmptyItems is how many items of arrays without a byte of their own a value may have.
const maxEmptyItems = 1_000

// avroReader reads a payload and appends its text.
type avroReader struct {
	in    []byte
	at    int // the next byte of in
	out   []byte
	most  int // of out, in bytes
	empty int // items without bytes so far
	keys  keys
}

func appendAvro(dst []byte, root *avroType, payload []byte) ([]byte, error) {
	r := avroReader{in: payload, out: dst, most: len(dst) + MaxJSON}
	if err := r.value(root, 0); err != nil {
		return dst, err
	}
	if r.at < len(r.in) {
		return dst, wrong(strconv.Itoa(len(r.in)-r.at) + " bytes are left after the value")
	}
	return r.out, nil
}

// value appends a value of a type. depth is how many objects and arrays it is in.
func (r *avroReader) value(t *avroType, depth int) (err error) {
	switch t.kind {
	case avroNull:
		r.out = append(r.out, "null"...)
	case avroBoolean:
		err = r.boolean()
	case avroInt, avroLong:
		var n int64
		if n, err = r.long(); err == nil && t.kind == avroInt && int64(int32(n)) != n {
			err = wrong("an int has more than 32 bits")
		}
		r.out = strconv.AppendInt(r.out, n, 10)
	case avroFloat, avroDouble:
		err = r.float(t.kind)
	case avroString:
		var text []byte
		if text, err = r.bytes(); err == nil {
			r.out, err = appendText(r.out, text)
		}
	case avroEnum:
		var n int64
		if n, err = r.long(); err == nil && (n < 0 || n >= int64(len(t.symbols))) {
			err = wrong("the enum has no symbol " + strconv.FormatInt(n, 10))
		}
		if err == nil {
			r.out = append(r.out, t.symbols[n]...)
		}
	case avroUnion:
		var n int64
		if n, err = r.long(); err == nil && (n < 0 || n >= int64(len(t.branches))) {
			err = wrong("the union has no branch " + strconv.FormatInt(n, 10))
		}
		if err == nil {
			err = r.value(t.branches[n], depth)
		}
	case avroRecord:
		err = r.record(t, depth+1)
	case avroArray:
		err = r.array(t, depth+1)
	case avroMap:
		err = r.mapped(t, depth+1)
	default:
		err = r.binary(t)
	}
	if err == nil && len(r.out) > r.most {
		err = wrong(whyTooLong)
	}
	return err
}

// binary appends a value that is stored as bytes or fixed.
func (r *avroReader) binary(t *avroType) (err error) {
	var b []byte
	switch t.kind {
	case avroBytes, avroDecimal, avroBigDecimal:
		b, err = r.bytes()
	default:
		b, err = r.take(uint64(t.size))
	}
	if err != nil {
		return err
	}
	switch t.kind {
	case avroDecimal, avroDecimalFixed:
		r.out, err = appendDecimal(r.out, b, t.scale)
	case avroBigDecimal:
		err = r.bigDecimal(b)
	case avroUUID:
		r.out = append(append(append(r.out, '"'), Glue([16]byte(b)).String()...), '"')
	default:
		r.out = appendBase64(r.out, b)
	}
	return err
}

// bigDecimal appends a number that is stored as its integer, in bytes, and its scale.
func (r *avroReader) bigDecimal(b []byte) error {
	in := avroReader{in: b}
	integer, err := in.bytes()
	if err != nil {
		return err
	}
	scale, err := in.long()
	if err != nil {
		return err
	}
	if scale < -maxDigits || scale > maxDigits || in.at < len(b) {
		return wrong("a big-decimal with scale " + strconv.FormatInt(scale, 10) + " and " + strconv.Itoa(len(b)-in.at) + " bytes left")
	}
	r.out, err = appendDecimal(r.out, integer, int(scale))
	return err
}

func (r *avroReader) record(t *avroType, depth int) error {
	if depth > maxDepth {
		return wrong(whyTooDeep)
	}
	sep := byte('{')
	for i := range t.fields {
		f := &t.fields[i]
		r.out = append(append(r.out, sep), f.label...)
		if err := r.value(f.of, depth); err != nil {
			return within(err, f.name)
		}
		sep = ','
	}
	if len(t.fields) == 0 {
		r.out = append(r.out, '{')
	}
	r.out = append(r.out, '}')
	return nil
}

// array appends the items of all blocks.
func (r *avroReader) array(t *avroType, depth int) error {
	if depth > maxDepth {
		return wrong(whyTooDeep)
	}
	r.out = append(r.out, '[')
	for n := 0; ; {
		count, end, err := r.block()
		if err != nil {
			return within(err, index(n))
		}
		if count == 0 {
			r.out = append(r.out, ']')
			return nil
		}
		for ; count > 0; count-- {
			if n > 0 {
				r.out = append(r.out, ',')
			}
			before := r.at
			err := r.value(t.items, depth)
			if r.at == before && err == nil {
				if r.empty++; r.empty > maxEmptyItems {
					err = wrong("more than " + strconv.Itoa(maxEmptyItems) + " items of arrays have no bytes")
				}
			}
			if err != nil {
				return within(err, index(n))
			}
			n++
		}
		if end >= 0 && r.at != end {
			return within(wrong("a block is not as long as it says"), index(n))
		}
	}
}

// mapped appends the pairs of all blocks of a map.
func (r *avroReader) mapped(t *avroType, depth int) error {
	if depth > maxDepth {
		return wrong(whyTooDeep)
	}
	r.out = append(r.out, '{')
	own := r.keys.open()
	for first := true; ; {
		count, end, err := r.block()
		if err != nil {
			return err
		}
		if count == 0 {
			r.keys.close(own)
			r.out = append(r.out, '}')
			return nil
		}
		for ; count > 0; count-- {
			k, err := r.bytes()
			if err != nil {
				return err
			}
			if !r.keys.add(&own, k) {
				return within(wrong("the map has this key twice"), key(k))
			}
			if !first {
				r.out = append(r.out, ',')
			}
			first = false
			if r.out, err = appendText(r.out, k); err == nil {
				r.out = append(r.out, ':')
				err = r.value(t.items, depth)
			}
			if err != nil {
				return within(err, key(k))
			}
		}
		if end >= 0 && r.at != end {
			return wrong("a block is not as long as it says")
		}
	}
}

// block returns how many items the next block has, 0 after the last, and where it ends; -1 if it does not say.
func (r *avroReader) block() (count int64, end int, err error) {
	count, err = r.long()
	if err != nil || count >= 0 {
		return count, -1, err
	}
	size, err := r.long()
	if err != nil {
		return 0, 0, err
	}
	if count == math.MinInt64 || size < 0 || size > int64(len(r.in)-r.at) {
		return 0, 0, wrong("a block of " + strconv.FormatInt(size, 10) + " bytes " + whyEnds)
	}
	return -count, r.at + int(size), nil
}

func (r *avroReader) boolean() error {
	b, err := r.take(1)
	switch {
	case err != nil:
		return err
	case b[0] == 0:
		r.out = append(r.out, "false"...)
	case b[0] == 1:
		r.out = append(r.out, "true"...)
	default:
		return wrong("a boolean is neither 0 nor 1")
	}
	return nil
}

func (r *avroReader) float(kind avroKind) error {
	size, bits := 8, 64
	if kind == avroFloat {
		size, bits = 4, 32
	}
	b, err := r.take(uint64(size))
	if err != nil {
		return err
	}
	var f float64
	if kind == avroFloat {
		f = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	} else {
		f = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	if !finite(f) {
		r.out = append(r.out, "null"...)
		return nil
	}
	r.out = appendFloat(r.out, f, bits)
	return nil
}

// long reads a number in zigzag.
func (r *avroReader) long() (int64, error) {
	u, n := binary.Uvarint(r.in[r.at:])
	switch {
	case n == 0 && len(r.in)-r.at < binary.MaxVarintLen64:
		return 0, wrong(whyEnds)
	case n <= 0:
		return 0, wrong(whyVarint)
	}
	r.at += n
	return int64(u>>1) ^ -int64(u&1), nil
}

// bytes reads a length and as many bytes.
func (r *avroReader) bytes() ([]byte, error) {
	n, err := r.long()
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, wrong("a length is negative")
	}
	return r.take(uint64(n))
}

func (r *avroReader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.in)-r.at) {
		return nil, wrong(strconv.FormatUint(n, 10) + " bytes are wanted, " + strconv.Itoa(len(r.in)-r.at) + " are left")
	}
	b := r.in[r.at : r.at+int(n)]
	r.at += int(n)
	return b, nil
}
