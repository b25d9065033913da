package schemas

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/wire"
)

// Preview has the schemas of records that a command only looks at. It asks a registry, and keeps nothing in the table. Not safe for
// concurrent use.
type Preview struct {
	Registry Registry // nil: no schema is found
	answers  map[wire.ID]answer
}

// answer is a clear answer of the registry.
type answer struct {
	schema *wire.Schema
	why    string // there is none
}

// Ask asks the registry for the schema that a value names, once for each id. The error says why there is no clear answer.
func (p *Preview) Ask(ctx context.Context, value []byte) error {
	id, _, ok := wire.Split(value)
	if _, asked := p.answers[id]; !ok || asked || p.Registry == nil {
		return nil
	}
	source, err := p.Registry.Schema(ctx, id)
	if err != nil && !denied(err) {
		return err
	}
	var a answer
	if err == nil {
		a.schema, err = wire.Compile(source)
	}
	if err != nil {
		a = answer{why: cause(id, err)}
	}
	if p.answers == nil {
		p.answers = make(map[wire.ID]answer)
	}
	p.answers[id] = a
	return nil
}

// Find is a [mapping.SchemaFinder]: it returns a schema that was asked for.
func (p *Preview) Find(_ *kgo.Record, id wire.ID) (*wire.Schema, string) {
	a, asked := p.answers[id]
	switch {
	case asked:
		return a.schema, a.why
	case p.Registry == nil:
		return nil, "no schema registry is configured"
	}
	return nil, "the registry gave no clear answer"
}
