package produce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"github.com/footfall/footfall/internal/plural"
)

// Synthetic makes records as they would come at an instant: Traffic and Audience do.
type Synthetic interface {
	Next(now time.Time) Record
}

// Job sends records to a topic. Exactly one of Traffic, Past and File is set.
type Job struct {
	Traffic Synthetic
	Past    *Past
	File    *File

	// Into takes the records of a file in place of Kafka, one after the other, with the lines they are of; nil: they are sent to the topic.
	Into func(r Record, from Place, stamp time.Time) error

	Kafka       []kgo.Opt // how to reach the brokers
	Topic       string
	Create      *Topic                  // the topic to create if there is none; nil: that is an error
	Compression string                  // lz4, zstd, gzip, snappy or none; empty: lz4
	Rate        float64                 // records per second; 0: as fast as Kafka takes them
	Rhythm      func(time.Time) float64 // what Rate is multiplied by at an instant; nil: 1
	Events      int64                   // how many records to take; 0: all of a file, traffic until the context ends
	RecordTime  RecordTime              // Kafka's timestamps

	// Keep is the shortest time for which a pipeline that is configured as this process keeps any kind of its items; 0: for
	// ever. Older events are warned about. Which pipeline reads them, and what it keeps, is not known here.
	Keep time.Duration
	// Lateness is by how much an event may be older than its record, by the same configuration; 0 and below: any time. Older events are warned
	// about, if RecordTime is not that of the event.
	Lateness time.Duration
	// Judge says which records of a file are refused because the pipeline would reject them; nil: none.
	Judge Judge

	Ledger   io.Writer         // gets a line for every record that Kafka acknowledged; nil: none
	Warn     func(text string) // called at once with what the summary's Warnings will hold; nil: not
	Progress func(done int64)  // called now and then with the records sent, or the bytes of the file read; nil: not

	running *run
}

// Bounds of a job.
const (
	maxInFlightBytes = 32 << 20 // of records that Kafka has not acknowledged
	recordOverhead   = 512      // what a record in flight takes beside its key and value, about
)

// Run sends all records, or those until ctx ends, and waits for what was begun. Every record has been acknowledged,
// has failed or was refused when it returns, and the summary says so. A record is sent by an idempotent producer:
// a lost answer does not send it twice.
//
// The end of ctx is no error: the summary says that the job was interrupted. The error is what kept a record from
// being sent or the file from being read; the summary holds what was done until then. A record that Kafka refuses
// for itself (its size, its timestamp) is counted as failed and the job goes on; any other failure ends it.
func (j *Job) Run(ctx context.Context) (Summary, error) {
	r := j.newRun()
	if j.Into != nil {
		r.facts.retention = Forever
		return r.finish(ctx, r.send(ctx))
	}
	if err := r.connect(); err != nil {
		return r.summary, err
	}
	defer r.client.Close()
	var err error
	if r.facts, err = openTopic(ctx, j.Kafka, j.Topic, j.Create, r.warn); err != nil {
		return r.summary, err
	}
	sending, stop := context.WithCancelCause(ctx)
	waiting, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	r.stop, r.giveUp = stop, giveUp
	var watch sync.WaitGroup
	watch.Go(func() { r.watch(ctx, waiting) })
	err = r.send(sending)
	if flushErr := r.flush(waiting); flushErr != nil {
		err = errors.Join(err, flushErr)
	}
	stop(nil)
	giveUp(nil)
	watch.Wait()
	return r.finish(ctx, err)
}

// Sofar is the summary of what Run has done until now, for what it calls: Into, and the file's inputs.
func (j *Job) Sofar() Summary {
	s := j.running.summary
	s.Sent, s.LeftOut = j.running.answers.sent, j.File.left
	return s
}

// run is one Run of a Job.
//
// The fields below "answers" belong to the client's one goroutine of promises until flush has returned.
type run struct {
	*Job
	client   *kgo.Client
	facts    topicFacts
	inFlight *semaphore.Weighted
	stop     context.CancelCauseFunc // ends sending
	giveUp   context.CancelCauseFunc // ends waiting for answers
	patience patience
	gaveUp   error // why the waiting ended before its time
	began    time.Time
	taken    int64 // records that were handed to the client

	warned  map[string]bool
	summary Summary
	key     struct {
		first   []byte
		records int64 // that have it, from the first on
		several bool  // there are others
	}

	answers struct {
		sent, failed, bytes int64
		first               []Failure
		err                 error // the first failure
		ledger              ledger
	}
}

