package wire

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
)

// maxTypeDepth is how deep types are within each other in the text of an Avro schema.
const maxTypeDepth = 128

// avroCompiler reads the texts of a schema.
type avroCompiler struct {
	defined map[string]*avroType // by full name
	uses    []avroUse
	unions  []*avroType
}

// avroUse is the use of a name before its definition.
type avroUse struct {
	name  string // in the namespace of the use
	plain string // without a namespace: what is meant if there is no such name
	of    *avroType
}

func compileAvro(s Source) (*Schema, error) {
	c := avroCompiler{defined: make(map[string]*avroType)}
	for _, r := range s.References {
		if _, err := c.text(r.Text); err != nil {
			return nil, fmt.Errorf("avro schema %.60q: %w", r.Name, err)
		}
	}
	root, err := c.text(s.Text)
	if err == nil {
		err = c.resolve()
	}
	if err != nil {
		return nil, fmt.Errorf("avro schema: %w", err)
	}
	return &Schema{appendValue: func(dst []byte, _ ID, payload []byte) ([]byte, error) { return appendAvro(dst, root, payload) }}, nil
}

func (c *avroCompiler) text(text string) (*avroType, error) {
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return c.read(tree, "", 0)
}

// read returns the type that a part of a text describes.
func (c *avroCompiler) read(tree any, namespace string, depth int) (*avroType, error) {
	if depth > maxTypeDepth {
		return nil, fmt.Errorf("types are nested more than %d deep", maxTypeDepth)
	}
	switch tree := tree.(type) {
	case string:
		return c.use(tree, namespace)
	case []any:
		return c.union(tree, namespace, depth)
	case map[string]any:
		name, ok := tree["type"].(string)
		if !ok {
			return c.read(tree["type"], namespace, depth+1)
		}
		switch name {
		case "record", "error", "enum", "fixed":
			return c.define(name, tree, namespace, depth)
		case "array":
			return c.container(avroArray, tree["items"], namespace, depth)
		case "map":
			return c.container(avroMap, tree["values"], namespace, depth)
		}
		of, err := c.use(name, namespace)
		if err != nil {
			return nil, err
		}
		return of.logical(tree)
	case nil:
		return nil, errors.New("a type is missing")
	}
	return nil, fmt.Errorf("a type is %s, not a name, an object or an array", spelled(tree))
}

// use returns the type of a name.
func (c *avroCompiler) use(name, namespace string) (*avroType, error) {
	if t := avroPrimitives[name]; t != nil {
		return t, nil
	}
	if name == "" {
		return nil, errors.New("a type has an empty name")
	}
	full := fullName(name, namespace)
	if t := c.defined[full]; t != nil {
		return t, nil
	}
	t := &avroType{}
	c.uses = append(c.uses, avroUse{full, name, t})
	return t, nil
}

// fullName puts a name without dots into a namespace.
func fullName(name, namespace string) string {
	if namespace == "" || strings.Contains(name, ".") {
		return strings.TrimPrefix(name, ".")
	}
	return namespace + "." + name
}

func (c *avroCompiler) container(kind avroKind, items any, namespace string, depth int) (*avroType, error) {
	of, err := c.read(items, namespace, depth+1)
	if err != nil {
		return nil, err
	}
	return &avroType{kind: kind, items: of}, nil
}

func (c *avroCompiler) union(branches []any, namespace string, depth int) (*avroType, error) {
	t := &avroType{kind: avroUnion}
	for _, b := range branches {
		of, err := c.read(b, namespace, depth+1)
		if err != nil {
			return nil, err
		}
		if of.kind == avroUnion {
			return nil, errors.New("a union is directly within a union")
		}
		t.branches = append(t.branches, of)
	}
	c.unions = append(c.unions, t)
	return t, nil
}

