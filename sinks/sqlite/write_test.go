package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sinks/sinktest"
)

// inMemory makes a table that lives in memory.
func inMemory(t testing.TB) *Table {
	t.Helper()
	table := openTable(t, Memory)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	return table
}

func addOne(ctx context.Context, table *Table) error {
	_, err := table.Update(ctx, sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}})
	return err
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func TestWritesThatMeetShareATransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := inMemory(t)
		c := <-table.writer // Nobody can write now.
		const writers = 3 * maxGroup / 2
		for range writers {
			go func() {
				if err := addOne(t.Context(), table); err != nil {
					t.Errorf("Update = %v", err)
				}
			}()
		}
		synctest.Wait()
		if n := table.queue.length(); n != writers {
			t.Fatalf("%d writes wait, want %d", n, writers)
		}
		c = table.commit(c, table.queue.take())
		if n := table.queue.length(); n != writers-maxGroup {
			t.Errorf("%d writes wait after a commit, want %d", n, writers-maxGroup)
		}
		table.writer <- c
		synctest.Wait()
		if n, _ := countOf(t, table); n != writers {
			t.Errorf("the counter is %d, want %d", n, writers)
		}
	})
}

func TestFaultyWriteLeavesItsNeighboursAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := inMemory(t)
		text := sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str("s"), "n": sinks.Str("text")}
		if _, err := table.Put(t.Context(), sinks.Put{Item: text}); err != nil {
			t.Fatal(err)
		}
		c := <-table.writer
		errs := make([]error, 5)
		for i := range errs {
			go func() {
				k := counter
				if i == 2 {
					k = text.Key()
				}
				_, errs[i] = table.Update(t.Context(), sinks.Update{Key: k, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}})
			}()
		}
		synctest.Wait()
		table.writer <- c
		synctest.Wait()
		for i, err := range errs {
			if (err != nil) != (i == 2) {
				t.Errorf("write %d = %v", i, err)
			}
		}
		if n, _ := countOf(t, table); n != 4 {
			t.Errorf("the counter is %d, want 4", n)
		}
	})
}

func TestBrokenTransactionAnswersAllWritesInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := inMemory(t)
		c := <-table.writer
		errs := make([]error, 3)
		for i := range errs {
			go func() { errs[i] = addOne(t.Context(), table) }()
		}
		synctest.Wait()
		if _, err := c.exec("CREATE TEMP TRIGGER refuse BEFORE INSERT ON items BEGIN SELECT raise(ABORT, 'no'); END"); err != nil {
			t.Fatal(err)
		}
		table.writer <- c
		synctest.Wait()
		for i, err := range errs {
			if err == nil || sinks.Retryable(err) {
				t.Errorf("write %d = %v, want an error that repeating does not cure", i, err)
			}
		}
		c = <-table.writer
		if _, err := c.exec("DROP TRIGGER refuse"); err != nil {
			t.Fatal(err)
		}
		table.writer <- c
		if n, _ := countOf(t, table); n != 0 {
			t.Errorf("the counter is %d, want nothing written", n)
		}
		if err := addOne(t.Context(), table); err != nil {
			t.Errorf("the next write = %v", err)
		}
	})
}

func TestCancelledWriteLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := inMemory(t)
		c := <-table.writer
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		var err error
		go func() { err = addOne(ctx, table) }()
		go addOne(t.Context(), table)
		synctest.Wait()
		cancel(reason)
		synctest.Wait()
		if !errors.Is(err, reason) || table.queue.length() != 1 {
			t.Errorf("the cancelled write = %v with %d still waiting, want its cause and 1", err, table.queue.length())
		}
		table.writer <- c
		synctest.Wait()
		if n, _ := countOf(t, table); n != 1 {
			t.Errorf("the counter is %d, want 1: the cancelled write never happened", n)
		}
	})
}

func TestCloseEndsWaitingWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := inMemory(t)
		c := <-table.writer
		var err error
		go func() { err = addOne(t.Context(), table) }()
		synctest.Wait()
		go table.Close()
		synctest.Wait()
		if !errors.Is(err, errClosed) {
			t.Errorf("a waiting write = %v, want that the table is closed", err)
		}
		table.writer <- c
		synctest.Wait()
	})
}

func TestUnitsAreDynamoDBs(t *testing.T) {
	table := inMemory(t)
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
	table := inMemory(t)
	now := time.Unix(1_700_000_000, 0)
	const expired = MaxSweep + 20
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
	for _, want := range []int{MaxSweep, expired - 1 - MaxSweep, 0} {
		if n, err := table.Sweep(t.Context(), now); err != nil || n != want {
			t.Errorf("Sweep = %d, %v, want %d", n, err, want)
		}
	}
	p, err := table.Query(t.Context(), sinks.Query{PK: "p"})
	if err != nil || len(p.Items) != 4 {
		t.Errorf("%d items are left, %v, want 4", len(p.Items), err)
	}
}

func putTTL(t *testing.T, table *Table, sk string, ttl sinks.Value) {
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
	table := inMemory(t)
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
