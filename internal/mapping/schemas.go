package mapping

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
)

// InputRegistry says that values may begin with the id of a schema, in the format of Confluent's or AWS Glue's serializers. Those that do
// not are JSON.
const InputRegistry = "registry"

// SchemaFinder returns the schema that reads the value of a record, given the id in that value; nil: the record is rejected, and why
// is the cause, for people.
type SchemaFinder func(r *kgo.Record, id wire.ID) (s *wire.Schema, why string)

// WhyLater is why a record is rejected whose schema became known with a later record, if at all.
const WhyLater = "it was not known when the record was first read"

// NoSchemas is a SchemaFinder without a schema.
func NoSchemas(*kgo.Record, wire.ID) (*wire.Schema, string) {
	return nil, "no schema registry is configured"
}

// ReadsSchemas reports whether values may name schemas: [Mapping.FindSchema] is needed then.
func (m *Mapping) ReadsSchemas() bool { return m != nil && m.input == InputRegistry }

// withJSON returns the record with its value as JSON, if the value names a schema. The record is good until the next call; the new value
// belongs to the caller. A record whose schema is unknown is [event.UnknownSchema]; one that does not fit its schema is [event.NotMapped].
func (m *Mapping) withJSON(r *kgo.Record) (*kgo.Record, event.Reason, string) {
	if !m.ReadsSchemas() {
		return r, event.Accepted, ""
	}
	id, _, ok := wire.Split(r.Value)
	if !ok {
		return r, event.Accepted, ""
	}
	s, why := m.FindSchema(r, id)
	if s == nil {
		return nil, event.UnknownSchema, event.TruncateDetail(fmt.Sprintf("schema %s: %s", id, why))
	}
	value, err := s.AppendJSON(make([]byte, 0, 2*len(r.Value)+256), r.Value)
	if err != nil {
		return nil, event.NotMapped, event.TruncateDetail(fmt.Sprintf("schema %s: %v", id, err))
	}
	m.decoded = *r
	m.decoded.Value = value
	return &m.decoded, event.Accepted, ""
}

// Value returns the value of a record that names a schema, as JSON; nil: it names none, or one that is unknown or does not fit.
func (m *Mapping) Value(r *kgo.Record) []byte {
	read, reason, _ := m.withJSON(r)
	if reason != event.Accepted || read == r {
		return nil
	}
	return read.Value
}
