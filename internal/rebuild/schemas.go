package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// withoutLost takes schemas off the scripts of a copy that neither the copy nor the registry has any more: their records are rejected. A
// schema that the copy lacks and the registry has is kept again.
func (j *Job) withoutLost(ctx context.Context, scripts checkpoint.Scripts) error {
	book := &schemas.Book{Table: checkpoint.NewClient(j.Pipeline.Table), Topic: j.Pipeline.Topic, Registry: j.Pipeline.Registry,
		Watch: unwatched{}}
	lost := make(map[wire.ID]bool)
	for _, script := range scripts {
		for i := range script {
			left := slices.Clone(script[i].Known)
			for _, s := range left {
				if _, asked := lost[s.ID]; asked {
					continue
				}
				why, err := book.Ask(ctx, s.ID)
				if err != nil {
					return err
				}
				lost[s.ID] = why != ""
			}
			script[i].Known = slices.DeleteFunc(left, func(s checkpoint.KnownSchema) bool { return lost[s.ID] })
		}
	}
	return nil
}

// copySchemas has a table keep the schemas that scripts know, and takes those off the scripts that are gone.
func (j *Job) copySchemas(ctx context.Context, table sinks.Table, scripts checkpoint.Scripts) error {
	gone := make(map[sinks.Key]bool)
	for _, script := range scripts {
		if len(script) == 0 {
			continue
		}
		for _, s := range script[0].Known {
			gone[j.schemaKey(s)] = true
		}
	}
	kept := checkpoint.NewClient(j.Pipeline.Table)
	for keys := range slices.Chunk(slices.Collect(maps.Keys(gone)), sinks.MaxBatchGet) {
		found, err := kept.BatchGet(ctx, keys)
		if err != nil {
			return fmt.Errorf("read the schemas: %w", err)
		}
		for key, it := range found {
			if _, err := table.Put(ctx, sinks.Put{Item: it}); err != nil {
				return err
			}
			delete(gone, key)
		}
	}
	for _, script := range scripts {
		for i := range script {
			script[i].Known = slices.DeleteFunc(slices.Clone(script[i].Known), func(s checkpoint.KnownSchema) bool { return gone[j.schemaKey(s)] })
		}
	}
	return nil
}

func (j *Job) schemaKey(s checkpoint.KnownSchema) sinks.Key {
	return sinks.SchemaKey(j.Pipeline.Topic, s.ID.String())
}

// unwatched is a registry that is asked before a pipeline runs.
type unwatched struct{}

func (unwatched) Asked(time.Time)        {}
func (unwatched) Heard(time.Time, error) {}
func (unwatched) Left()                  {}
