package sinks

import (
	"strings"
	"testing"
)

// TestKeysSpellIDs: an id is read from a key again exactly if SpellsID says so, and no other id is.
func TestKeysSpellIDs(t *testing.T) {
	tp, whole, shortened := TP{Topic: 1, Partition: 17}, 0, 0
	for _, id := range []string{"s", "s#1", "%41", "%~", "\x00", "a b", "ü", strings.Repeat("x", 256), strings.Repeat("x", 257),
		strings.Repeat("#", 85), strings.Repeat("#", 86), strings.Repeat("x", 253) + "#", strings.Repeat("x", 254) + "#",
		"c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", "C0A8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", "5f2b9c1e8a414c7d9a550c2a44d1b6f3",
		"c0a8017e03d2f-4f0e-8a4c-7b1d9e5f2a60", "%uwKgBfj0vTw6KTHsdnl8qYA", "%xwKgBfj0vTw6KTHsdnl8qYA", "5f2b9c1e8a414c7d9a550c2a44d1b6fg",
		VisitID{Visitor: 7, TP: tp, Position: 4711}.String()} {
		want := ""
		if SpellsID(id) {
			want, whole = id, whole+1
		} else {
			shortened++
		}
		for generation := range 3 {
			k := Keys{Generation: generation}
			if have := SessionIn(k.Session("a#site", id, tp, DefaultShards).SK); have != want {
				t.Errorf("the key of session %q has %q", id, have)
			}
			if user := ListedIn(k.User("a#site", id)); user != want {
				t.Errorf("the key of user %q in the index has %q", id, user)
			}
		}
	}
	if whole == 0 || shortened == 0 {
		t.Errorf("%d ids are spelled whole, and %d not", whole, shortened)
	}
	for _, sk := range []string{"", "SESSION#", "SESSION#s", "EVENT#s#1_17", "SESSION#%4#1_17", "SESSION#%u#1_17",
		"SESSION#%uwKgBfj0vTw6KTHsdnl8qYB#1_17"} {
		if id := SessionIn(sk); id != "" {
			t.Errorf("%q has the id %q", sk, id)
		}
	}
}
