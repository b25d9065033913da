package decoding

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
)

// SchemaGate holds a chunk back until each id in it is either known or denied. For ids that are new it asks the book, and makes durable
// from which record on they are known. It does so in a goroutine beside the owner's; only the owner calls its methods.
//
// What it decides about a record is the same for all who read the record again. Below Decided nothing is asked: there an id that is not
// known stays unknown, whatever the registry has by now.
type SchemaGate struct {
	Book *schemas.Book
	// Learn makes the list of known schemas durable, in place of the one before.
	Learn   func(ctx context.Context, before, k checkpoint.KnownSchemas) error
	Signal  func()                  // wakes the owner
	Base    int64                   // position = offset + Base
	Decided int64                   // position below which a flush has begun, or a chunk was admitted
	Known   checkpoint.KnownSchemas // replaced when an answer arrives

	knownFrom map[wire.ID]int64 // Known by id; replaced, not changed: chunks that are being decoded have it
	asked     chan answers      // from the goroutine that asks; nil: none runs
}

// answers are what was found out about the new ids of a chunk.
type answers struct {
	known   checkpoint.KnownSchemas
	unknown map[wire.ID]string // why they are not known
	err     error
}

// askAtOnce bounds the ids of a partition that are asked for at the same time.
const askAtOnce = 8

// Begin makes Known durable in place of the list before, and loads its schemas. It is called before the first chunk.
func (g *SchemaGate) Begin(ctx context.Context, before checkpoint.KnownSchemas) error {
	if g.Known.String() != before.String() {
		if err := g.Learn(ctx, before, g.Known); err != nil {
			return err
		}
	}
	ids := make([]wire.ID, len(g.Known))
	for i, s := range g.Known {
		ids[i] = s.ID
	}
	g.index()
	return g.Book.Load(ctx, ids)
}

// index makes knownFrom.
func (g *SchemaGate) index() {
	g.knownFrom = make(map[wire.ID]int64, len(g.Known))
	for _, s := range g.Known {
		g.knownFrom[s.ID] = s.From
	}
}

// Admit reports whether a chunk may be decoded. If not, Signal wakes the owner when it is to call again with the same chunk. reads reports
// whether the value at an offset may name a schema.
func (g *SchemaGate) Admit(ctx context.Context, c *Chunk, reads func(offset int64) bool) (bool, error) {
	if g.asked != nil {
		select {
		case a := <-g.asked:
			g.asked = nil
			if a.err != nil {
				return false, a.err
			}
			g.Known = a.known
			g.index()
			c.unknown = a.unknown
			g.decide(c)
			return true, nil
		default: // No answer yet.
			return false, nil
		}
	}
	wanted := g.wanted(c, reads)
	if len(wanted) == 0 {
		g.decide(c)
		return true, nil
	}
	asked, known := make(chan answers, 1), g.Known
	g.asked = asked
	go func() {
		asked <- g.ask(ctx, known, wanted)
		g.Signal()
	}()
	return false, nil
}

// decide gives a chunk what is known. If its records are fetched again, nothing is asked for them.
func (g *SchemaGate) decide(c *Chunk) {
	c.known = g.knownFrom
	for _, r := range c.Raw {
		g.Decided = max(g.Decided, r.Offset+g.Base+1)
	}
}

// wanted returns the ids of a chunk that are neither known nor decided, each with its first position. An id may be known from a later
// position on: an owner learned it there and lost the partition before it began a flush, or the topic was created again.
func (g *SchemaGate) wanted(c *Chunk, reads func(offset int64) bool) (wanted []checkpoint.KnownSchema) {
	seen := make(map[wire.ID]bool)
	for _, r := range c.Raw {
		if batch.IsMarker(r) { // A transaction's marker has a value that looks like an id.
			continue
		}
		id, _, ok := wire.Split(r.Value)
		position := r.Offset + g.Base
		if !ok || !reads(r.Offset) || position < g.Decided || seen[id] {
			continue
		}
		seen[id] = true
		if from, known := g.knownFrom[id]; !known || position < from {
			wanted = append(wanted, checkpoint.KnownSchema{ID: id, From: position})
		}
	}
	return wanted
}

// ask has the book learn the schemas of ids, and makes durable which are known.
func (g *SchemaGate) ask(ctx context.Context, known checkpoint.KnownSchemas, wanted []checkpoint.KnownSchema) answers {
	a := answers{known: known, unknown: make(map[wire.ID]string)}
	var mu sync.Mutex // covers learned and a.unknown
	var learned []checkpoint.KnownSchema
	var tasks errgroup.Group
	tasks.SetLimit(askAtOnce)
	for _, s := range wanted {
		tasks.Go(func() error {
			why := ""
			if !g.Book.Has(s.ID) {
				var err error
				if why, err = g.Book.Ask(ctx, s.ID); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if why == "" {
				learned = append(learned, s)
			} else {
				a.unknown[s.ID] = why
			}
			return nil
		})
	}
	if a.err = tasks.Wait(); a.err != nil || len(learned) == 0 {
		return a
	}
	if a.known = known.With(learned...); !a.known.HasRoom() {
		a.known = known
		for _, s := range learned {
			a.unknown[s.ID] = "the partition's checkpoint has no room for more schemas"
		}
		return a
	}
	a.err = g.Learn(ctx, known, a.known)
	return a
}

// Close waits for the goroutine that asks, whose context has ended.
func (g *SchemaGate) Close() {
	if g != nil && g.asked != nil {
		<-g.asked
	}
}
