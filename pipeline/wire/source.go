package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the language of a schema, spelled as Confluent's registry does.
type Kind string

// The kinds of schemas.
const (
	Avro     Kind = "AVRO"
	Protobuf Kind = "PROTOBUF"
	JSON     Kind = "JSON"
)

// Source is the text of a schema with all that it refers to.
type Source struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// References are all schemas that the text needs, directly or not, in any order.
	References []Reference `json:"references,omitempty"`
}

// Reference is a schema that others refer to.
type Reference struct {
	Name string `json:"name"` // of Protobuf: the path as in the import
	Text string `json:"text"`
}

// What the text of a schema may have.
const (
	maxText       = 1 << 20 // bytes
	maxReferences = 200
	maxTexts      = 4 << 20 // bytes of a text and its references together
)

// Hash identifies what the source means: white space, the order of JSON members, comments of Protobuf and the order of references do not
// matter. A source that does not compile has a hash, too.
func (s Source) Hash() [32]byte {
	sum := sha256.New()
	write := func(text string) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		sum.Write(length[:])
		sum.Write([]byte(text))
	}
	write(string(s.Kind))
	write(s.canonical(s.Text))
	references := slices.Clone(s.References)
	for i := range references {
		references[i].Text = s.canonical(references[i].Text)
	}
	slices.SortFunc(references, func(a, b Reference) int {
		if n := strings.Compare(a.Name, b.Name); n != 0 {
			return n
		}
		return strings.Compare(a.Text, b.Text)
	})
	for _, r := range references {
		write(r.Name)
		write(r.Text)
	}
	return [32]byte(sum.Sum(nil))
}

// canonical returns a text without what does not matter: JSON as in RFC 8785, Protobuf as its tokens.
func (s Source) canonical(text string) string {
	if s.Kind == Protobuf {
		return protoTokens(text)
	}
	value := jsontext.Value(text)
	if value.Canonicalize() != nil {
		return text
	}
	return string(value)
}

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	appendValue func(dst []byte, id ID, payload []byte) ([]byte, error)
}

// Compile compiles a schema. A text has at most 1 MiB, all texts together 4 MiB. An error says what is wrong with them.
//
// Avro is read as the specification 1.12 has it. A name may be used before its definition. A logical type that is not valid is ignored.
//
// Protobuf is compiled as protoc does, up to edition 2023. The files of google/protobuf are built in, confluent/meta.proto,
// confluent/type/decimal.proto, and google/type's date, timeofday, money and latlng. Schemas with very many declarations are refused.
//
// The text of JSON Schema has to be JSON only: the schema itself is not enforced, as producers have validated their values.
func Compile(s Source) (*Schema, error) {
	total := len(s.Text)
	if len(s.References) > maxReferences {
		return nil, fmt.Errorf("schema: %d references, at most %d are allowed", len(s.References), maxReferences)
	}
	for _, r := range s.References {
		if len(r.Text) > maxText {
			return nil, fmt.Errorf("schema %.60q: %d bytes, at most %d are allowed", r.Name, len(r.Text), maxText)
		}
		if !utf8.ValidString(r.Name) || !utf8.ValidString(r.Text) {
			return nil, fmt.Errorf("schema %.60q: not valid UTF-8", r.Name)
		}
		total += len(r.Name) + len(r.Text)
	}
	if len(s.Text) > maxText || total > maxTexts {
		return nil, fmt.Errorf("schema: %d bytes, %d with its references: at most %d and %d are allowed", len(s.Text), total, maxText, maxTexts)
	}
	if !utf8.ValidString(s.Text) {
		return nil, errors.New("schema: not valid UTF-8")
	}
	switch s.Kind {
	case Avro:
		return compileAvro(s)
	case Protobuf:
		return compileProtobuf(s)
	case JSON:
		if !jsontext.Value(s.Text).IsValid(jsontext.AllowDuplicateNames(true)) {
			return nil, errors.New("schema: not JSON")
		}
		return &Schema{appendValue: appendJSONValue}, nil
	}
	return nil, fmt.Errorf("schema of kind %.20q: not AVRO, PROTOBUF or JSON", s.Kind)
}
