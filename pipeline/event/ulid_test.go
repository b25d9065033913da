package event

import (
	"crypto/sha256"
	"testing"

	"github.com/oklog/ulid/v2"
)

func TestEventULID(t *testing.T) {
	topic := [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	const at = 1778594587250
	origin := Origin{TopicID: topic, Partition: 3, Offset: 7}
	byID := ULID([]byte("shop"), []byte("e1"), origin, at)
	byPosition := ULID([]byte("shop"), nil, origin, at)

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

	if got := ULID([]byte("shop"), []byte("e1"), Origin{TopicID: [16]byte{9}, Partition: 4, Offset: 8}, at); got != byID {
		t.Errorf("an event sent twice is %v and %v", byID, got)
	}
	seen := map[ulid.ULID]string{byID: "shop e1", byPosition: "position 3 7"}
	for name, other := range map[string]ulid.ULID{
		"another id":            ULID([]byte("shop"), []byte("e2"), origin, at),
		"the boundary moved":    ULID([]byte("shope"), []byte("1"), origin, at),
		"another time":          ULID([]byte("shop"), []byte("e1"), origin, at+1),
		"the last time":         ULID([]byte("shop"), []byte("e1"), origin, MaxTimestamp),
		"another partition":     ULID([]byte("shop"), nil, Origin{TopicID: topic, Partition: 4, Offset: 7}, at),
		"another offset":        ULID([]byte("shop"), nil, Origin{TopicID: topic, Partition: 3, Offset: 8}, at),
		"another topic":         ULID([]byte("shop"), nil, Origin{TopicID: [16]byte{9}, Partition: 3, Offset: 7}, at),
		"ids like the position": ULID(topic[:], []byte("\x00\x00\x00\x03"), origin, at),
	} {
		if same, ok := seen[other]; ok {
			t.Errorf("%s and %s are both %v", name, same, other)
		}
		seen[other] = name
	}
	if got := ULID([]byte("shop"), nil, origin, MaxTimestamp).Time(); got != MaxTimestamp {
		t.Errorf("time %d, want %d", got, int64(MaxTimestamp))
	}
}
