package event

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/oklog/ulid/v2"
)

// Origin is where a record lies. Offsets of a topic that was created again are another topic's.
type Origin struct {
	TopicID   [16]byte
	Partition int32
	Offset    int64
}

// ULID returns the ULID of a raw event: its time is the event's, its entropy the first 10 bytes of the
// SHA-256 over siteID and id, or over the record's origin when id is empty. So a record
// that is handled twice, or an event that is sent twice, gets the same key and overwrites itself. Each part is
// hashed after its length: no two lists of parts make the same bytes. timestamp is in milliseconds since the
// epoch, 0 to MaxTimestamp.
func ULID(siteID, id []byte, origin Origin, timestamp int64) ulid.ULID {
	var room [4 + maxSiteBytes + 4 + maxIDBytes]byte
	b := room[:0]
	if len(id) > 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(len(siteID)))
		b = append(b, siteID...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(id)))
		b = append(b, id...)
	} else {
		b = binary.BigEndian.AppendUint32(b, uint32(len(origin.TopicID)))
		b = append(b, origin.TopicID[:]...)
		b = binary.BigEndian.AppendUint32(b, 4)
		b = binary.BigEndian.AppendUint32(b, uint32(origin.Partition))
		b = binary.BigEndian.AppendUint32(b, 8)
		b = binary.BigEndian.AppendUint64(b, uint64(origin.Offset))
	}
	hash := sha256.Sum256(b)

	var u ulid.ULID
	binary.BigEndian.PutUint64(u[:8], uint64(timestamp)<<16) // 48 bits
	copy(u[6:], hash[:10])
	return u
}
