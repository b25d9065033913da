package pipeline

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// receive takes the next raw records of the present chunk, and returns what was decoded of them. Records that come before what the worker
// expects, as after a seek, are left out.
func (in *intake) receive(raws []*kgo.Record) []decoding.Record {
	all, used, kept := in.decoded, 0, 0
	for _, raw := range raws {
		isRecord := used < len(all) && all[used].Raw == raw // Else it is a control record.
		if isRecord {
			used++
		}
		if raw.Offset < in.expected {
			continue
		}
		in.expected = raw.Offset + 1
		if !isRecord {
			continue
		}
		if span := all[used-1].Span; span != nil {
			in.expected = span.Next
		}
		if kept < used-1 {
			all[kept] = all[used-1]
		}
		kept++
	}
	in.decoded = all[used:]
	return all[:kept]
}

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
	in.log.Warn("duplicates.memoryBytes shortens duplicates.window: a repetition of an earlier event counts again", "partition", in.partition,
		"window", time.Duration(of.WindowMs)*time.Millisecond, "held", span, "positions", of.Positions)
}
