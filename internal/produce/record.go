package produce

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/eventjson"
)

// Record is one event on its way to Kafka.
type Record struct {
	Key   []byte
	Value []byte    // of a file's record: good until the file's next one is read
	Time  time.Time // event time; of a record that is bad on purpose, what it would have been

	// What a ledger says about the record; empty where the event does not have it.
	SiteID, ID, Type string

	left leftOut // the line becomes no record
}

// Key returns the Kafka key recommended for an event: its siteId, or with buckets > 1 siteId#b, where b is xxh64
// (seed 0) of the visitorId modulo buckets. It keeps a visitor in one partition while a hot site spreads over as
// many as buckets. An event without visitorId goes by its sessionId.
func Key(siteID, visitorOrSession string, buckets int) []byte {
	if buckets <= 1 {
		return []byte(siteID)
	}
	b := xxhash.Sum64String(visitorOrSession) % uint64(buckets)
	key := make([]byte, 0, len(siteID)+len("#65535"))
	return strconv.AppendUint(append(append(key, siteID...), '#'), b, 10)
}

// record ends an event.
func record(e *eventjson.Writer, visitorOrSession string, buckets int, when time.Time) Record {
	return Record{Key: Key(e.Site, visitorOrSession, buckets), Value: e.End(), Time: when, SiteID: e.Site, ID: e.ID, Type: e.Kind}
}

// tooLarge says that the pipeline would reject the record for its size, where it would.
func tooLarge(r Record) (reason string) {
	if len(r.Value) <= maxEventBytes {
		return ""
	}
	return fmt.Sprintf("the event has %d bytes, more than the %d that the pipeline takes", len(r.Value), maxEventBytes)
}
