package recount

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
)

// schemaIn is a schema that is known in a partition.
type schemaIn struct {
	partition int32
	id        wire.ID
}

// loadSchemas reads the lists of known schemas from the checkpoints of the stats lane, and the schemas from the table. No
// registry is asked. Before its first flush the stats lane may have a list already: the realtime lane's flushes need it.
func (v *Model) loadSchemas(ctx context.Context, all checkpoint.ChainStates) error {
	var ids []wire.ID
	v.known = make(map[schemaIn]int64)
	for id, t := range all {
		if id.Lane != checkpoint.LaneStats {
			continue
		}
		for _, s := range t.Head.KnownIn(v.Log.HexID()) {
			v.known[schemaIn{id.Partition, s.ID}] = s.From
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if v.schemas == nil {
		v.schemas = &schemas.Book{Table: checkpoint.NewClient(v.Opts.Table), Topic: v.Opts.Topic}
	}
	return v.schemas.Load(ctx, ids)
}

// findSchema is the [mapping.SchemaFinder] of the recount: a schema is known from the position that the partition's stats lane has
// recorded.
func (v *Model) findSchema(r *kgo.Record, id wire.ID) (*wire.Schema, string) {
	if from, known := v.known[schemaIn{r.Partition, id}]; !known || r.Offset < from {
		return nil, mapping.WhyLater
	}
	return v.schemas.Schema(id), ""
}
