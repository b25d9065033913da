package produce

import (
	"bytes"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/eventjson"
)

// note keeps what the summary says about the record, and warns of what is about to be deleted.
func (r *run) note(rec Record, stamp, now time.Time) {
	r.oneKey(rec)
	if !rec.Time.IsZero() {
		if s := &r.summary; s.FirstEvent.IsZero() || rec.Time.Before(s.FirstEvent) {
			s.FirstEvent = rec.Time
		}
		if rec.Time.After(r.summary.LastEvent) {
			r.summary.LastEvent = rec.Time
		}
		r.stepBack(rec)
		r.tooLate(rec, stamp)
		if r.Keep > 0 && now.Sub(rec.Time) > r.Keep && !r.warned["items"] {
			r.warned["items"] = true
			r.warn(fmt.Sprintf("event times go back to %s and further: if `footfall run` or `footfall dev`, whichever reads them, keeps some "+
				"kinds of "+
				"items for %s only, as is configured here, what is older has expired when it is written. To keep all, set its retentions (raw, "+
				"session, hour, day) to never before it reads them",
				rec.Time.Format(time.RFC3339), spellDays(r.Keep)))
		}
	}
	if r.facts.retention != Forever && now.Sub(stamp) > r.facts.retention && !r.warned["topic"] {
		r.warned["topic"] = true
		r.warn(fmt.Sprintf("Kafka timestamps go back to %s and further, and topic %q keeps records for %s: Kafka will delete them, perhaps "+
			"before they "+
			"are read. Give the topic retention.ms=-1 (--create-topic --retention never for a new one), or use --record-time now with "+
			"allowedLateness off and retention.session never",
			stamp.Format(time.RFC3339), r.Topic, spellDays(r.facts.retention)))
	}
}

// tooLate warns, once, that the pipeline rejects an event for its record's time.
func (r *run) tooLate(rec Record, stamp time.Time) {
	if r.Lateness <= 0 || r.RecordTime == EventTime || stamp.Sub(rec.Time) <= r.Lateness || r.warned["late"] {
		return
	}
	r.warned["late"] = true
	text := fmt.Sprintf("event times go back to %s and further, and records are dated %s: a pipeline that is configured as this command "+
		"rejects events more than %s older than their record as too_late",
		rec.Time.Format(time.RFC3339), stamp.UTC().Format(time.RFC3339), spellDays(r.Lateness))
	if r.File != nil {
		text += ": leave --record-time out, so that records have the times of their events, or set allowedLateness to off there"
	}
	r.warn(text)
}

// manyRecords is how many records of one key are worth a warning.
const manyRecords = 10_000

// oneKey warns, once, that the first records all have one key, and thus go to one partition of several.
func (r *run) oneKey(rec Record) {
	k := &r.key
	switch {
	case r.File == nil || r.facts.partitions < 2 || k.several:
	case k.records == 0:
		k.first = bytes.Clone(rec.Key)
		k.records++
	case !bytes.Equal(k.first, rec.Key):
		k.several = true
	default:
		if k.records++; k.records == manyRecords {
			r.warn(fmt.Sprintf("the first %d records all have the key %s, and go to one of the %d partitions of topic %q: with --buckets %d a site "+
				"takes all of them, each visitor one", manyRecords, eventjson.Quote(string(k.first)), r.facts.partitions, r.Topic,
				2*r.facts.partitions))
		}
	}
}

func spellDays(d time.Duration) string {
	if d >= 48*time.Hour && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.String()
}

func (r *run) warn(text string) {
	r.summary.Warnings = append(r.summary.Warnings, text)
	if r.Warn != nil {
		r.Warn(text)
	}
}
