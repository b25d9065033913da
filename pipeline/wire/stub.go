// Package wire is a stub.
package wire

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ID names a schema.
type ID struct {
	Glue   bool
	Number uint32
	UUID   [16]byte
}

// Confluent makes an id.
func Confluent(n uint32) ID { return ID{Number: n} }

// Glue makes an id.
func Glue(uuid [16]byte) ID { return ID{Glue: true, UUID: uuid} }

func (id ID) String() string {
	if !id.Glue {
		return strconv.Itoa(int(id.Number))
	}
	h := hex.EncodeToString(id.UUID[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ParseID reads an id.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	return ID{Number: uint32(n)}, err
}

// Split reads a header.
func Split(value []byte) (ID, []byte, bool) {
	if len(value) >= 5 && value[0] == 0 {
		return Confluent(binary.BigEndian.Uint32(value[1:])), value[5:], true
	}
	return ID{}, nil, false
}

// Kind is AVRO, PROTOBUF or JSON.
type Kind string

// The kinds.
const (
	Avro     Kind = "AVRO"
	Protobuf Kind = "PROTOBUF"
	JSON     Kind = "JSON"
)

// Source is a schema's text.
type Source struct {
	Kind       Kind
	Text       string
	References []Reference
}

// Reference is a schema that another needs.
type Reference struct{ Name, Text string }

// Hash is a hash.
func (s Source) Hash() [32]byte { return [32]byte{} }

// Schema is compiled.
type Schema struct{}

// Compile compiles.
func Compile(s Source) (*Schema, error) { return &Schema{}, fmt.Errorf("stub") }

// AppendJSON appends.
func (s *Schema) AppendJSON(dst, value []byte) ([]byte, error) { return append(dst, value[5:]...), nil }
