package replay

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
)

// entrySchemas finds the schemas that entries name: either as a flush found them, or as a pipeline would find them now.
type entrySchemas struct {
	book    schemas.Book
	preview schemas.Preview
	silent  bool // the registry gave no clear answer

	known    checkpoint.KnownSchemas // of the chain that flushed the record
	position int64                   // of the record; below 0: as a pipeline would find them now
}

// predictionPatience is how long a prediction waits for a registry.
const predictionPatience = 10 * time.Second

// load reads the schemas that the chains know.
func (s *entrySchemas) load(ctx context.Context, o Options, chains checkpoint.ChainStates) error {
	s.book = schemas.Book{Table: checkpoint.NewClient(o.Table), Topic: o.Topic}
	s.preview.Registry = o.Registry
	var ids []wire.ID
	for _, c := range chains {
		for _, k := range c.Head.Known {
			ids = append(ids, k.ID)
		}
	}
	return s.book.Load(ctx, ids)
}

// asFlushed has find answer as the flush of the record at a position did, by the schemas in the list of its chain.
func (s *entrySchemas) asFlushed(known checkpoint.KnownSchemas, position int64) {
	s.known, s.position = known, position
}

// asNow has find answer for a value as a pipeline would now. Once the registry gives no clear answer it is not asked again: each entry
// would wait for it, and all but the prediction is independent of it. Schemas that it was not asked for count as unknown.
func (s *entrySchemas) asNow(ctx context.Context, value []byte) {
	s.position = -1
	if id, _, ok := wire.Split(value); !ok || s.silent || s.book.Has(id) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, predictionPatience)
	defer cancel()
	s.silent = s.preview.Ask(ctx, value) != nil
}

// find is the [mapping.SchemaFinder] of the entries.
func (s *entrySchemas) find(r *kgo.Record, id wire.ID) (*wire.Schema, string) {
	switch {
	case s.position >= 0 && !s.known.Has(id, s.position):
		return nil, mapping.WhyLater
	case s.book.Has(id):
		return s.book.Schema(id), ""
	}
	return s.preview.Find(r, id)
}