func (j *Job) newRun() *run {
	sources := 0
	for _, given := range []bool{j.Traffic != nil, j.Past != nil, j.File != nil} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		panic("produce: a Job has exactly one of Traffic, Past and File")
	}
	r := &run{Job: j, inFlight: semaphore.NewWeighted(maxInFlightBytes), began: time.Now(), warned: make(map[string]bool)}
	r.answers.ledger.w = j.Ledger
	j.running = r
	r.summary = Summary{Topic: j.Topic, FirstRefused: []Refusal{}, FirstFailed: []Failure{}, Warnings: []string{}}
	return r
}

// send takes records until there are no more or ctx ends, and hands them to the client.
func (r *run) send(ctx context.Context) error {
	pace := newPacer(r.Rate, r.Rhythm)
	for r.Events == 0 || r.taken < r.Events {
		if err := pace.wait(ctx); err != nil {
			return err
		}
		now := time.Now()
		rec, stamp, err := r.next(now)
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			r.refuse(*refusal)
			continue
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Into == nil {
			if reason := r.facts.refuses(stamp, now); reason != "" {
				if r.File == nil {
					return errors.New(reason)
				}
				r.refuse(Refusal{Place: r.File.made, Reason: reason})
				continue
			}
		}
		if reason := r.rejects(rec, stamp); reason != "" {
			r.refuse(Refusal{Place: r.File.made, Reason: reason})
			continue
		}
		r.note(rec, stamp, now)
		hand := r.hand
		if r.Into != nil {
			hand = r.handInto
		}
		if err := hand(ctx, rec, stamp); err != nil {
			return err
		}
	}
	return nil
}

// next makes the next record and its Kafka timestamp. Synthetic traffic at an instant has a clock of its own: it
// begins at the instant and goes on at the rate, so that the same seed makes the same records.
func (r *run) next(now time.Time) (rec Record, stamp time.Time, err error) {
	if r.File != nil {
		rec, err = r.File.Next()
		return rec, r.RecordTime.of(rec.Time, now), err
	}
	if r.Past != nil {
		rec, err = r.Past.Next()
		return rec, r.RecordTime.of(rec.Time, now), err
	}
	if at := r.RecordTime.at; !at.IsZero() {
		if now = at; r.Rate > 0 {
			now = at.Add(time.Duration(float64(r.taken) / r.Rate * float64(time.Second)))
		}
		return r.Traffic.Next(now), now, nil
	}
	rec = r.Traffic.Next(now)
	return rec, r.RecordTime.of(rec.Time, now), nil
}

// rejects says why the pipeline would reject the record of a line.
func (r *run) rejects(rec Record, stamp time.Time) string {
	if r.Judge == nil || r.File == nil {
		return ""
	}
	reason, detail := r.Judge(rec.Value, stamp)
	if reason == "" {
		return ""
	}
	return reason + ": " + detail
}

func (r *run) refuse(x Refusal) {
	r.summary.Refused++
	if len(r.summary.FirstRefused) < maxListed {
		x.After = r.taken
		r.summary.FirstRefused = append(r.summary.FirstRefused, x)
	}
}

// hand gives a record to the client, waiting while too much is in flight.
func (r *run) hand(ctx context.Context, rec Record, stamp time.Time) error {
	weight := min(int64(len(rec.Key)+len(rec.Value)+recordOverhead), maxInFlightBytes)
	if err := r.inFlight.Acquire(ctx, weight); err != nil {
		return context.Cause(ctx)
	}
	r.taken++
	r.patience.begun()
	var at Place
	if r.File != nil {
		at = r.File.made
	}
	k := &kgo.Record{Topic: r.Topic, Key: rec.Key, Value: bytes.Clone(rec.Value), Timestamp: stamp}
	// The record's own context never ends: what was begun is finished even when the job is interrupted.
	r.client.Produce(context.Background(), k, func(k *kgo.Record, err error) {
		defer r.inFlight.Release(weight)
		r.answered(k, rec, at, err)
		r.patience.answered()
	})
	r.tick()
	return nil
}

// tick shows the progress now and then.
func (r *run) tick() {
	if r.Progress != nil && r.taken%64 == 0 {
		r.progress()
	}
}

