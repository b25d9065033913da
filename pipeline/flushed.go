package pipeline

import (
	"slices"
	"time"
)

// Flush is a flush that has ended, as traces show it.
type Flush struct {
	Topic     string
	Partition int32
	Lane      string
	Number    int64
	From, To  int64     // positions of its records, To exclusive
	Repeated  bool      // after a takeover: another owner had begun it
	Records   int       // rejected ones and duplicates included
	Items     int       // written, packs of raw events included
	Bytes     int       // that these take in memory, about
	Begun     time.Time // when it was cut
	Ended     time.Time
	Phases    []FlushPhase // in their order; the last one of a flush that failed is the one that failed
	Err       error        // why it was not completed; nil: all of it is in the table
}

// FlushPhase is a phase of a flush, named as by the label phase of footfall_flush_seconds.
type FlushPhase struct {
	Name         string
	Begun, Ended time.Time
}

// phase notes that a phase of an open flush has ended, and returns when.
func (w *worker) phase(l *lane, open *openStep, name string, since time.Time) time.Time {
	now := w.metrics.phase(l.name, name, since)
	open.noted(name, since, now)
	return now
}

// noted adds a phase to the flush if flushes are reported. Phases follow each other, so one goroutine at a time calls it.
func (o *openStep) noted(name string, begun, ended time.Time) {
	if o.flush != nil {
		o.flush.Phases = append(o.flush.Phases, FlushPhase{name, begun, ended})
	}
}

// reportFlushed reports a flush that has ended.
func (w *worker) reportFlushed(open *openStep, err error) {
	f := open.flush
	if f == nil {
		return
	}
	open.flush = nil
	f.Ended, f.Err = time.Now(), err
	if err != nil && len(f.Phases) > 0 { // The phase that was under way.
		last := f.Phases[len(f.Phases)-1]
		next := slices.Index(phases, last.Name) + 1
		if next < len(phases) && phases[next] == phaseIntend && f.Repeated {
			next++ // What is done again is recorded already.
		}
		if next < len(phases) {
			f.Phases = append(f.Phases, FlushPhase{phases[next], last.Ended, f.Ended})
		}
	}
	w.flushed(*f)
}

// reportUnfinished reports the flushes that the worker leaves unfinished, and why.
func (w *worker) reportUnfinished(why error) {
	for _, l := range w.lanes {
		if l.open == nil {
			continue
		}
		cause := why
		if result := l.open.result.Load(); result != nil && result.err != nil {
			cause = result.err
		}
		w.reportFlushed(l.open, cause)
	}
}
