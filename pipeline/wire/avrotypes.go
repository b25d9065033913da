package wire

// avroKind says how a value is stored, and how it is written.
type avroKind uint8

const (
	avroOpen avroKind = iota // a name that has no definition yet
	avroNull
	avroBoolean
	avroInt
	avroLong
	avroFloat
	avroDouble
	avroBytes
	avroString
	avroFixed
	avroEnum
	avroRecord
	avroArray
	avroMap
	avroUnion
	avroDecimal      // in bytes
	avroDecimalFixed // in fixed
	avroBigDecimal
	avroUUID // in fixed
)

// avroPrimitives are the types that a schema may name without a definition.
var avroPrimitives = map[string]*avroType{
	"null": {kind: avroNull}, "boolean": {kind: avroBoolean}, "int": {kind: avroInt}, "long": {kind: avroLong},
	"float": {kind: avroFloat}, "double": {kind: avroDouble}, "bytes": {kind: avroBytes}, "string": {kind: avroString},
}

// avroType is a type of a schema. Types may contain themselves.
type avroType struct {
	kind     avroKind
	name     string      // of record, enum and fixed: the full name
	fields   []avroField // of a record
	symbols  [][]byte    // of an enum: as JSON
	items    *avroType   // of an array or a map
	branches []*avroType // of a union
	size     int         // of a fixed, in bytes
	scale    int         // of a decimal
}

type avroField struct {
	name  string
	label []byte // the name as JSON, with the colon
	of    *avroType
}
