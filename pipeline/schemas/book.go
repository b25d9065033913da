package schemas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// Table keeps schemas. It repeats requests until they are answered.
type Table interface {
	Put(ctx context.Context, entity string, p sinks.Put) (sinks.Result, error)
	// BatchGet reads strongly; absent items are not in the answer.
	BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error)
}

// Registry gives the schema with an id. An error that wraps neither [registry.ErrUnknown] nor [registry.ErrUnusable] is no clear answer.
type Registry interface {
	Schema(ctx context.Context, id wire.ID) (wire.Source, error)
}

// Watch takes note of how the registry answers.
type Watch interface {
	Asked(now time.Time)                // a request begins to wait
	Heard(now time.Time, failure error) // an answer, or why there is none
	Left()                              // a request waits no more
}

// Book has the schemas of a topic. Safe for concurrent use.
type Book struct {
	Table    Table
	Topic    string
	Registry Registry // nil: only the schemas that the table keeps are known
	Watch    Watch    // needed with a registry

	mu          sync.Mutex         // covers what follows
	packed      map[wire.ID][]byte // as the table keeps them
	compiled    cache
	unconfirmed []unconfirmed // in the order in which they were loaded
	more        chan struct{} // wakes Confirm when unconfirmed grows; nil: Confirm is not running
}

// unconfirmed is a schema of the table that the registry has not been asked for by this process.
type unconfirmed struct {
	id   wire.ID
	hash string
}

// ErrChanged reports that the registry has another schema for an id than the table keeps.
var ErrChanged = errors.New("the registry answers with another schema than the table keeps")

// Schema returns a schema that was loaded or asked for; nil: it was not.
func (b *Book) Schema(id wire.ID) *wire.Schema {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.compiled.get(id); s != nil {
		return s
	}
	text, ok := b.packed[id]
	if !ok {
		return nil
	}
	source, err := unpack(text)
	if err != nil {
		panic(err) // It was compiled when it was added.
	}
	s, err := wire.Compile(source)
	if err != nil {
		panic(err)
	}
	b.compiled.put(id, s)
	return s
}

// Has reports whether a schema was loaded or asked for.
func (b *Book) Has(id wire.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.packed[id] != nil
}

