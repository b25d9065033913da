package outgoing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// FailedWriter publishes one worker's rejected records.
type FailedWriter struct {
	FailedOptions
	Ctx         context.Context // the worker's input and output; kept here since entries outlive the calls
	outstanding atomic.Int64    // bytes on their way
}

// failedOutstanding is how many bytes of a partition may be on their way to the failed-events topic before the
// worker stops folding: nothing moves past a record whose entry is not durable.
const failedOutstanding = 4 << 20

// Full reports whether so much is on its way that the worker must stop folding.
func (w *FailedWriter) Full() bool { return w.outstanding.Load() >= failedOutstanding }

// Add publishes the entry of a record that is rejected under this window of duplicates, with that value, and counts it
// down in t once it is durable, trying until it is.
func (w *FailedWriter) Add(r *decoding.Record, value []byte, window string, t *Tally) {
	entry := w.Events.entry(r, value, w.TopicID, window)
	size := int64(decoding.RecordBytes(entry))
	t.pending.Add(1)
	w.outstanding.Add(size)
	backoff := requests.BackoffFirst
	var try func() // TryProduce: a full buffer is one more reason to try later, and never stops the worker
	try = func() {
		w.Pulse.Beat()
		w.Events.client.TryProduce(w.Ctx, entry, func(sent *kgo.Record, err error) {
			w.Pulse.Beat()
			if err == nil {
				t.pending.Add(-1)
				w.outstanding.Add(-size)
				w.Signal()
				return
			}
			if w.Ctx.Err() != nil {
				return
			}
			// Cause: The brokers did not take a record for the failed-events topic. Remedy: The process tries again. If it lasts, `footfall doctor`
			// checks the topic and the permission.
			w.Events.log.Warn("failed event is not published yet", "topic", w.Events.topic, "error", err)
			w.Retries.Inc()
			switch {
			case errors.Is(err, kerr.MessageTooLarge):
				entry = shrunk(sent)
			case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.UnknownTopicOrPartition),
				errors.Is(err, kerr.UnknownTopicID):
				w.Fail(fmt.Errorf("failed-events topic %q: %w: nothing may move past a rejected record before it is there: create the topic or "+
					"permit writing to it; a process that starts creates it if it may", w.Events.topic, err))
				return
			default:
				entry = &kgo.Record{Topic: sent.Topic, Key: sent.Key, Value: sent.Value, Headers: sent.Headers}
			}
			backoff = min(2*backoff, requests.BackoffLast)
			time.AfterFunc(rand.N(backoff), try)
		})
	}
	try()
}

// Waiting is how many bytes are on their way.
func (w *FailedWriter) Waiting() int64 { return w.outstanding.Load() }

// FailedOptions are what a FailedWriter is made of.
type FailedOptions struct {
	Events  *FailedEvents
	TopicID [16]byte
	Signal  func()      // wakes the worker
	Fail    func(error) // ends it
	Pulse   *requests.Pulse
	Retries prometheus.Counter
}

// NewFailedWriter makes the writer of a worker. ctx is the worker's input and output.
func NewFailedWriter(ctx context.Context, o FailedOptions) *FailedWriter {
	return &FailedWriter{FailedOptions: o, Ctx: ctx}
}

// shrunk is an entry that is smaller: the topic takes less than it said, or than we were allowed to ask. The record's own headers are left
// out first. Then the value is halved, and once nothing is left of it, the key.
func shrunk(r *kgo.Record) *kgo.Record {
	e := &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value}
	var cuts []string
	length, cut := strconv.Itoa(len(r.Value)), "value"
	for _, h := range r.Headers {
		switch {
		case h.Key == event.HeaderTruncated:
			cuts = strings.Split(string(h.Value), ",")
		case h.Key == event.HeaderLength:
			length = string(h.Value)
		case strings.HasPrefix(h.Key, event.HeaderOwn):
			cut = event.TruncatedHeaders
		default:
			e.Headers = append(e.Headers, h)
		}
	}
	switch {
	case cut == event.TruncatedHeaders:
	case len(r.Value) > 0:
		e.Value = r.Value[:len(r.Value)/2]
	default:
		e.Key, cut = r.Key[:len(r.Key)/2], "key"
	}
	if !slices.Contains(cuts, cut) {
		cuts = append(cuts, cut)
	}
	e.Headers = append(e.Headers, kgo.RecordHeader{Key: event.HeaderTruncated, Value: []byte(strings.Join(cuts, ","))},
		kgo.RecordHeader{Key: event.HeaderLength, Value: []byte(length)})
	return e
}
