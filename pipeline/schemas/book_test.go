package schemas_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

const topic = "t"

var seven = wire.Confluent(7)

// unwatched is a registry without a watch.
type unwatched struct{}

func (unwatched) Asked(time.Time)        {}
func (unwatched) Heard(time.Time, error) {}
func (unwatched) Left()                  {}

func newBook(table sinks.Table, r schemas.Registry) *schemas.Book {
	return &schemas.Book{Table: checkpoint.NewClient(table), Topic: topic, Registry: r, Watch: unwatched{}}
}

// TestItemsAreChecked: what is read from the table is what was kept, or an error that names the item.
func TestItemsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(sinks.Item)
		want   string // in the error; "": the schema is loaded
	}{
		"as it was kept": {func(sinks.Item) {}, ""},
		"no text":        {func(it sinks.Item) { delete(it, sinks.AttrSchemaText) }, "SCHEMA#t#7"},
		"not compressed": {func(it sinks.Item) { it[sinks.AttrSchemaText] = sinks.Bytes([]byte("{}")) }, "SCHEMA#t#7"},
		"another hash":   {func(it sinks.Item) { it[sinks.AttrSchemaHash] = sinks.Str("0") }, "its text has the hash "},
	} {
		t.Run(name, func(t *testing.T) {
			table := testworld.Table(t)
			if why, err := newBook(table, testpipeline.NewShelf(7)).Ask(t.Context(), seven); why != "" || err != nil {
				t.Fatalf("Ask = %q, %v", why, err)
			}
			key := sinks.SchemaKey(topic, "7")
			found, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
			if err != nil {
				t.Fatal(err)
			}
			it := found.Items[key]
			c.change(it)
			if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
			b := newBook(table, nil)
			err = b.Load(t.Context(), []wire.ID{seven})
			if c.want == "" && (err != nil || b.Schema(seven) == nil) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("Load = %v, want %q", err, c.want)
			}
			if damaged := errors.As(err, new(*sinks.DamagedError)); damaged != (c.want != "") {
				t.Errorf("%v is reported as damage: %v", err, damaged)
			}
		})
	}
}

// TestSchemasThatAreNotKept: what the registry has and footfall cannot use is no schema, and the table gets no item.
func TestSchemasThatAreNotKept(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":  {`{"title"`, "not JSON"},
		"too long": {`"` + strings.Repeat("x", 1<<20) + `"`, "1048578 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			table, shelf := testworld.Table(t), testpipeline.NewShelf()
			shelf.Has[seven] = c.text
			b := newBook(table, shelf)
			if why, err := b.Ask(t.Context(), seven); err != nil || !strings.Contains(why, c.want) || b.Has(seven) {
				t.Errorf("Ask = %q, %v, want %q", why, err, c.want)
			}
			if why, err := newBook(table, nil).Ask(t.Context(), seven); err != nil || !strings.Contains(why, "the table does not keep it") {
				t.Errorf("without the registry Ask = %q, %v", why, err)
			}
		})
	}
}

// TestManySchemasAreCompiledAgain: a book has more schemas than it keeps compiled.
func TestManySchemasAreCompiledAgain(t *testing.T) {
	const many = 300
	var ids []uint32
	for id := range uint32(many) {
		ids = append(ids, id)
	}
	b := newBook(testworld.Table(t), testpipeline.NewShelf(ids...))
	for _, id := range ids {
		if why, err := b.Ask(t.Context(), wire.Confluent(id)); why != "" || err != nil {
			t.Fatalf("Ask = %q, %v", why, err)
		}
	}
	for _, id := range ids {
		if b.Schema(wire.Confluent(id)) == nil {
			t.Fatalf("schema %d is gone", id)
		}
	}
	once, again := b.Schema(wire.Confluent(many-1)), b.Schema(wire.Confluent(many-1))
	if once != again {
		t.Error("a schema in use is compiled for each record")
	}
}