// answered counts a record. The client calls it for one record after the other.
func (r *run) answered(k *kgo.Record, rec Record, at Place, err error) {
	a := &r.answers
	if err == nil {
		a.ledger.add(k, rec)
		a.sent++
		a.bytes += int64(len(rec.Key) + len(rec.Value))
		if a.ledger.err != nil {
			r.stop(fmt.Errorf("write the ledger: %w", a.ledger.err))
		}
		return
	}
	a.failed++
	if err = explain(err); errors.Is(err, kgo.ErrAborting) || errors.Is(err, kgo.ErrClientClosed) {
		err = r.gaveUp
	}
	if len(a.first) < maxListed {
		a.first = append(a.first, Failure{at, err.Error()})
	}
	if a.err == nil {
		a.err = err
	}
	if !errors.Is(err, kerr.MessageTooLarge) && !errors.Is(err, kerr.InvalidTimestamp) && !errors.Is(err, kerr.InvalidRecord) {
		r.stop(err) // The next would fail alike.
	}
}

// explain adds the remedy to errors that users meet.
func explain(err error) error {
	switch {
	case errors.Is(err, kerr.InvalidTimestamp):
		return fmt.Errorf("%w: Kafka refuses records more than an hour ahead of its clock, or further from it than the topic's "+
			"message.timestamp settings allow, and all that came in one batch with them: use --record-time now", err)
	case errors.Is(err, kerr.MessageTooLarge):
		return fmt.Errorf("%w: raise the topic's max.message.bytes", err)
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return fmt.Errorf("%w: this user needs WRITE on the topic", err)
	}
	return err
}

// flush waits until every record that was handed over has its answer, or until the waiting ends: then it gives up
// what is left, which fails.
func (r *run) flush(waiting context.Context) error {
	err := r.client.Flush(waiting)
	if err != nil {
		err = context.Cause(waiting)
		r.gaveUp = err // Before the answers that the next call brings about, one for each record, at once.
		// Aborting fails what was never sent. What was sent and has no answer an idempotent client keeps trying, for
		// as long as it lives: for brokers that never come back, too.
		aborting, cancel := context.WithTimeout(context.WithoutCancel(waiting), abortTimeout)
		if r.client.AbortBufferedRecords(aborting) != nil {
			r.client.Close()
		}
		cancel()
	}
	// The client's count falls before the last promise has returned; the semaphore's, when it has.
	if acquireErr := r.inFlight.Acquire(context.WithoutCancel(waiting), maxInFlightBytes); acquireErr != nil {
		panic(acquireErr) // Its context never ends.
	}
	return err
}

// finish completes the summary and chooses the error.
func (r *run) finish(ctx context.Context, err error) (Summary, error) {
	s, a := &r.summary, &r.answers
	s.Sent, s.Failed, s.Bytes = a.sent, a.failed, a.bytes
	s.FirstFailed = append(s.FirstFailed, a.first...)
	s.Seconds = time.Since(r.began).Seconds()
	if r.File != nil {
		s.Comments, s.LeftOut = r.File.skipped, r.File.left
	}
	if r.Progress != nil {
		r.progress()
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		s.Interrupted = true
		err = nil
	}
	if err == nil && a.ledger.err != nil {
		err = fmt.Errorf("write the ledger: %w", a.ledger.err)
	}
	switch {
	case a.err != nil:
		return *s, fmt.Errorf("topic %q: %s could not be sent, the first because of: %w", r.Topic,
			plural.Count(a.failed, "record", "records"), a.err)
	case isReadError(err):
		return *s, err // Which has nothing to do with the topic.
	case err != nil && r.Into != nil:
		return *s, err
	case err != nil:
		return *s, fmt.Errorf("topic %q: %w", r.Topic, err)
	case r.File != nil && s.Sent == 0 && !s.Interrupted:
		return *s, fmt.Errorf("%w: %w", ErrNothingSent, r.summary.NoRecord())
	}
	return *s, nil
}

func isReadError(err error) bool {
	_, ok := errors.AsType[*ReadError](err)
	return ok
}

// ErrNothingSent reports that a file gave no record.
var ErrNothingSent = errors.New("nothing was sent")

func (r *run) progress() {
	if r.File != nil {
		r.Progress(r.File.BytesRead())
	} else {
		r.Progress(r.taken)
	}
}
