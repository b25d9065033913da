package checkpoint

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
)

// The records of a partition are made events of by mappings, which a configuration may change. Both lanes of a partition share one
// decoding, and a redo, the warming up of a window of duplicates and a recount read records again: so which mapping a record has depends
// on its offset alone. Each step names all that the topic's records have.

// MapSpan says which mapping the records have from an offset on.
type MapSpan struct {
	From int64 `json:"from"`
	// Map is [mapping.Config.Canonical]; "": the records are events as they are.
	Map string `json:"map"`
}

// Maps are the spans of a partition, in the order of offsets. Before the first one records are events as they are.
type Maps []MapSpan

// mapsFold is added to the fold version in the text of settings with maps: a release that knows none must not take records for events.
const mapsFold = 1000

// At returns the mapping of an offset.
func (m Maps) At(offset int64) (text string) {
	for _, s := range m {
		if s.From <= offset {
			text = s.Map
		}
	}
	return text
}

// Last returns the mapping of the records to come.
func (m Maps) Last() string {
	if len(m) == 0 {
		return ""
	}
	return m[len(m)-1].Map
}

// Decode makes an event of a record, as [event.Decoder.Decode] does of its value.
type Decode func(r *kgo.Record, e *event.Event) (event.Reason, string)

// Decoder returns what makes events of the records at an offset, with what finds the schemas that values name. It is not safe for
// concurrent use. A mapping of another release is a [*ReleaseError].
func (m Maps) Decoder(offset int64, find func(*kgo.Record, wire.ID) (*wire.Schema, string)) (Decode, error) {
	by, err := mapping.Parse(m.At(offset), find)
	if err != nil {
		return nil, otherMapping(err)
	}
	decoder := event.NewDecoder()
	return func(r *kgo.Record, e *event.Event) (event.Reason, string) { return by.Decode(decoder, r, e) }, nil
}

// Mapped is what a chain, or the script of one, has recorded: it is right below the offset To.
type Mapped struct {
	Maps Maps
	To   int64
}

// NextMaps returns the maps of the steps that are begun from now on. own is what the lanes of a partition have recorded of the topic: what
// reaches furthest is right for all of it. scripts are what the lanes follow after that. No step has begun at or beyond the end of both, so
// from there the configured mapping may hold, whatever a step has named for later. start is the log's: what ends before it is left out.
func NextMaps(own, scripts []Mapped, start int64, configured string) (next Maps) {
	reach := int64(0)
	for _, m := range []Mapped{furthest(own), furthest(scripts)} {
		if m.To <= reach {
			continue
		}
		next = next.with(reach, m.Maps.At(reach))
		for _, s := range m.Maps {
			if reach < s.From && s.From < m.To {
				next = next.with(s.From, s.Map)
			}
		}
		reach = m.To
	}
	next = next.with(reach, configured)
	for len(next) > 0 && (len(next) > 1 && next[1].From <= start || next[0].Map == "") {
		next = next[1:]
	}
	return slices.Clip(next)
}

// ReadSchemas reports whether values may name schemas.
func (m Maps) ReadSchemas() bool {
	return slices.ContainsFunc(m, func(s MapSpan) bool {
		by, err := mapping.Parse(s.Map, mapping.NoSchemas)
		return err == nil && by.ReadsSchemas()
	})
}

// Size is how many bytes the texts of the mappings have.
func (m Maps) Size() (n int) {
	for _, s := range m {
		n += len(s.Map)
	}
	return n
}

// with returns maps that are the same below an offset, and have a mapping from there on.
func (m Maps) with(from int64, text string) Maps {
	if m.Last() == text {
		return m
	}
	return append(m, MapSpan{from, text})
}

func furthest(all []Mapped) (f Mapped) {
	for _, m := range all {
		if m.To > f.To {
			f = m
		}
	}
	return f
}

// PlainBelow returns maps with which the records below an offset are events as they are.
func (m Maps) PlainBelow(to int64) (plain Maps) {
	if text := m.At(to); text != "" {
		plain = append(plain, MapSpan{to, text})
	}
	for _, s := range m {
		if s.From > to {
			plain = append(plain, s)
		}
	}
	return plain
}

// RecordedMaps reads the mappings that a step has named, whatever release has begun it.
func RecordedMaps(ver string) Maps {
	var s struct {
		Maps Maps `json:"maps"`
	}
	if json.Unmarshal([]byte(ver), &s) != nil {
		return nil // ParseSettings reports what is wrong.
	}
	return s.Maps
}

// Check returns a [*ReleaseError] if a mapping is of another release.
func (m Maps) Check() error {
	for _, s := range m {
		if _, err := mapping.Parse(s.Map, mapping.NoSchemas); err != nil {
			return otherMapping(err)
		}
	}
	return nil
}

// otherMapping is the error for a mapping that this release cannot parse.
func otherMapping(err error) error {
	return &ReleaseError{fmt.Sprintf("with a mapping that this footfall does not have (%v)", err)}
}

// inAnotherTopic returns settings for a step after which the chain continues in another topic. Its records have the last mapping.
func inAnotherTopic(ver string) string {
	s, err := ParseValues(ver)
	if err != nil || len(s.Maps) == 0 {
		return ver
	}
	s.Maps = NextMaps(nil, nil, 0, s.Maps.Last())
	return s.text()
}
