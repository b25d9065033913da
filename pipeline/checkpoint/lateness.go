package checkpoint

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Judge applies the rules that need the record's timestamp to an event that Decode accepted: bad_record_time, too_late
// and too_early. recordTime is in milliseconds since the epoch.
func (s *Settings) Judge(e *event.Event, recordTime int64) event.Reason {
	if s.NotAfter > 0 && recordTime > s.NotAfter {
		return event.BadRecordTime
	}
	// A producer may set any record timestamp: one outside of what events can have is as far off as they go.
	recordTime = min(max(recordTime, -event.MaxTimestamp), 2*event.MaxTimestamp)
	switch d := e.Timestamp - recordTime; {
	case e.Timestamp < event.EarliestEvent, s.LateMs >= 0 && -d > s.LateMs:
		return event.TooLate
	case d > s.EarlyMs:
		return event.TooEarly
	}
	return event.Accepted
}

// Verdict decodes a record into an event and judges it: what a pipeline would do with the record, apart from what depends on the
// table. The detail says what was found. See [Maps.Decoder] for decode.
func (s *Settings) Verdict(decode Decode, r *kgo.Record, into *event.Event) (reason event.Reason, detail string) {
	recordTime := r.Timestamp.UnixMilli()
	if reason, detail = decode(r, into); reason != event.Accepted {
		return reason, detail
	}
	if reason = s.Judge(into, recordTime); reason != event.Accepted {
		detail = s.Detail(reason, into, recordTime)
	}
	return reason, detail
}

// Detail says for people what Judge has found.
func (s *Settings) Detail(reason event.Reason, e *event.Event, recordTime int64) string {
	if reason == event.BadRecordTime {
		return fmt.Sprintf("the record is of %s, at most %s is believed", time.UnixMilli(recordTime).UTC().Format(time.RFC3339),
			time.UnixMilli(s.NotAfter).UTC().Format(time.RFC3339))
	}
	return "the event is of " + time.UnixMilli(e.Timestamp).UTC().Format(time.RFC3339) + ", its record of " +
		time.UnixMilli(recordTime).UTC().Format(time.RFC3339)
}
