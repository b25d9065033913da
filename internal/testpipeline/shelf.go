package testpipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/wire"
)

// Shelf is a registry of schemas for JSON.
type Shelf struct {
	mu    sync.Mutex // covers what follows
	Has   map[wire.ID]string
	Down  bool // it gives no clear answer
	Asked map[wire.ID]int
}

// NewShelf makes a registry with schemas of these ids.
func NewShelf(ids ...uint32) *Shelf {
	s := &Shelf{Has: make(map[wire.ID]string), Asked: make(map[wire.ID]int)}
	for _, id := range ids {
		s.Has[wire.Confluent(id)] = fmt.Sprintf(`{"title": "schema %d"}`, id)
	}
	return s
}

// Schema implements the registry of a pipeline.
func (s *Shelf) Schema(_ context.Context, id wire.ID) (wire.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Asked[id]++
	text, ok := s.Has[id]
	switch {
	case s.Down:
		return wire.Source{}, errors.New("503 from the registry")
	case !ok:
		return wire.Source{}, registry.ErrUnknown
	}
	return wire.Source{Kind: wire.JSON, Text: text}, nil
}

// Change changes what the registry has.
func (s *Shelf) Change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Framed gives the values of records the header of Confluent's serializers, with ids in turn.
func Framed(records []Record, ids ...uint32) []Record {
	for i := range records {
		id := ids[i%len(ids)]
		records[i].Value = append([]byte{0, byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}, records[i].Value...)
	}
	return records
}
