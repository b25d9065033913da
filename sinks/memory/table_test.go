package memory_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sinks/memory"
	"github.com/footfall/footfall/sinks/sinktest"
)

func created(t testing.TB) *memory.Table {
	t.Helper()
	table := new(memory.Table)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	return table
}

func TestMemoryKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store { return new(memory.Table) })
}

func TestUnitsAreDynamoDBs(t *testing.T) {
	table := created(t)
	k := sinks.Key{PK: "p", SK: "s"}
	big := sinks.Attr{Name: "text", Value: sinks.Str(strings.Repeat("x", 3000))}
	keys := func(user string) []sinks.Attr {
		return []sinks.Attr{{Name: sinks.AttrGSI1PK, Value: sinks.Str(user)}, {Name: sinks.AttrGSI1SK, Value: sinks.Str("1")}}
	}
	never := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	for _, c := range []struct {
		name string
		u    sinks.Update
		want float64
	}{
		{"a small item appears", sinks.Update{Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}, 1},
		{"it grows to 3 KB", sinks.Update{Set: []sinks.Attr{big}}, 3},
		{"it changes at 3 KB", sinks.Update{Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}, 3},
		{"a change of it is refused", sinks.Update{Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}, If: never}, 3},
		{"it shrinks", sinks.Update{Remove: []string{"text"}}, 3},
		{"a change of the small one is refused", sinks.Update{Remove: []string{"text"}, If: never}, 1},
		{"it enters an index", sinks.Update{Set: keys("u")}, 2},
		{"it changes in the index", sinks.Update{Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}, 1},
		{"it moves in the index", sinks.Update{Set: keys("v")}, 3},
		{"it leaves the index", sinks.Update{Remove: []string{sinks.AttrGSI1SK}}, 2},
	} {
		c.u.Key = k
		r, err := table.Update(t.Context(), c.u)
		if err != nil || r.Units != c.want {
			t.Errorf("%s: %v units, %v, want %v", c.name, r.Units, err, c.want)
		}
	}
	indexed := sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str("t"), "text": big.Value,
		sinks.AttrGSI1PK: sinks.Str("u"), sinks.AttrGSI1SK: sinks.Str("1")}
	if r, err := table.BatchPut(t.Context(), sinktest.Batch(indexed)); err != nil || r.Units != 4 {
		t.Errorf("BatchPut of 3 KB into the index = %v units, %v, want 4", r.Units, err)
	}
	if r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{indexed.Key(), {PK: "p", SK: "none"}},
		Consistent: true}); err != nil || r.Units != 2 {
		t.Errorf("strong BatchGet of 3 KB and of nothing = %v units, %v, want 2", r.Units, err)
	}
	if r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{indexed.Key()}}); err != nil || r.Units != 0.5 {
		t.Errorf("BatchGet of 3 KB = %v units, %v, want 0.5", r.Units, err)
	}
	if r, err := table.Delete(t.Context(), sinks.Delete{Key: indexed.Key()}); err != nil || r.Units != 4 {
		t.Errorf("Delete of 3 KB from the index = %v units, %v, want 4", r.Units, err)
	}
}

func TestSweepDeletesWhatHasExpired(t *testing.T) {
	table := created(t)
	now := time.Unix(1_700_000_000, 0)
	const expired = memory.MaxSweep + 20
	for i := range expired {
		putTTL(t, table, fmt.Sprintf("old %04d", i), sinks.Int(now.Unix()-int64(i)))
	}
	putTTL(t, table, "kept: expires in a second", sinks.Int(now.Unix()+1))
	putTTL(t, table, "kept: expires never", sinks.Value{})
	putTTL(t, table, "kept: not a number", sinks.Str("1"))
	moved := sinks.Update{Key: sinks.Key{PK: "p", SK: "old 0000"},
		Set: []sinks.Attr{{Name: sinks.AttrTTL, Value: sinks.Int(now.Unix() + 100)}}}
	if _, err := table.Update(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{memory.MaxSweep, expired - 1 - memory.MaxSweep, 0} {
		if n, err := table.Sweep(t.Context(), now); err != nil || n != want {
			t.Errorf("Sweep = %d, %v, want %d", n, err, want)
		}
	}
	p, err := table.Query(t.Context(), sinks.Query{PK: "p"})
	if err != nil || len(p.Items) != 4 {
		t.Errorf("%d items are left, %v, want 4", len(p.Items), err)
	}
}

func putTTL(t *testing.T, table *memory.Table, sk string, ttl sinks.Value) {
	t.Helper()
	it := sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str(sk)}
	if ttl.Kind() != sinks.None {
		it[sinks.AttrTTL] = ttl
	}
	if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
		t.Fatal(err)
	}
}

