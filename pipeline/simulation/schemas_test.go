package simulation_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/wire"
)

// Schemas in a simulation: values that name them, and a registry that denies an id, or all answers, for a while. Some processes have no
// registry, and some do not read such values.

// simSchemas are the schemas of a seed.
type simSchemas struct {
	dice  *rand.Rand // of its own, so that all else of a seed stays as it is
	shelf *testpipeline.Shelf
}

// simIDs is how many ids values name.
const simIDs = 6

// readsSchemas reports whether a seed's values name schemas. The seeds that internal/plant/bugs name are not among them.
func readsSchemas(seed uint64) bool { return (seed-1)%200 < 60 && seed%6 == 2 }

// frame has some of the records name schemas.
func (s *simulation) frame() {
	x := &simSchemas{dice: rand.New(rand.NewPCG(s.seed, 18)), shelf: testpipeline.NewShelf()}
	s.schemas = x
	x.turn()
	for i := range s.records {
		if r := s.records[i : i+1]; !r[0].Crowd && x.dice.IntN(3) == 0 {
			r[0].Value = append([]byte(nil), r[0].Value...) // Others may share it.
			testpipeline.Framed(r, 1+x.dice.Uint32N(simIDs))
		}
	}
}

// turn changes what the registry has, and whether it answers.
func (x *simSchemas) turn() {
	x.shelf.Change(func() {
		x.shelf.Down = x.dice.IntN(4) == 0
		for id := range uint32(simIDs) {
			switch name := wire.Confluent(1 + id); x.dice.IntN(6) {
			case 0:
				x.shelf.Has[name] = fmt.Sprintf(`{"title": "schema %d"}`, 1+id)
			case 1:
				delete(x.shelf.Has, name)
			}
		}
	})
}

// answer has the registry answer from now on.
func (x *simSchemas) answer() { x.shelf.Change(func() { x.shelf.Down = false }) }

// readSchemas has a process read values with schemas, and gives it the registry.
func (s *simulation) readSchemas(o *pipeline.Options) {
	if s.schemas != nil {
		o.Settings.RawPacked, o.Registry = true, s.schemas.shelf
		o.Settings.Maps = checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
	}
}

// readSomeSchemas is readSchemas for a process that may be configured otherwise.
func (s *simulation) readSomeSchemas(o *pipeline.Options) {
	s.readSchemas(o)
	if s.schemas == nil {
		return
	}
	switch s.schemas.dice.IntN(8) {
	case 0, 1:
		o.Registry = nil
	case 2:
		o.Settings.Maps, o.Registry = nil, nil
	}
}

// plain returns the value of a record without its header; false: by the checkpoint of its partition, its schema is unknown.
func (s *simulation) plain(r *kgo.Record, head checkpoint.Head) (value []byte, ok bool) {
	id, _, framed := wire.Split(r.Value)
	switch {
	case s.schemas == nil || !framed || checkpoint.RecordedMaps(head.Ver).At(r.Offset) == "":
		return r.Value, true
	case !head.Known.Has(id, r.Offset+head.Base):
		s.cover.Hit(onUnknownSchema)
		for _, k := range head.Known {
			if k.ID == id {
				s.cover.Hit(onKnownLater)
			}
		}
		return nil, false
	}
	s.cover.Hit(onSchema)
	return r.Value[5:], true
}
