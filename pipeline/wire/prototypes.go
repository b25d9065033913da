package wire

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoMessage is a message type, or the entry of a map, whose fields are the key and the value. Types may contain themselves.
type protoMessage struct {
	form   protoForm
	fields []protoField               // in the order of declaration
	dense  []int32                    // by number: the place in fields plus 1
	sparse map[protowire.Number]int32 // for large numbers
}

type protoField struct {
	name    string // in JSON
	label   []byte // the name as JSON, with the colon
	kind    protoreflect.Kind
	wire    protowire.Type
	repeats protoRepeats
	zeros   bool // whether it has presence, and zero is written
	oneof   int  // which oneof it is in, from 1; 0: none. An optional field of proto3 is in one of its own.
	message *protoMessage
	enum    *protoEnum
}

// protoRepeats says whether a field may occur more than once.
type protoRepeats uint8

const (
	protoOnce protoRepeats = iota
	protoList
	protoMap
)

// protoEnum has the names of an enum as JSON.
type protoEnum struct {
	names map[int32][]byte
	first int32 // the value of an entry without one
}

// place returns the index of the field with a number; -1: unknown.
func (m *protoMessage) place(n protowire.Number) int {
	if int(n) < len(m.dense) {
		return int(m.dense[n]) - 1
	}
	return int(m.sparse[n]) - 1
}

// protoTree is a message type that a value may be of, with those declared in it.
type protoTree struct {
	*protoMessage
	nested []*protoTree
}

// protoSchema has the message types of a file.
type protoSchema struct {
	tree   []*protoTree    // in the order of declaration, as Confluent counts them
	sorted []*protoMessage // by full name, as Glue counts them
}

// protoTables makes the tables of all messages that are reached.
type protoTables struct {
	messages map[protoreflect.FullName]*protoMessage
	enums    map[protoreflect.FullName]*protoEnum
	todo     []protoreflect.MessageDescriptor
}

func protoSchemaOf(file protoreflect.FileDescriptor) (*Schema, error) {
	t := protoTables{messages: make(map[protoreflect.FullName]*protoMessage), enums: make(map[protoreflect.FullName]*protoEnum)}
	var s protoSchema
	var all []protoreflect.MessageDescriptor
	s.tree, all = t.tree(file.Messages(), nil)
	slices.SortFunc(all, func(a, b protoreflect.MessageDescriptor) int { return cmp.Compare(a.FullName(), b.FullName()) })
	for _, d := range all {
		s.sorted = append(s.sorted, t.message(d))
	}
	if len(all) == 0 {
		return nil, errors.New("protobuf schema: it has no message")
	}
	for len(t.todo) > 0 {
		d := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		if err := t.fill(d); err != nil {
			return nil, fmt.Errorf("protobuf schema: %.100q: %w", d.FullName(), err)
		}
	}
	return &Schema{appendValue: s.appendValue}, nil
}

// tree returns the messages, and appends all of them with those within to all. The entries of maps, and groups, which are declared with
// their fields, are not in the tree: Confluent's serializers count the messages that are declared as such.
func (t *protoTables) tree(of protoreflect.MessageDescriptors, all []protoreflect.MessageDescriptor) (
	[]*protoTree, []protoreflect.MessageDescriptor,
) {
	var trees []*protoTree
	for i := range of.Len() {
		d := of.Get(i)
		all = append(all, d)
		one := &protoTree{protoMessage: t.message(d)}
		one.nested, all = t.tree(d.Messages(), all)
		if !d.IsMapEntry() && !isGroup(d) {
			trees = append(trees, one)
		}
	}
	return trees, all
}

// isGroup reports whether a message is declared as a group of its parent, in proto2.
func isGroup(d protoreflect.MessageDescriptor) bool {
	parent, ok := d.Parent().(protoreflect.MessageDescriptor)
	if !ok || d.ParentFile().Syntax() != protoreflect.Proto2 {
		return false
	}
	f := parent.Fields().ByName(protoreflect.Name(strings.ToLower(string(d.Name()))))
	return f != nil && f.Kind() == protoreflect.GroupKind && f.Message().FullName() == d.FullName()
}

// message returns the table of a message, which is filled later.
func (t *protoTables) message(d protoreflect.MessageDescriptor) *protoMessage {
	m := t.messages[d.FullName()]
	if m == nil {
		m = &protoMessage{form: formOf(d)}
		t.messages[d.FullName()] = m
		t.todo = append(t.todo, d)
	}
	return m
}

func (t *protoTables) fill(d protoreflect.MessageDescriptor) error {
	m := t.messages[d.FullName()]
	fields := d.Fields()
	m.fields = make([]protoField, fields.Len())
	m.dense = make([]int32, min(2*fields.Len()+16, 1024))
	names := make(map[string]bool, fields.Len())
	for i := range fields.Len() {
		f := fields.Get(i)
		m.fields[i] = t.field(f)
		if m.form == formAny && f.Number() == 1 {
			m.fields[i].name, m.fields[i].label = "@type", label("@type")
		}
		if name := m.fields[i].name; names[name] {
			return fmt.Errorf("two fields have the JSON name %.60q", name)
		} else {
			names[name] = true
		}
		if n := f.Number(); int(n) < len(m.dense) {
			m.dense[n] = int32(i) + 1
		} else {
			if m.sparse == nil {
				m.sparse = make(map[protowire.Number]int32)
			}
			m.sparse[n] = int32(i) + 1
		}
	}
	return nil
}

func (t *protoTables) field(d protoreflect.FieldDescriptor) protoField {
	f := protoField{name: d.JSONName(), label: label(d.JSONName()), kind: d.Kind(), wire: wireOf(d.Kind()), zeros: d.HasPresence()}
	switch {
	case d.IsMap():
		f.repeats = protoMap
	case d.IsList():
		f.repeats = protoList
	}
	if o := d.ContainingOneof(); o != nil {
		f.oneof = o.Index() + 1
	}
	if d.Message() != nil {
		f.message = t.message(d.Message())
	}
	if d.Enum() != nil {
		f.enum = t.enum(d.Enum())
	}
	return f
}

func (t *protoTables) enum(d protoreflect.EnumDescriptor) *protoEnum {
	e := t.enums[d.FullName()]
	if e != nil {
		return e
	}
	values := d.Values()
	e = &protoEnum{names: make(map[int32][]byte, values.Len())}
	t.enums[d.FullName()] = e
	for i := range values.Len() {
		v := values.Get(i)
		n := int32(v.Number())
		if i == 0 {
			e.first = n
		}
		if e.names[n] == nil { // Of aliases the first is written.
			e.names[n] = quoted(string(v.Name()))
		}
		if d.FullName() == "google.protobuf.NullValue" {
			e.names[n] = []byte("null")
		}
	}
	return e
}

// wireOf is how values of a kind are stored, unless they are packed.
func wireOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}
