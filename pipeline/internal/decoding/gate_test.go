package decoding_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
)

// gated is a gate with a registry, and what has passed it.
type gated struct {
	*decoding.SchemaGate
	shelf *testpipeline.Shelf
	woken chan struct{}
}

func newGated(t *testing.T, decided int64, known checkpoint.KnownSchemas, ids ...uint32) *gated {
	t.Helper()
	x := &gated{shelf: testpipeline.NewShelf(ids...), woken: make(chan struct{}, 1)}
	book := &schemas.Book{Table: checkpoint.NewClient(testworld.Table(t)), Topic: "t", Registry: x.shelf, Watch: unwatched{}}
	x.SchemaGate = &decoding.SchemaGate{Book: book, Signal: func() { x.woken <- struct{}{} }, Decided: decided, Known: known,
		Learn: func(context.Context, checkpoint.KnownSchemas, checkpoint.KnownSchemas) error { return nil }}
	for _, s := range known {
		if _, err := x.Book.Ask(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Begin(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	return x
}

// pass has records pass, and compares what is known then.
func (x *gated) pass(t *testing.T, want string, records ...*kgo.Record) {
	t.Helper()
	c := &decoding.Chunk{Raw: records}
	for {
		open, err := x.Admit(t.Context(), c, func(int64) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if open {
			break
		}
		<-x.woken
	}
	if got := x.Known.String(); got != want {
		t.Errorf("known are %q, want %q", got, want)
	}
}

// unwatched is a registry of whose answers nothing is said.
type unwatched struct{}

func (unwatched) Asked(time.Time)        {}
func (unwatched) Heard(time.Time, error) {}
func (unwatched) Left()                  {}

// of is a record at an offset whose value names a schema.
func of(offset int64, id byte) *kgo.Record {
	return &kgo.Record{Offset: offset, Value: []byte{0, 0, 0, 0, id, '{', '}'}}
}

// TestRecordsThatComeAgainAskNothing: what was decided about a record stays, though it is fetched once more when the registry has its
// schema.
func TestRecordsThatComeAgainAskNothing(t *testing.T) {
	x := newGated(t, 0, nil, 1)
	x.pass(t, "1@10", of(10, 1), of(11, 3))
	x.shelf.Change(func() { x.shelf.Has[wire.Confluent(3)] = `{}` })
	x.pass(t, "1@10", of(11, 3))
	x.pass(t, "1@10 3@12", of(11, 3), of(12, 3))
}

// TestAnIdThatIsDeniedIsAskedForAgain: with the next chunk that has it.
func TestAnIdThatIsDeniedIsAskedForAgain(t *testing.T) {
	x := newGated(t, 0, nil)
	x.pass(t, "", of(10, 3), of(11, 3))
	x.pass(t, "", of(12, 3))
	if n := x.shelf.Asked[wire.Confluent(3)]; n != 2 {
		t.Errorf("asked %d times, want once for each of two chunks", n)
	}
	x.shelf.Change(func() { x.shelf.Has[wire.Confluent(3)] = `{}` })
	x.pass(t, "3@13", of(13, 3))
}

// TestNothingIsAskedAboutDecidedRecords: a flush of some lane has begun with them.
func TestNothingIsAskedAboutDecidedRecords(t *testing.T) {
	x := newGated(t, 11, nil, 1)
	x.pass(t, "", of(9, 1), of(10, 1))
	x.pass(t, "1@11", of(10, 1), of(11, 1))
	if n := x.shelf.Asked[wire.Confluent(1)]; n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

// TestSchemasAreKnownEarlierThanFirstRecorded: an owner that has learned a schema may end before it begins a flush. If records before are
// read by none yet, they are by the next owner's; in a topic that was created again they are others.
func TestSchemasAreKnownEarlierThanFirstRecorded(t *testing.T) {
	x := newGated(t, 20, checkpoint.KnownSchemas{{ID: wire.Confluent(1), From: 30}}, 1)
	asked := x.shelf.Asked[wire.Confluent(1)]
	x.pass(t, "1@30", of(19, 1))
	x.pass(t, "1@20", of(20, 1))
	x.pass(t, "1@20", of(25, 1), of(30, 1))
	if n := x.shelf.Asked[wire.Confluent(1)]; n != asked {
		t.Errorf("the registry was asked %d times for a schema that the table keeps", n-asked)
	}
}

// TestMarkersOfTransactionsNameNoSchema: their values begin with a zero byte, as those with a header do.
func TestMarkersOfTransactionsNameNoSchema(t *testing.T) {
	x := newGated(t, 0, nil, 0)
	control := of(5, 0)
	control.Attrs = kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Control: true})
	x.pass(t, "", control, batch.MarkerAt(batch.Place{Offset: 6}))
	if n := x.shelf.Asked[wire.Confluent(0)]; n != 0 {
		t.Errorf("the registry was asked %d times", n)
	}
}
