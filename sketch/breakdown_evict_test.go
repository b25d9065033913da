package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestBreakdownEvictsTheLeastByBytesOfEquals(t *testing.T) {
	b := NewBreakdown(3)
	events(b, Page, 10, "c", "a", "b", "d")
	if got, want := rowsOf(b, Page), "d 1+1 @13 0, b 1+0 @12 0, c 1+0 @10 0; other 1, 0 sessions; floor 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Trim looks at all dimensions: the least rank goes first, of equals the first dimension's, then the least value.
func TestTrimEvictsOverAllDimensions(t *testing.T) {
	b := NewBreakdown(10)
	events(b, EventName, 10, "x", "x", "y")
	events(b, City, 20, "b", "a", "c", "c", "c")
	events(b, Page, 30, "/", "/", "/q")
	for _, want := range []string{"page /q", "city a", "city b", "event y", "page /", "event x", "city c"} {
		before := b.Clone()
		b.Trim(b.Size() - 1)
		var gone []string
		for _, d := range Dimensions() {
			for _, r := range before.Rows(d) {
				if !slices.ContainsFunc(b.Rows(d), func(o BreakdownRow) bool { return o.Value == r.Value }) {
					gone = append(gone, d.String()+" "+r.Value)
				}
			}
		}
		if len(gone) != 1 || gone[0] != want {
			t.Fatalf("%q went, want %q alone", gone, want)
		}
	}
	b.Trim(1) // There is nothing that could still go.
	if b.Floor(City) != 3 || b.Other(City).Events != 5 || b.Floor(Hostname) != 0 {
		t.Errorf("floor %d and %d events in other of city, floor %d of hostname, want 3, 5 and 0",
			b.Floor(City), b.Other(City).Events, b.Floor(Hostname))
	}
}

// A row is admitted where Trim made room: its error is the floor all the same.
func TestRowAdmittedAfterTrimHasTheFloorAsError(t *testing.T) {
	b := NewBreakdown(10)
	events(b, Page, 10, "a", "a", "b", "b", "b")
	b.Trim(b.Size() - 1)
	events(b, Page, 20, "c")
	if got, want := rowsOf(b, Page), "b 3+0 @12 0, c 1+2 @20 0; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// However many values there are in all dimensions, the bytes stay under the limit, and what is frequent keeps its row.
func TestBreakdownStaysUnderItsLimit(t *testing.T) {
	b := NewBreakdown(DefaultRows)
	r := rand.New(rand.NewPCG(8, 8))
	most := 0
	for i := range 15_000 {
		h := Hit{Visitor: r.Uint64(), PageView: true}
		for _, d := range Dimensions() {
			value := fmt.Sprintf("/%s/%08x/%08x", d, r.Uint32(), r.Uint32())
			if r.IntN(2) == 0 {
				value = fmt.Sprintf("/%s/popular/%d", d, r.IntN(10))
			}
			b.Event(d, value, int64(1e9+i), h)
		}
		b.Trim(MaxBreakdownBytes)
		if b.Size() > MaxBreakdownBytes {
			t.Fatalf("record %d: size %d", i, b.Size())
		}
		most = max(most, b.Size())
	}
	bytes := encodeBreakdown(t, b)
	t.Logf("size at most %d, in the end %d, %d bytes; floor of pages %d", most, b.Size(), len(bytes), b.Floor(Page))
	if len(bytes) > b.Size() || most < MaxBreakdownBytes*99/100 {
		t.Errorf("%d bytes of size %d, at most %d: the limit was not reached, or passed", len(bytes), b.Size(), most)
	}
	for _, d := range Dimensions() {
		for i, row := range b.Rows(d)[:10] {
			if !strings.Contains(row.Value, "popular") {
				t.Errorf("row %d of %s is %q", i, d, row.Value)
			}
		}
	}
}

func TestRowAdmittedAgainDoesNotGetAnOldCorrection(t *testing.T) {
	b := NewBreakdown(1)
	events(b, Page, 10, "/a")
	book(t, b, "/a", 10, 1) // a record books after its own event: the row
	events(b, Page, 11, "/b", "/a")
	book(t, b, "/a", 12, 1) // the second row
	if got, want := rowsOf(b, Page), "/a 1+2 @12 1; other 2, 1 sessions; floor 2"; got != want {
		t.Fatalf("before: %s, want %s", got, want)
	}
	book(t, b, "/a", 10, -1)
	if got, want := rowsOf(b, Page), "/a 1+2 @12 1; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("the first taken back: %s, want %s", got, want)
	}
	book(t, b, "/a", 12, -1)
	if got, want := rowsOf(b, Page), "/a 1+2 @12 0; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("the second taken back: %s, want %s", got, want)
	}
}