// define reads a type that has a name.
func (c *avroCompiler) define(what string, tree map[string]any, namespace string, depth int) (*avroType, error) {
	name, _ := tree["name"].(string)
	if name == "" {
		return nil, fmt.Errorf("type %s has no name", what)
	}
	if in, ok := tree["namespace"].(string); ok {
		namespace = in
	}
	t := &avroType{name: fullName(name, namespace)}
	if avroPrimitives[t.name] != nil || c.defined[t.name] != nil {
		return nil, fmt.Errorf("%.60q is defined twice", t.name)
	}
	c.defined[t.name] = t
	namespace = t.name[:max(strings.LastIndexByte(t.name, '.'), 0)]
	var err error
	switch what {
	case "enum":
		t.kind, err = avroEnum, t.readSymbols(tree["symbols"])
	case "fixed":
		t.kind = avroFixed
		if t.size, err = natural(tree["size"]); err == nil {
			return t.logical(tree)
		}
	default:
		t.kind, err = avroRecord, c.readFields(t, tree["fields"], namespace, depth)
	}
	if err != nil {
		return nil, fmt.Errorf("%.60q: %w", t.name, err)
	}
	return t, nil
}

func (c *avroCompiler) readFields(t *avroType, tree any, namespace string, depth int) error {
	list, ok := tree.([]any)
	if !ok {
		return errors.New("a record has no list of fields")
	}
	seen := make(map[string]bool, len(list))
	for _, part := range list {
		field, _ := part.(map[string]any)
		name, _ := field["name"].(string)
		if name == "" || seen[name] {
			return fmt.Errorf("field %.60q has no name, or one that another field has", name)
		}
		seen[name] = true
		of, err := c.read(field["type"], namespace, depth+1)
		if err != nil {
			return fmt.Errorf("field %.60q: %w", name, err)
		}
		t.fields = append(t.fields, avroField{name, label(name), of})
	}
	return nil
}

func (t *avroType) readSymbols(tree any) error {
	list, ok := tree.([]any)
	if !ok {
		return errors.New("an enum has no list of symbols")
	}
	for _, part := range list {
		symbol, ok := part.(string)
		if !ok {
			return fmt.Errorf("symbol %s is no string", spelled(part))
		}
		t.symbols = append(t.symbols, quoted(symbol))
	}
	return nil
}

// spelled is the beginning of what a part of a text says.
func spelled(tree any) string { return excerpt(fmt.Sprint(tree)) }

// natural is a number that counts something.
func natural(tree any) (int, error) {
	f, ok := tree.(float64)
	if !ok || f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return 0, fmt.Errorf("%s is not a whole number from 0 to 2147483647", spelled(tree))
	}
	return int(f), nil
}

// logical returns the type with the logical type of its definition, if that changes what is written. One that is not valid is ignored, as
// the specification wants. A fixed becomes it in place, as its name is in use.
func (t *avroType) logical(tree map[string]any) (*avroType, error) {
	name, _ := tree["logicalType"].(string)
	switch {
	case name == "decimal" && (t.kind == avroBytes || t.kind == avroFixed):
		precision, err := natural(tree["precision"])
		scale := 0
		if err == nil && tree["scale"] != nil {
			scale, err = natural(tree["scale"])
		}
		if err != nil || precision == 0 || scale > precision {
			return t, nil
		}
		if precision > maxDigits {
			return nil, fmt.Errorf("a decimal with precision %d, at most %d is allowed", precision, maxDigits)
		}
		if t.kind == avroBytes {
			return &avroType{kind: avroDecimal, scale: scale}, nil
		}
		t.kind, t.scale = avroDecimalFixed, scale
	case name == "big-decimal" && t.kind == avroBytes:
		return &avroType{kind: avroBigDecimal}, nil
	case name == "uuid" && t.kind == avroFixed && t.size == 16:
		t.kind = avroUUID
	}
	return t, nil
}

// resolve gives the names that were used before their definition what they mean, and checks the unions.
func (c *avroCompiler) resolve() error {
	for _, u := range c.uses {
		t := c.defined[u.name]
		if t == nil {
			t = c.defined[u.plain]
		}
		if t == nil {
			return fmt.Errorf("type %.60q is not defined", u.name)
		}
		*u.of = *t
	}
	for _, u := range c.unions {
		kinds, names := make(map[avroKind]bool), make(map[string]bool)
		for _, b := range u.branches {
			kind := b.stored()
			if b.name != "" && names[b.name] || b.name == "" && kinds[kind] {
				return errors.New("a union has a type twice")
			}
			names[b.name] = true
			if b.name == "" {
				kinds[kind] = true
			}
		}
	}
	return nil
}

// stored is the kind without the logical type.
func (t *avroType) stored() avroKind {
	if t.kind == avroDecimal || t.kind == avroBigDecimal {
		return avroBytes
	}
	return t.kind
}
