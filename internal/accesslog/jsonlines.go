package accesslog

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonLines reads lines that are JSON objects, strictly: no duplicate keys, valid UTF-8, nothing after the object.
type jsonLines struct {
	table jsonFormat
	tree  *node
	in    bytes.Reader
	dec   *jsontext.Decoder
	ranks [fields]int
	blank bool // a key of the request is there, but says that there was none
}

// node is a key that is read, or leads to keys that are.
type node struct {
	within map[string]*node // by key; "[0]" is the first element
	field  field            // ignored: none
	rank   int              // among the keys of its field, from 0
}

func newNode() *node { return &node{within: make(map[string]*node)} }

// add adds a key, whose dots lead into objects and arrays.
func (n *node) add(key string, f field, rank int) {
	first, rest, deeper := strings.Cut(key, ".")
	inner := n.within[first]
	if inner == nil {
		inner = newNode()
		n.within[first] = inner
	}
	if deeper {
		inner.add(rest, f, rank)
		return
	}
	inner.field, inner.rank = f, rank
}

func (j *jsonLines) parse(line []byte, v *values) *Fault {
	j.ranks, j.blank = [fields]int{}, false
	for f := range v.at {
		v.at[f] = -1 // A key may be anywhere.
	}
	j.in.Reset(line)
	if j.dec == nil {
		j.dec = jsontext.NewDecoder(&j.in)
	} else {
		j.dec.Reset(&j.in)
	}
	if k := j.dec.PeekKind(); k != '{' && k != jsontext.KindInvalid {
		return &Fault{Column: 1, Reason: "not a JSON object"}
	}
	if err := j.object(j.tree, v); err != nil {
		return notJSON(err, j.dec.InputOffset())
	}
	if _, err := j.dec.ReadToken(); err != io.EOF {
		return &Fault{Column: int(j.dec.InputOffset()) + 1, Reason: "bytes after the JSON object"}
	}
	if j.table.name == "cloudfront-json" {
		if len(v.of[clock]) > 0 && len(v.of[instant]) < len("1731623646") {
			v.of[instant] = nil // It is no time by itself.
		}
		for _, f := range []field{target, query, referrer, userAgent} {
			v.of[f] = v.decoded(f, v.of[f])
		}
	}
	for _, f := range j.table.needs {
		if len(v.of[f]) == 0 {
			return &Fault{Reason: fieldNames[f] + ": missing: no key is " + strings.Join(j.table.keys[f], " or ")}
		}
	}
	if len(v.of[request])+len(v.of[method]) == 0 && !j.blank {
		return &Fault{Reason: "request: missing"}
	}
	return nil
}

func notJSON(err error, at int64) *Fault {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Fault{Column: int(at) + 1, Reason: "not JSON: it ends too early"}
	}
	return &Fault{Column: int(at) + 1, Reason: "not JSON: " + strings.TrimPrefix(err.Error(), "jsontext: ")}
}

// object reads an object.
func (j *jsonLines) object(n *node, v *values) error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	for j.dec.PeekKind() != '}' {
		name, err := j.dec.ReadValue()
		if err != nil {
			return err
		}
		inner := n.within[string(name[1:len(name)-1])]
		if err := j.value(inner, v); err != nil {
			return err
		}
	}
	_, err := j.dec.ReadToken()
	return err
}

// value reads a value; a nil node: it is not wanted.
func (j *jsonLines) value(n *node, v *values) error {
	kind := j.dec.PeekKind()
	if kind == 'n' && n != nil {
		j.blank = j.blank || n.field == request || n.field == method
	}
	switch {
	case n == nil || kind == 'n' || kind == 't' || kind == 'f':
		return j.dec.SkipValue()
	case kind == '{' && n.field == ignored:
		return j.object(n, v)
	case kind == '[' && n.within["[0]"] != nil:
		return j.first(n.within["[0]"], v)
	case kind == '{' || kind == '[' || n.field == ignored:
		return j.dec.SkipValue()
	}
	value, err := j.dec.ReadValue()
	if err != nil {
		return err
	}
	from := len(v.scratch)
	if kind == '"' {
		if v.scratch, err = jsontext.AppendUnquote(v.scratch, value); err != nil {
			return err
		}
	} else {
		v.scratch = append(v.scratch, value...)
	}
	text := v.scratch[from:len(v.scratch):len(v.scratch)]
	if len(text) == 0 || isDash(text) {
		j.blank = j.blank || n.field == request || n.field == method
		return nil
	}
	if j.ranks[n.field] != 0 && j.ranks[n.field] <= n.rank+1 {
		return nil
	}
	j.ranks[n.field] = n.rank + 1
	v.of[n.field] = text
	return nil
}

// first reads the first element of an array.
func (j *jsonLines) first(n *node, v *values) error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; j.dec.PeekKind() != ']'; i++ {
		inner := n
		if i > 0 {
			inner = nil
		}
		if err := j.value(inner, v); err != nil {
			return err
		}
	}
	_, err := j.dec.ReadToken()
	return err
}
