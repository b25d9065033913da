package sinks

import (
	"strings"
	"testing"
)

func TestReadUnitsAreFourKilobytesBegun(t *testing.T) {
	for bytes, want := range map[int]float64{0: 1, 1: 1, 4096: 1, 4097: 2, MaxItemBytes: 100} {
		if strong, eventual := ReadUnits(bytes, true), ReadUnits(bytes, false); strong != want || eventual != want/2 {
			t.Errorf("ReadUnits(%d) = %v strongly, %v eventually, want %v and half of it", bytes, strong, eventual, want)
		}
	}
}

func TestIndexUnitsAreOfEntriesThatComeGoAndMove(t *testing.T) {
	key := Key{PK: "SITE#s#SHARD#00", SK: "SESSION#x#1_0"}
	none, visitor := IndexKeys{}, IndexKeys{{}, {PK: "SITE#s#VISITOR#v", SK: "1"}}
	both := IndexKeys{{PK: "SITE#s#USER#u", SK: "1"}, visitor[1]}
	moved := IndexKeys{{}, {PK: "SITE#s#VISITOR#w", SK: "1"}}
	long := IndexKeys{{}, {PK: "SITE#s#VISITOR#" + strings.Repeat("v", 1000), SK: "1"}} // Two units.
	half := IndexKeys{{PK: "SITE#s#USER#u"}, {}}
	for _, c := range []struct {
		name    string
		was, is IndexKeys
		want    [2]float64
	}{
		{"an item in no index", none, none, [2]float64{}},
		{"one that comes", none, visitor, [2]float64{0, 1}},
		{"one that stays", visitor, visitor, [2]float64{}},
		{"one that comes into the other", visitor, both, [2]float64{1, 0}},
		{"one that goes", both, none, [2]float64{1, 1}},
		{"one that moves", visitor, moved, [2]float64{0, 2}},
		{"one that moves to a long key", visitor, long, [2]float64{0, 3}},
		{"half of a key", none, half, [2]float64{}},
	} {
		if got := IndexUnits(key, c.was, c.is); got != c.want {
			t.Errorf("%s: %v units, want %v", c.name, got, c.want)
		}
	}
}
