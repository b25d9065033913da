package consumed

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

func TestReadUnitsAreFourKilobytesBegun(t *testing.T) {
	for bytes, want := range map[int]float64{0: 1, 1: 1, 4096: 1, 4097: 2, sinks.MaxItemBytes: 100} {
		if strong, eventual := ReadUnits(bytes, true), ReadUnits(bytes, false); strong != want || eventual != want/2 {
			t.Errorf("ReadUnits(%d) = %v strongly, %v eventually, want %v and half of it", bytes, strong, eventual, want)
		}
	}
}

func TestIndexUnitsAreOfEntriesThatComeGoAndMove(t *testing.T) {
	key := sinks.Key{PK: "SITE#s#SHARD#00", SK: "SESSION#x#1_0"}
	none, user := sinks.Key{}, sinks.Key{PK: "SITE#s#USER#u", SK: "1"}
	moved := sinks.Key{PK: "SITE#s#USER#w", SK: "1"}
	long := sinks.Key{PK: "SITE#s#USER#" + strings.Repeat("v", 1000), SK: "1"} // Two units.
	half := sinks.Key{PK: "SITE#s#USER#u"}
	for _, c := range []struct {
		name    string
		was, is sinks.Key
		want    float64
	}{
		{"an item that is not in the index", none, none, 0},
		{"one that comes", none, user, 1},
		{"one that stays", user, user, 0},
		{"one that goes", user, none, 1},
		{"one that moves", user, moved, 2},
		{"one that moves to a long key", user, long, 3},
		{"half of a key", none, half, 0},
	} {
		if got := IndexUnits(key, c.was, c.is); got != c.want {
			t.Errorf("%s: %v units, want %v", c.name, got, c.want)
		}
	}
}

func TestWriteUnitsAreKilobytesBegun(t *testing.T) {
	for size, want := range map[int]float64{0: 1, 1: 1, 1024: 1, 1025: 2, 2048: 2, sinks.MaxItemBytes: 400} {
		if got := WriteUnits(size); got != want {
			t.Errorf("WriteUnits(%d) = %v, want %v", size, got, want)
		}
	}
}
