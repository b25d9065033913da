package count

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// Ruling is what decides, beside the record, what its raw event says: settings and rules of the site.
type Ruling struct {
	Settings *checkpoint.Settings
	Rules    *sites.Rules
}

// Record is a record of the log, decoded.
type Record struct {
	Ruling           // of the step that it belongs to
	Position, Offset int64
	Partition        int32
	Time             int64        // the record's timestamp, milliseconds since the epoch
	Reason           event.Reason // of the value alone
	Event            *event.Event // its bytes are good until the next record
	ID               []byte       // see identity, of well-formed records
	Duplicate        bool         // its event is in the log before, within the window of its step
	Hour, Day        int64        // its buckets, of well-formed records in the stats lane
	Erased           sites.Erased // those of its site, as of its step
	Gone             bool         // its person is erased
	Apart            bool         // it is in no session, even if it names one: beyond its site's budget, or of an excluded page
	Alias            string       // of its visitor, if erased
	Unsure           bool         // the log has lost a part of that window: it may be a duplicate all the same
}
