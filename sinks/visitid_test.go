package sinks

import "testing"

func TestVisitIDs(t *testing.T) {
	// Pinned: items of other releases are found by it.
	visit := VisitID{VisitorHash("v1"), TP{1, 17}, 4711}
	const spelled = "~visit-7f99ec72f8645bac-1_17-4711"
	if visit.String() != spelled || VisitorHash("v1") != 0x7f99ec72f8645bac {
		t.Errorf("the visit is spelled %s, want %s", visit, spelled)
	}
	for _, v := range []VisitID{visit, {}, {1<<64 - 1, TP{1<<63 - 1, 1<<31 - 1}, 1<<63 - 1}} {
		s := v.String()
		if got, ok := ParseVisitID(s); !ok || got != v || !IsVisitID([]byte(s)) {
			t.Errorf("%s reads back as %+v, %v", s, got, ok)
		}
		for n := range MaxShards {
			if got, want := ShardOf(s, n+1), int(v.Visitor%uint64(n+1)); got != want {
				t.Errorf("%s lies in shard %d of %d, want its visitor's, %d", s, got, n+1, want)
			}
		}
	}
	if ShardOf(spelled, 16) != ShardOf("v1", 16) {
		t.Errorf("a visit does not lie in the shard of its visitor")
	}
	for _, s := range []string{"", "~visit-", "visit-7f99ec72f8645bac-1_17-4711", "~visit-7f99ec72f8645bac-1_17-",
		"~visit-7F99EC72F8645BAC-1_17-4711",
		"~visit-99ec72f8645bac-1_17-4711", "~visit-7f99ec72f8645bac-1_17-04711", "~visit-7f99ec72f8645bac-1_17--1",
		"~visit-7f99ec72f8645bac-1-4711",
		"~visit-7f99ec72f8645bac-01_17-4711", "~visit-7f99ec72f8645bac-1_17-4711 ", "~visit-7f99ec72f8645bac-1_17-4711-1"} {
		if _, ok := ParseVisitID(s); ok || IsVisitID([]byte(s)) {
			t.Errorf("%q is taken for the id of a visit", s)
		}
	}
}
