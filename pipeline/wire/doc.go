// Package wire makes JSON text from values in the wire formats of schema registries, Confluent's and AWS Glue's. Their schemas are in Avro,
// Protobuf or JSON Schema. The decoder of events reads the text as it reads a record that was JSON from the start.
//
// A schema is compiled once with [Compile] and then used for all values whose header names it:
//
//	id, _, ok := wire.Split(record.Value)
//	text, err := schemas[id].AppendJSON(nil, record.Value)
//
// The same bytes always give the same text. The package does no I/O and reads no clock. Schemas and values may be hostile: what they cost
// is bounded, see [Compile] and [MaxJSON].
package wire
