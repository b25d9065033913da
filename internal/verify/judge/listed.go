package judge

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// listedSession is an entry of a list.
type listedSession struct {
	visitor  uint64
	OpenedAt int64
	session  string
}

var errListed = errors.New("unreadable")

// DecodeListed reads the entries of an item, which are of an hour and a partition: 8 bytes of a hash, 3 bytes of milliseconds, an id.
func DecodeListed(b []byte, hour int64, tp sinks.TP) (all []listedSession, err error) {
	if len(b) == 0 || b[0] != 1 {
		return nil, fmt.Errorf("%w: its version is not 1", errListed)
	}
	for b = b[1:]; len(b) > 0; {
		if len(b) < 12 {
			return nil, fmt.Errorf("%w: it ends in an entry", errListed)
		}
		e := listedSession{visitor: binary.BigEndian.Uint64(b), OpenedAt: hour + int64(binary.BigEndian.Uint32(b[7:])&0xffffff)}
		kind, n := binary.Uvarint(b[11:])
		if n <= 0 {
			return nil, fmt.Errorf("%w: an id has no length", errListed)
		}
		b = b[11+n:]
		size := 16
		if kind > 2 {
			size = int(min(kind-3, 1<<20))
		}
		var position uint64
		if kind == 2 {
			if position, size = binary.Uvarint(b); size <= 0 {
				return nil, fmt.Errorf("%w: a visit has no position", errListed)
			}
		}
		if len(b) < size {
			return nil, fmt.Errorf("%w: it ends in an id", errListed)
		}
		id := b[:size]
		switch b = b[size:]; kind {
		case 0:
			e.session = fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
		case 1:
			e.session = hex.EncodeToString(id)
		case 2:
			e.session = fmt.Sprintf("~visit-%016x-%s-%d", e.visitor, tp, position)
		default:
			e.session = string(id)
		}
		if before := len(all) - 1; e.OpenedAt >= hour+count.HourMs || before >= 0 && !all[before].before(e) {
			return nil, fmt.Errorf("%w: %s is not in order", errListed, finding.Quote(e.session))
		}
		all = append(all, e)
	}
	return all, nil
}

// before reports whether an entry comes before another.
func (e listedSession) before(o listedSession) bool {
	switch {
	case e.visitor != o.visitor:
		return e.visitor < o.visitor
	case e.OpenedAt != o.OpenedAt:
		return e.OpenedAt < o.OpenedAt
	}
	return strings.Compare(e.session, o.session) < 0
}
