package wire

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// messageOf reads which message type the payload is of, and returns the rest.
//
//	Confluent:  0 for the first message, or  count  index in the file  index in that message ...  as varints in zigzag
//	Glue:       index of all messages sorted by full name, as a varint
func (s *protoSchema) messageOf(id ID, payload []byte) (*protoMessage, []byte, error) {
	next := func() (int64, error) {
		u, n := protowire.ConsumeVarint(payload)
		if n < 0 {
			return 0, wrong("the message index " + whyEnds + ", or " + whyVarint)
		}
		payload = payload[n:]
		if id.Glue {
			return int64(min(u, math.MaxInt64)), nil
		}
		return protowire.DecodeZigZag(u), nil
	}
	n, err := next()
	if err != nil {
		return nil, nil, err
	}
	if id.Glue {
		if n >= int64(len(s.sorted)) {
			return nil, nil, wrong("the schema has no message with index " + strconv.FormatInt(n, 10))
		}
		return s.sorted[n], payload, nil
	}
	if n < 0 || n > maxBraces {
		return nil, nil, wrong("the message has a path of " + strconv.FormatInt(n, 10) + " indexes")
	}
	if n == 0 {
		return s.tree[0].protoMessage, payload, nil
	}
	var m *protoMessage
	for at := s.tree; n > 0; n-- {
		i, err := next()
		if err != nil {
			return nil, nil, err
		}
		if i < 0 || i >= int64(len(at)) {
			return nil, nil, wrong("the schema has no message with index " + strconv.FormatInt(i, 10))
		}
		m, at = at[i].protoMessage, at[i].nested
	}
	return m, payload, nil
}
