package sinks

import (
	"fmt"
	"strconv"
	"strings"
)

// TP is a partition of a numbered topic. Topic numbers are given out once per table, so that a mark names its
// chain in a few bytes.
type TP struct {
	Topic     int64
	Partition int32
}

// String spells the pair as keys do: 1_17.
func (tp TP) String() string {
	var room [keyRoom]byte
	return string(tp.append(room[:0]))
}

func (tp TP) append(b []byte) []byte {
	return strconv.AppendInt(append(strconv.AppendInt(b, tp.Topic, 10), '_'), int64(tp.Partition), 10)
}

// keyRoom is enough for most sort keys, so that they are made in one piece on the stack. Longer ones are made in a piece of their own.
const keyRoom = 96

// ParseTP reads what String spelled.
func ParseTP(s string) (TP, error) {
	topic, partition, ok := strings.Cut(s, "_")
	t, err1 := strconv.ParseInt(topic, 10, 64)
	p, err2 := strconv.ParseInt(partition, 10, 32)
	if !ok || err1 != nil || err2 != nil {
		return TP{}, fmt.Errorf("%q is not a topic number and a partition as in 1_17", s)
	}
	return TP{t, int32(p)}, nil
}
