package pipeline

import (
	"time"

	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// dedupe finds out which records repeat an event. It comes before the lanes part, and is done once for each record.
func (in *intake) dedupe(records []decoding.Record) {
	if in.seen.Off() {
		return
	}
	for i := range records {
		r := &records[i]
		if r.Span == nil {
			in.seen.Note(r.Offset, r.Time)
		}
		r.Window = in.seen.Edge
		if r.ID != nil {
			r.Repeats = in.seen.See(r.Event.SiteID, r.ID, r.Offset, r.Time)
		}
	}
	if n, span := in.seen.Shortened(); n > 0 {
		in.sayShortened(n, time.Duration(span)*time.Millisecond)
	}
}

// sayShortened reports that the window of duplicates had no room for positions within its time. The log has it once an hour.
func (in *intake) sayShortened(positions int64, span time.Duration) {
	in.metrics.Shortened.Add(float64(positions))
	now := in.now()
	if now.Sub(in.saidShort) < time.Hour {
		return
	}
	in.saidShort = now
	of := in.seen.First()
	// Cause: A partition has more records within `duplicates.window` than `duplicates.memoryBytes` holds. Logged once an hour. Remedy: Raise
	// `duplicates.memoryBytes`, shorten the window, or spread the records over more partitions.
	in.log.Warn("duplicates.memoryBytes shortens duplicates.window: a repetition of an earlier event counts again", "partition", in.partition,
		"window", time.Duration(of.WindowMs)*time.Millisecond, "held", span, "positions", of.Positions)
}
