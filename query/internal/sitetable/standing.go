package sitetable

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// standing is what a partition's checkpoint says of how far it is counted.
type standing struct {
	tp        sinks.TP
	name      string // as in events/3
	through   int64  // the Kafka timestamp up to which records were counted; 0: not recorded
	flushedAt int64
	idle      bool  // its owner had nothing more to read
	lateMs    int64 // allowed lateness of its last flush; -1: unlimited
	stopped   *ranges.Warning
}

// standings are those of all partitions. They are kept for a while, since many questions need them.
type standings struct {
	mu   sync.Mutex // covers all below; held while they are read, to read them once
	at   time.Time
	read []standing
}

// standingOf reads a checkpoint.
func standingOf(it sinks.Item) standing {
	s := standing{through: it["thr"].Int(), flushedAt: it["at"].Int(), idle: it["d"].Int() == 1, lateMs: -1}
	var settings struct{ LateMs *int64 }
	if json.Unmarshal([]byte(it["ver"].Str()), &settings) == nil && settings.LateMs != nil {
		s.lateMs = *settings.LateMs
	}
	if s.flushedAt > 0 { // A timestamp that is ahead of the clock says nothing.
		s.through = min(s.through, s.flushedAt)
	}
	var park struct{ Reason, Detail, Since string }
	var gap struct{ Accepted string }
	switch {
	case it["park"].Str() != "" && json.Unmarshal([]byte(it["park"].Str()), &park) == nil:
		s.stopped = &ranges.Warning{Kind: ranges.WarnParked,
			Detail: fmt.Sprintf("parked since %s (%s): footfall status prints the commands that continue it",
				park.Since, park.Reason)}
	case it["gap"].Str() != "" && json.Unmarshal([]byte(it["gap"].Str()), &gap) == nil && gap.Accepted == "":
		s.stopped = &ranges.Warning{Kind: ranges.WarnGap,
			Detail: "records were lost from the topic before they were counted: footfall status prints the " +
				"command that continues it"}
	}
	return s
}

// behind is the age of records at their flush from which a partition lags. A flush interval is at most some minutes.
const behind = 10 * time.Minute

// warning returns what is to be said of a partition; nil: nothing.
func (s standing) warning() *ranges.Warning {
	late := time.Duration(s.flushedAt-s.through) * time.Millisecond
	switch {
	case s.stopped != nil:
		return s.stopped
	case s.idle: // Whatever the age of its records, all are counted: old files may be sent at any time.
	case s.through > 0 && s.flushedAt > 0 && late > behind:
		return &ranges.Warning{Kind: ranges.WarnBehind, Detail: fmt.Sprintf("its last flush, of %s, counted records that were %v old",
			calendar.Instant(s.flushedAt).Format(time.RFC3339), late.Round(time.Minute))}
	}
	return nil
}
