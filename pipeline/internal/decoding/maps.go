package decoding

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/wire"
)

// maps are the mappings of a partition's records by offset.
type maps []mapFrom

type mapFrom struct {
	from int64
	to   *mapping.Mapping // nil: events as they are
}

// at returns the mapping of an offset; nil: the record is an event as it is.
func (m maps) at(offset int64) *mapping.Mapping {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].from <= offset {
			return m[i].to
		}
	}
	return nil
}

// Map has the decoder make events of records by mappings. It is called before the first record. Mappings of another release are a
// [*checkpoint.ReleaseError].
func (d *Decoder) Map(recorded checkpoint.Maps) error {
	if err := recorded.Check(); err != nil {
		return err
	}
	for _, s := range recorded {
		m, _ := mapping.Parse(s.Map, d.findSchema) // It is checked.
		d.maps = append(d.maps, mapFrom{s.From, m})
	}
	return nil
}

// ReadsSchemas reports whether values at an offset may name schemas.
func (d *Decoder) ReadsSchemas(offset int64) bool { return d.maps.at(offset).ReadsSchemas() }

// findSchema is the [mapping.SchemaFinder] of the partition: it returns what the gate has decided about the present chunk.
func (d *Decoder) findSchema(r *kgo.Record, id wire.ID) (*wire.Schema, string) {
	c := d.chunk
	if from, ok := c.known[id]; ok && from <= r.Offset+d.gate.Base {
		return d.gate.Book.Schema(id), ""
	}
	if why := c.unknown[id]; why != "" {
		return nil, why
	}
	return nil, mapping.WhyLater
}
