package schemas_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// shelf is a table and a registry. Reads of the table wait for each other: as many as readers has.
type shelf struct {
	items   map[sinks.Key]sinks.Item
	readers sync.WaitGroup

	mu    sync.Mutex // covers asked
	asked int
}

func (s *shelf) Put(_ context.Context, _ string, p sinks.Put) (sinks.Result, error) {
	s.items[p.Item.Key()] = p.Item
	return sinks.Result{}, nil
}

func (s *shelf) BatchGet(context.Context, []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	s.readers.Done()
	s.readers.Wait()
	return maps.Clone(s.items), nil
}

func (s *shelf) Schema(context.Context, wire.ID) (wire.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return wire.Source{Kind: wire.JSON, Text: `{}`}, nil
}

// TestSchemasAreConfirmedOnce: the registry is asked once for a schema that several partitions read from the table at the same time.
func TestSchemasAreConfirmedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{items: make(map[sinks.Key]sinks.Item)}
		id := wire.Confluent(1)
		s.readers.Add(1)
		first := schemas.Book{Table: s, Topic: "events", Registry: s, Watch: watch{}}
		if why, err := first.Ask(t.Context(), id); why != "" || err != nil {
			t.Fatal(why, err)
		}
		asked := s.asked

		const partitions = 3
		s.readers.Add(partitions)
		next := schemas.Book{Table: s, Topic: "events", Registry: s, Watch: watch{}}
		var loads sync.WaitGroup
		for range partitions {
			loads.Go(func() {
				if err := next.Load(t.Context(), []wire.ID{id}); err != nil {
					t.Error(err)
				}
			})
		}
		loads.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- next.Confirm(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil || s.asked != asked+1 {
			t.Errorf("Confirm = %v, and the registry was asked %d times, want once", err, s.asked-asked)
		}
	})
}

// watch takes no note of how the registry answers.
type watch struct{}

func (watch) Asked(time.Time)        {}
func (watch) Heard(time.Time, error) {}
func (watch) Left()                  {}
