package eventjson

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is one key of a JSON object and its value as it stands in the text.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Reader takes JSON objects apart, strictly: no duplicate keys, valid UTF-8, no lone surrogates, nothing after the
// object. The zero value is ready.
type Reader struct {
	in  bytes.Reader
	dec *jsontext.Decoder
}

// Object reads text, which must be one JSON object, and appends its members to dst. The values are parts of text.
func (r *Reader) Object(dst []Member, text []byte) (_ []Member, reason string) {
	r.in.Reset(text)
	if r.dec == nil {
		r.dec = jsontext.NewDecoder(&r.in)
	} else {
		r.dec.Reset(&r.in)
	}
	if k := r.dec.PeekKind(); k != '{' && k != jsontext.KindInvalid {
		return dst, "not a JSON object"
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return dst, notJSON(err)
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return dst, notJSON(err)
		}
		m := Member{Name: name.String()}
		v, err := r.dec.ReadValue()
		if err != nil {
			return dst, notJSON(err)
		}
		end := r.dec.InputOffset() // v itself is good only until the next read.
		m.Value = text[end-int64(len(v)) : end]
		dst = append(dst, m)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return dst, notJSON(err)
	}
	if _, err := r.dec.ReadToken(); err != io.EOF {
		return dst, "bytes after the JSON object"
	}
	return dst, ""
}

func notJSON(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "not JSON: it ends too early"
	}
	return "not JSON: " + strings.TrimPrefix(err.Error(), "jsontext: ")
}

// Find returns the value of a key: nil when the object does not have it.
func Find(object []Member, name string) jsontext.Value {
	for _, m := range object {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Unquote returns the text of a JSON string; ok is false for any other value.
func Unquote(v jsontext.Value) (s string, ok bool) {
	if v.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, v)
	return string(b), err == nil
}

// Quote spells a text as JSON for people.
func Quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}