func TestSumsBeyond38DigitsAreRefused(t *testing.T) {
	table := created(t)
	most, err := int128.Parse(strings.Repeat("9", 38))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int128.Int{most, most.Neg()} {
		k := sinks.Key{PK: "p", SK: n.String()}
		u := sinks.Update{Key: k, Add: []sinks.Attr{{Name: "n", Value: sinks.Num(n)}}}
		if _, err := table.Update(t.Context(), u); err != nil {
			t.Fatalf("Update = %v", err)
		}
		if _, err := table.Update(t.Context(), u); err == nil { // The sum has 39 digits, and wraps around in 128 bits.
			t.Errorf("a second %s was added, want an error", n)
		}
		u.Add = []sinks.Attr{{Name: "n", Value: sinks.Num(n.Neg())}}
		if r, err := table.Update(t.Context(), u); err != nil || r.Refused {
			t.Errorf("the way back = %+v, %v", r, err)
		}
	}
}

// TestManyRowsStayInOrder: however rows come and go, queries of the table and of the index find what is there, in order, both ways.
func TestManyRowsStayInOrder(t *testing.T) {
	table, random := created(t), rand.New(rand.NewPCG(1, 2))
	want := make(map[string]bool)
	check := func() {
		t.Helper()
		sorted := slices.Sorted(maps.Keys(want))
		for _, index := range []sinks.Index{sinks.Base, sinks.GSI1} {
			for _, desc := range []bool{false, true} {
				var got []string
				q := sinks.Query{Index: index, PK: "p", Desc: desc, Limit: 1 + random.IntN(700)}
				for it, err := range sinks.Items(t.Context(), table, q) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, it.Key().SK)
				}
				if desc {
					slices.Reverse(got)
				}
				if !slices.Equal(got, sorted) {
					t.Fatalf("%+v found %d rows, want %d in order", q, len(got), len(sorted))
				}
			}
		}
	}
	for i := range 20_000 {
		sk := fmt.Sprintf("%04d", random.IntN(5000))
		if i < 3000 {
			sk = fmt.Sprintf("%04d", i) // In order first.
		}
		k := sinks.Key{PK: "p", SK: sk}
		var err error
		if remove := i >= 3000 && (random.IntN(2) == 0 || i >= 12_000); remove {
			_, err = table.Delete(t.Context(), sinks.Delete{Key: k})
			delete(want, sk)
		} else {
			_, err = table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str(sk),
				sinks.AttrGSI1PK: sinks.Str("p"), sinks.AttrGSI1SK: sinks.Str(sk[:2])}})
			want[sk] = true
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			check()
		}
	}
	check()
}

// TestItemsAreTheCallersOwn: neither what was written nor what was read has a part in what the table holds.
func TestItemsAreTheCallersOwn(t *testing.T) {
	table, bytes, texts := created(t), []byte("bytes"), []string{"text"}
	k := sinks.Key{PK: "p", SK: "s"}
	put := sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK), "b": sinks.Bytes(bytes), "l": sinks.Strings(texts)}
	if _, err := table.Put(t.Context(), sinks.Put{Item: put}); err != nil {
		t.Fatal(err)
	}
	bytes[0], texts[0] = 'x', "x"
	delete(put, "b")
	for range 2 {
		r, err := table.Update(t.Context(), sinks.Update{Key: k, Set: []sinks.Attr{{Name: "c", Value: sinks.Bytes(bytes)}}, Return: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := table.Query(t.Context(), sinks.Query{PK: "p"})
		if err != nil || len(p.Items) != 1 {
			t.Fatalf("Query = %+v, %v", p, err)
		}
		for _, it := range []sinks.Item{r.Item, p.Items[0]} {
			if b, l := it["b"].Bytes(), it["l"].Strings(); string(b) != "bytes" || l[0] != "text" {
				t.Errorf("the item is %v, want it as it was put", it)
			} else {
				b[0], l[0] = 'y', "y"
			}
			delete(it, "l")
		}
	}
}

func TestClosedTableAnswersWithAnError(t *testing.T) {
	table := created(t)
	for range 2 {
		if err := table.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	_, err := table.Query(t.Context(), sinks.Query{PK: "p"})
	_, err2 := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str("s")}})
	err3 := table.Create(t.Context(), sinks.Shape{})
	for _, err := range []error{err, err2, err3} {
		if err == nil || errors.Is(err, sinks.ErrNoTable) || sinks.Retryable(err) || !strings.Contains(err.Error(), "is closed") {
			t.Errorf("a verb after Close = %v, want that the table is closed", err)
		}
	}
}

func TestWhatMemoryDoesNotHaveIsNamed(t *testing.T) {
	if err := new(memory.Table).Create(t.Context(), sinks.Shape{Stream: true}); err == nil || !strings.Contains(err.Error(), "no stream") {
		t.Errorf("Create with a stream = %v, want an error that names it", err)
	}
	if a, err := created(t).Alter(t.Context(), sinks.Change{OnDemand: true}); err != nil || a.Done != nil || len(a.Without) != 1 {
		t.Errorf("Alter to another billing = %+v, %v, want what is not there", a, err)
	}
}
