package doctor

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// sampleSchemas are the schemas of the last records: those that the table keeps, which a pipeline reads them with, and the registry's.
type sampleSchemas struct {
	table    checkpoint.Client
	topic    string
	registry schemas.Registry // nil: none is configured
	kept     *schemas.Book    // of the table; nil: it could not be opened
	preview  schemas.Preview

	asked      map[wire.ID]bool // and whether the registry gave a clear answer
	changed    []string         // ids with another schema in the registry than in the table
	unanswered error            // why the registry gave no clear answer, the first time; nil: it always did
}

func newSampleSchemas(o Options) *sampleSchemas {
	s := &sampleSchemas{topic: o.Config.Kafka.Topic, registry: o.Registry, asked: make(map[wire.ID]bool)}
	s.preview.Registry = s
	if o.Table != nil {
		s.table = checkpoint.NewClient(o.Table)
		s.kept = &schemas.Book{Table: s.table, Topic: s.topic}
	}
	return s
}

// Schema asks the registry for the preview, and compares what it answers with what the table keeps.
func (s *sampleSchemas) Schema(ctx context.Context, id wire.ID) (wire.Source, error) {
	source, err := s.registry.Schema(ctx, id)
	if err != nil || s.kept == nil || !s.kept.Has(id) {
		return source, err
	}
	key := sinks.SchemaKey(s.topic, id.String())
	found, err := s.table.BatchGet(ctx, []sinks.Key{key})
	if hash := source.Hash(); err == nil && found[key][sinks.AttrSchemaHash].Str() != hex.EncodeToString(hash[:]) {
		s.changed = append(s.changed, id.String())
	}
	return source, err
}

// ask looks for the schema that a value names, once for each id. After an answer of the registry that is not clear it is asked no more.
func (s *sampleSchemas) ask(ctx context.Context, value []byte) {
	id, _, ok := wire.Split(value)
	if _, asked := s.asked[id]; !ok || asked || s.registry == nil {
		return
	}
	if s.kept != nil {
		if _, err := s.kept.Ask(ctx, id); err != nil { // The table's, which other checks report.
			s.kept = nil
		}
	}
	if s.unanswered == nil {
		s.unanswered = s.preview.Ask(ctx, value)
	}
	s.asked[id] = s.unanswered == nil
}

// waits reports whether a partition that comes to the value waits for the registry.
func (s *sampleSchemas) waits(value []byte) bool {
	id, _, ok := wire.Split(value)
	return ok && s.unanswered != nil && (s.kept == nil || !s.kept.Has(id)) && !s.asked[id]
}

// find is the [mapping.SchemaFinder] of the sample.
func (s *sampleSchemas) find(r *kgo.Record, id wire.ID) (*wire.Schema, string) {
	if s.kept != nil && s.kept.Has(id) {
		return s.kept.Schema(id), ""
	}
	return s.preview.Find(r, id)
}

// judge says whether the schemas of a number of records can be read.
func (s *sampleSchemas) judge(o Options, records int) []Finding {
	f := Finding{Check: "event.registry", Severity: Error}
	switch {
	case o.RegistryError != nil:
		f.Found, f.Endangers = o.RegistryError.Error(), "footfall run does not start: mend event.registry.*"
	case len(s.changed) > 0:
		f.Found = fmt.Sprintf("the registry has other schemas than the table keeps for %s", strings.Join(s.changed, ", "))
		f.Endangers = "footfall run ends at its start until the registry gives the former ones: name the registry that the records are of"
	case s.unanswered != nil:
		f.Found = s.unanswered.Error()
		f.Endangers = "partitions with records of new schemas stop until the registry answers: check event.registry.*"
	case o.Registry == nil:
		return nil
	case len(s.asked) == 0:
		f.Severity, f.Found = OK, fmt.Sprintf("none of the last %d records names a schema, so the registry was not asked", records)
	default:
		f.Severity, f.Found = OK, fmt.Sprintf("the schema registry answers for the last %d records", records)
	}
	return []Finding{f}
}
