package state

import (
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

var listTP = sinks.TP{Topic: 1, Partition: 17}

const listHour = 1_778_594_400_000

func someListed() []ListedSession {
	all := []ListedSession{
		{1, listHour, "c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60"}, {1, listHour, "C0A8017E-3D2F-4F0E-8A4C-7B1D9E5F2A60"},
		{1, listHour + event.HourMs - 1, "5f2b9c1e8a414c7d9a550c2a44d1b6f3"}, {2, listHour, ""}, {2, listHour, strings.Repeat("#", 256)},
		{3, listHour + 1, sinks.VisitID{Visitor: 3, TP: listTP, Position: 1 << 40}.String()},
		{4, listHour + 1, sinks.VisitID{Visitor: 3, TP: listTP, Position: 1 << 40}.String()}, // Not the entry's visitor.
	}
	slices.SortFunc(all, ListedSession.Compare)
	return all
}

func TestListedSessionTakes28Bytes(t *testing.T) {
	entry := []ListedSession{{1 << 63, listHour + 5, "c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60"}}
	if n := len(AppendListed(nil, entry, listHour, listTP)); n != 1+28 {
		t.Errorf("an entry with a UUID takes %d bytes, want 28", n-1)
	}
}

func FuzzListed(f *testing.F) {
	all := someListed()
	for n := range all {
		f.Add(AppendListed(nil, all[:n+1], listHour, listTP))
	}
	f.Add([]byte{listedVersion})
	f.Add([]byte{listedVersion, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, listedText, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, listedText})
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := DecodeListed(b, listHour, listTP)
		if err != nil {
			if entries != nil {
				t.Errorf("%x is no list, and yields %v", b, entries)
			}
			return
		}
		if again := AppendListed(nil, entries, listHour, listTP); string(again) != string(b) || len(entries) == 0 {
			t.Errorf("%x: %v is encoded as %x", b, entries, again)
		}
	})
}

func TestListsReadBack(t *testing.T) {
	all := someListed()
	got, err := DecodeListed(AppendListed(nil, all, listHour, listTP), listHour, listTP)
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("%v, %v; want %v", got, err, all)
	}
	slices.Reverse(all)
	if _, err := DecodeListed(AppendListed(nil, all, listHour, listTP), listHour, listTP); err == nil {
		t.Error("a list that is out of order was read")
	}
}