// Load loads schemas that the table keeps. It asks for one that the table lacks, since a copy of a table has items of different instants.
// One that the registry lacks, too, or that this release cannot read, is an error.
func (b *Book) Load(ctx context.Context, ids []wire.ID) error {
	keys := make(map[sinks.Key]wire.ID)
	for _, id := range ids {
		if !b.Has(id) {
			keys[sinks.SchemaKey(b.Topic, id.String())] = id
		}
	}
	for batch := range slices.Chunk(slices.Collect(maps.Keys(keys)), sinks.MaxBatchGet) {
		found, err := b.Table.BatchGet(ctx, batch)
		if err != nil {
			return fmt.Errorf("read schemas: %w", err)
		}
		for _, key := range batch {
			if it := found[key]; it == nil {
				err = b.restore(ctx, keys[key], key)
			} else {
				err = b.addItem(keys[key], key, it)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// restore asks for a schema that records were counted with and that the table lacks.
func (b *Book) restore(ctx context.Context, id wire.ID, key sinks.Key) error {
	why, err := b.Ask(ctx, id)
	if err != nil || why == "" {
		return err
	}
	return fmt.Errorf("schema %s of topic %q is gone from the table, and records were counted with it: %s: restore item %s / %s from a backup",
		id, b.Topic, why, key.PK, key.SK)
}

// addItem adds the schema of an item, which the registry is to confirm.
func (b *Book) addItem(id wire.ID, key sinks.Key, it sinks.Item) error {
	text := it[sinks.AttrSchemaText].Bytes()
	source, err := unpack(text)
	if err != nil {
		return sinks.Damaged(key, sinks.AttrSchemaText, err)
	}
	if hash := hashText(source); hash != it[sinks.AttrSchemaHash].Str() {
		return sinks.Damaged(key, sinks.AttrSchemaHash, fmt.Errorf("its text has the hash %s", hash))
	}
	s, err := wire.Compile(source)
	if err != nil {
		return fmt.Errorf("schema %s of topic %q was kept by another release, and this one cannot read it: run that one: %w", id, b.Topic, err)
	}
	if !b.add(id, text, s) { // Another partition has read it, too.
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unconfirmed = append(b.unconfirmed, unconfirmed{id, hashText(source)}); b.more != nil {
		select {
		case b.more <- struct{}{}:
		default: // Confirm is about to look.
		}
	}
	return nil
}

// add reports whether the schema is new.
func (b *Book) add(id wire.ID, text []byte, s *wire.Schema) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	had := b.packed[id] != nil
	if b.packed == nil {
		b.packed = make(map[wire.ID][]byte)
	}
	b.packed[id] = text
	b.compiled.put(id, s)
	return !had
}

// The registry is asked again after a pause that doubles.
const (
	pauseFirst = 100 * time.Millisecond
	pauseLast  = 15 * time.Second
)

// Ask adds the schema that the table keeps for an id. If the table has none, it asks the registry until that gives a clear answer, and has
// the table keep the schema. If none can be used, why is the cause, for people. The error is [ErrChanged], one of the table, or
// the end of ctx.
func (b *Book) Ask(ctx context.Context, id wire.ID) (why string, err error) {
	key := sinks.SchemaKey(b.Topic, id.String())
	found, err := b.Table.BatchGet(ctx, []sinks.Key{key}) // Another partition or process may have asked for it.
	if err != nil {
		return "", fmt.Errorf("read schema %s: %w", id, err)
	}
	if it := found[key]; it != nil {
		return "", b.addItem(id, key, it)
	}
	if b.Registry == nil {
		return "the table does not keep it, and no registry is configured", nil
	}
	b.Watch.Asked(time.Now())
	defer b.Watch.Left()
	source, err := b.untilClear(ctx, id, func(failure error) { b.Watch.Heard(time.Now(), failure) })
	if denied(err) {
		return cause(id, err), nil
	}
	if err != nil {
		return "", err
	}
	return b.keep(ctx, id, key, source)
}

// denied reports whether an error of a registry is a clear answer: there is no schema that can be used.
func denied(err error) bool {
	return errors.Is(err, registry.ErrUnknown) || errors.Is(err, registry.ErrUnusable)
}

// cause is why there is no schema, without its name: who reports it names it.
func cause(id wire.ID, err error) string {
	return strings.TrimPrefix(err.Error(), "schema "+id.String()+": ")
}

// untilClear asks the registry until it gives a clear answer. Each answer is reported to heard, a clear one as nil.
func (b *Book) untilClear(ctx context.Context, id wire.ID, heard func(failure error)) (wire.Source, error) {
	for pause := pauseFirst; ; pause = min(2*pause, pauseLast) {
		source, err := b.Registry.Schema(ctx, id)
		if err == nil || denied(err) {
			heard(nil)
			return source, err
		}
		heard(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return wire.Source{}, context.Cause(ctx)
		}
	}
}

// keep has the table keep a schema, unless another process was first, and adds it. If it cannot be used, why is the cause, for people.
func (b *Book) keep(ctx context.Context, id wire.ID, key sinks.Key, source wire.Source) (why string, err error) {
	s, err := wire.Compile(source)
	if err != nil {
		return err.Error(), nil
	}
	text, err := pack(source)
	if err != nil {
		return err.Error(), nil
	}
	hash := hashText(source)
	r, err := b.Table.Put(ctx, sinks.EntitySchema, sinks.Put{
		Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrEntity: sinks.Str(sinks.EntitySchema), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
			sinks.AttrSchemaKind: sinks.Str(string(source.Kind)), sinks.AttrSchemaHash: sinks.Str(hash), sinks.AttrSchemaText: sinks.Bytes(text)},
		If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}},
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("keep schema %s: %w", id, err)
	case r.Refused && r.Item[sinks.AttrSchemaHash].Str() != hash:
		return "", b.changed(id, hash, r.Item[sinks.AttrSchemaHash].Str())
	}
	b.add(id, text, s)
	return "", nil
}

// changed is the error for an id whose schema at the registry has another hash than the one that the table keeps.
func (b *Book) changed(id wire.ID, hash, kept string) error {
	return fmt.Errorf("schema %s of topic %q: %w, hash %s instead of %s: the registry was replaced, or event.registry.urls does not name one "+
		"registry: name the one that the topic's producers use", id, b.Topic, ErrChanged, hash, kept)
}
