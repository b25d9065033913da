package decoding

import (
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
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
		f := mapFrom{from: s.From}
		if s.Map != "" {
			f.to, _ = mapping.Parse(s.Map) // It is checked.
		}
		d.maps = append(d.maps, f)
	}
	return nil
}
