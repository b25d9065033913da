package wire

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ID names a schema as the header of a value does: by Confluent's number, or by the UUID of a Glue schema version. It is comparable; the
// zero value is Confluent's number 0.
type ID struct {
	Glue   bool     // whether UUID is meant rather than Number
	Number uint32   // 0 if Glue
	UUID   [16]byte // zero unless Glue
}

// Confluent returns the ID of a schema in a registry of Confluent's kind.
func Confluent(n uint32) ID { return ID{Number: n} }

// Glue returns the ID of a schema version in AWS Glue.
func Glue(uuid [16]byte) ID { return ID{Glue: true, UUID: uuid} }

// dashes are the places of a UUID's text that hold one.
var dashes = [...]int{8, 13, 18, 23}

// String returns the number, or the UUID as in b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63. See [ParseID].
func (id ID) String() string {
	if !id.Glue {
		return strconv.FormatUint(uint64(id.Number), 10)
	}
	digits := hex.EncodeToString(id.UUID[:])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// ParseID reads what [ID.String] returns. The digits of a UUID may be upper case.
func ParseID(s string) (ID, error) {
	if n, err := strconv.ParseUint(s, 10, 32); err == nil && Confluent(uint32(n)).String() == s {
		return Confluent(uint32(n)), nil
	}
	id := Glue([16]byte{})
	wrong := fmt.Errorf("schema ID %.40q: neither a number up to 4294967295 nor a UUID", s)
	if len(s) != 36 {
		return ID{}, wrong
	}
	digits := make([]byte, 0, 36)
	from := 0
	for _, at := range dashes {
		if s[at] != '-' {
			return ID{}, wrong
		}
		digits = append(digits, s[from:at]...)
		from = at + 1
	}
	digits = append(digits, s[from:]...)
	if _, err := hex.Decode(id.UUID[:], digits); err != nil {
		return ID{}, wrong
	}
	return id, nil
}

// What a header is made of.
//
//	Confluent:  0  number (4 bytes, big-endian)  payload
//	Glue:       3  compression (1 byte)  UUID (16 bytes)  payload
const (
	confluentMagic  = 0
	confluentHeader = 1 + 4
	glueMagic       = 3
	glueHeader      = 1 + 1 + 16
	plain           = 0 // compression of Glue
	zlibbed         = 5
)

// Split reads the header of a value. ok is false if it has none. The payload is the rest of the value, a part of the same memory. It is
// still compressed if Glue's header says so. With Protobuf it begins with the indexes of the message. [Schema.AppendJSON] takes the whole
// value.
func Split(value []byte) (id ID, payload []byte, ok bool) {
	switch {
	case len(value) >= confluentHeader && value[0] == confluentMagic:
		return Confluent(binary.BigEndian.Uint32(value[1:])), value[confluentHeader:], true
	case len(value) >= glueHeader && value[0] == glueMagic && (value[1] == plain || value[1] == zlibbed):
		return Glue([16]byte(value[2:glueHeader])), value[glueHeader:], true
	}
	return ID{}, nil, false
}
