package sinks

import "testing"

func TestVisitorBuckets(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 31: 0, 32: 1, 63: 1, 64: 2, 4095: 7, 4096: 8, 1 << 30: 8} {
		if d := VisitorDepth(n); d != want {
			t.Errorf("%d sessions have buckets of depth %d, want %d", n, d, want)
		}
	}
	hash := VisitorHash("v1") // 0x7f99...
	for depth, want := range []string{"0", "1-0", "2-1", "3-3", "4-7", "5-15", "6-31", "7-63", "8-127"} {
		b := VisitorBucketOf(hash, depth)
		if back, err := ParseVisitorBucket(want); b.String() != want || back != b || err != nil || !b.Has(hash) || depth > 0 && b.Has(^hash) {
			t.Errorf("depth %d: bucket %v, want %s, which reads back as %v, %v", depth, b, want, back, err)
		}
	}
	for _, s := range []string{"", "-", "0-", "0-0", "00", "1", "1-2", "3-05", "9-1", "-1", "3--1", "+3-1", "3-5 "} {
		if b, err := ParseVisitorBucket(s); err == nil {
			t.Errorf("%q is taken for the bucket %v", s, b)
		}
	}
}

func TestCompactIDs(t *testing.T) {
	for id, want := range map[string]string{
		"":   "",
		"v1": "v1", "a#b": "a#b", "%": "%%", "%u": "%%u", "%%x": "%%%x",
		"5f2b9c1e8a414c7d9a550c2a44d1b6f3":         "%xXyucHopBTH2aVQwqRNG28w",
		"5F2B9C1E8A414C7D9A550C2A44D1B6F3":         "5F2B9C1E8A414C7D9A550C2A44D1B6F3",
		"%xXyucHopBTH2aVQwqRNG28w":                 "%%xXyucHopBTH2aVQwqRNG28w",
		"5f2b9c1e-8a41-4c7d-9a55-0c2a44d1b6f3":     "%uXyucHopBTH2aVQwqRNG28w",
		"5f2b9c1e-8a41-4c7d-9a55-0c2a44d1b6f3 and": "5f2b9c1e-8a41-4c7d-9a55-0c2a44d1b6f3 and",
	} {
		if got := CompactID(id); got != want || ExpandID(got) != id {
			t.Errorf("%q is spelled %q, want %q; it reads back as %q", id, got, want, ExpandID(got))
		}
	}
}
