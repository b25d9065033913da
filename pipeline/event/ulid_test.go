package event

import (
	"crypto/sha256"
	"testing"

	"github.com/oklog/ulid/v2"
)

func TestEventULID(t *testing.T) {
	topic := [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	const at = 1778594587250
	byID := ULID([]byte("shop"), []byte("e1"), topic, 3, 7, at)
	byPosition := ULID([]byte("shop"), nil, topic, 3, 7, at)

	var want ulid.ULID
	if err := want.SetTime(at); err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte("\x00\x00\x00\x04shop\x00\x00\x00\x02e1"))
	if err := want.SetEntropy(hash[:10]); err != nil {
		t.Fatal(err)
	}
	if byID != want {
		t.Errorf("by id %v, want %v", byID, want)
	}
	hash = sha256.Sum256([]byte("\x00\x00\x00\x10" + string(topic[:]) +
		"\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x07"))
	if err := want.SetEntropy(hash[:10]); err != nil {
		t.Fatal(err)
	}
	if byPosition != want {
		t.Errorf("by position %v, want %v", byPosition, want)
	}

	if got := ULID([]byte("shop"), []byte("e1"), [16]byte{9}, 4, 8, at); got != byID {
		t.Errorf("an event sent twice is %v and %v", byID, got)
	}
	seen := map[ulid.ULID]string{byID: "shop e1", byPosition: "position 3 7"}
	for name, other := range map[string]ulid.ULID{
		"another id":            ULID([]byte("shop"), []byte("e2"), topic, 3, 7, at),
		"the boundary moved":    ULID([]byte("shope"), []byte("1"), topic, 3, 7, at),
		"another time":          ULID([]byte("shop"), []byte("e1"), topic, 3, 7, at+1),
		"the last time":         ULID([]byte("shop"), []byte("e1"), topic, 3, 7, MaxTimestamp),
		"another partition":     ULID([]byte("shop"), nil, topic, 4, 7, at),
		"another offset":        ULID([]byte("shop"), nil, topic, 3, 8, at),
		"another topic":         ULID([]byte("shop"), nil, [16]byte{9}, 3, 7, at),
		"ids like the position": ULID(topic[:], []byte("\x00\x00\x00\x03"), topic, 3, 7, at),
	} {
		if same, ok := seen[other]; ok {
			t.Errorf("%s and %s are both %v", name, same, other)
		}
		seen[other] = name
	}
	if got := ULID([]byte("shop"), nil, topic, 3, 7, MaxTimestamp).Time(); got != MaxTimestamp {
		t.Errorf("time %d, want %d", got, int64(MaxTimestamp))
	}
}
