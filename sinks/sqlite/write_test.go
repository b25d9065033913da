package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/footfall/footfall/sinks"
)

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
		table, _ := createdFile(t)
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
		table, _ := createdFile(t)
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

// TestWaitingBatchesTakeNothingBesideTheirItems: callers bound what their batches hold while they wait.
func TestWaitingBatchesTakeNothingBesideTheirItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _ := createdFile(t)
		const batches, attributes = 40, 30
		items := make([][]sinks.Attrs, batches)
		for i := range items {
			for n := range sinks.MaxBatchPut {
				it := sinks.Attrs{{Name: sinks.AttrPK, Value: sinks.Str("p")}, {Name: sinks.AttrSK, Value: sinks.Str(fmt.Sprint(i, n))}}
				for a := range attributes {
					it = append(it, sinks.Attr{Name: fmt.Sprint("a", a), Value: sinks.Int(int64(a))})
				}
				items[i] = append(items[i], it)
			}
		}
		c := <-table.writer
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, batch := range items {
			go func() {
				if _, err := table.BatchPut(t.Context(), batch); err != nil {
					t.Errorf("BatchPut = %v", err)
				}
			}()
		}
		synctest.Wait()
		runtime.ReadMemStats(&now)
		own := uint64(batches * sinks.MaxBatchPut * attributes * int(unsafe.Sizeof(sinks.Attr{})))
		if took := now.TotalAlloc - before.TotalAlloc; table.queue.length() != batches || took > own/4 {
			t.Errorf("%d batches of %d bytes wait, and have taken %d bytes more", table.queue.length(), own, took)
		}
		table.writer <- c
		synctest.Wait()
	})
}

func TestBrokenTransactionAnswersAllWritesInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _ := createdFile(t)
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
		table, _ := createdFile(t)
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
		table, _ := createdFile(t)
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

func TestSweepDeletesWhatHasExpired(t *testing.T) {
	table, _ := createdFile(t)
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
