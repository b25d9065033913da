package produce

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/eventjson"
)

// RecordTime says what becomes a record's Kafka timestamp. The zero value is the event's time.
type RecordTime struct {
	now bool
	at  time.Time
}

// The two kinds of record times beside an instant.
var (
	EventTime = RecordTime{}          // the event's time
	SendTime  = RecordTime{now: true} // the time at which the record is sent
)

// ParseRecordTime reads event, now, or an instant in RFC 3339 that all records get.
func ParseRecordTime(s string) (RecordTime, error) {
	switch s {
	case "event":
		return EventTime, nil
	case "now":
		return SendTime, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Before(time.UnixMilli(0)) || t.After(eventjson.MaxTime) {
		return RecordTime{}, fmt.Errorf("%q: write event, now, or an instant as in 2026-05-12T14:03:05Z", s)
	}
	return RecordTime{at: t.UTC()}, nil
}

// of returns the Kafka timestamp of an event.
func (rt RecordTime) of(event, now time.Time) time.Time {
	switch {
	case rt.now:
		return now
	case !rt.at.IsZero():
		return rt.at
	}
	return event
}
