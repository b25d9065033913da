package wire

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zlib"
)

const (
	// MaxJSON is the most bytes that the JSON text of a value has.
	MaxJSON = 1 << 20
	// maxPayload is the most bytes that a payload has, also once it is decompressed.
	maxPayload = 1 << 20
	// maxDepth is how deep objects and arrays are within each other: 1 for {}. It is the limit of the decoder of events.
	maxDepth = 64
)

var (
	whyTooDeep = fmt.Sprintf("nested more than %d deep", maxDepth)
	whyTooLong = fmt.Sprintf("more than %d bytes of JSON", MaxJSON)
)

const (
	whyEnds    = "ends too early"
	whyVarint  = "a variable-length number runs on or is too large"
	whyNotUTF8 = "text is not valid UTF-8"
)

// AppendJSON appends the JSON text of a value to dst. The value is whole: with its header, from which the schema's ID is not checked. An
// error says where in the value and why; dst is returned as it was.
//
// In all kinds the payload must be used up, 64-bit integers are numbers, bytes are base64, and text must be valid UTF-8.
//
// Avro: a union is the plain value of its branch. A decimal is an exact number; dates, times and timestamps are the integers as stored; NaN
// and infinities are null. Members are in the order of the schema or, of maps, as stored. A key that a map has twice is an error.
//
// Protobuf: as ProtoJSON, with members in the order of declaration. Fields without presence that are zero, and unknown fields and
// extensions, are left out; an unknown value of an enum is its number. NaN and infinities are strings. An Any has @type and value, in
// base64. A confluent.type.Decimal is an exact number. A field that is not repeated but occurs twice, also two members of a oneof, is an
// error. So is a wire type that the field does not have. Required fields may be missing.
//
// JSON: the payload, if it is one valid JSON value.
func (s *Schema) AppendJSON(dst, value []byte) ([]byte, error) {
	id, payload, ok := Split(value)
	if !ok {
		return dst, wrong("no header of a schema registry")
	}
	if id.Glue && value[1] == zlibbed {
		u := unzips.Get().(*unzip)
		defer unzips.Put(u)
		var err error
		if payload, err = u.all(payload); err != nil {
			return dst, err
		}
	}
	if len(payload) > maxPayload {
		return dst, wrong(fmt.Sprintf("a payload of %d bytes, at most %d are allowed", len(payload), maxPayload))
	}
	out, err := s.appendValue(dst, id, payload)
	if err == nil && len(out)-len(dst) > MaxJSON {
		err = wrong(whyTooLong)
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// unzips are kept for their windows, 40 KB each.
var unzips = sync.Pool{New: func() any { return new(unzip) }}

// unzip decompresses a payload. Its memory is used again.
type unzip struct {
	in  bytes.Reader
	out bytes.Buffer
	z   io.ReadCloser
}

func (u *unzip) all(payload []byte) ([]byte, error) {
	u.in.Reset(payload)
	u.out.Reset()
	var err error
	if u.z == nil {
		u.z, err = zlib.NewReader(&u.in)
	} else {
		err = u.z.(zlib.Resetter).Reset(&u.in, nil)
	}
	if err == nil {
		_, err = u.out.ReadFrom(io.LimitReader(u.z, maxPayload+1))
	}
	switch {
	case err != nil:
		return nil, wrong("zlib: " + err.Error())
	case u.out.Len() > maxPayload:
		return nil, wrong(fmt.Sprintf("zlib: more than %d bytes", maxPayload))
	case u.in.Len() > 0:
		return nil, wrong("zlib: bytes after its end")
	}
	return u.out.Bytes(), nil
}

// appendJSONValue appends a payload that is JSON.
func appendJSONValue(dst []byte, _ ID, payload []byte) ([]byte, error) {
	if !shallow(payload) {
		return dst, wrong(whyTooDeep)
	}
	if !jsontext.Value(payload).IsValid() {
		return dst, wrong("not one valid JSON value")
	}
	return append(dst, payload...), nil
}

// shallow reports whether a JSON text is nested no deeper than maxDepth. The text need not be valid.
func shallow(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return false
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return true
}
