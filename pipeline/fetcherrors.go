package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/pipeline/internal/streaming"
)

// readRaw begins to stream what the client cannot read of a partition. Without a worker nothing happens: the next owner's
// client meets it again. A log that does not hold the next offset is inspected.
func (p *Pipeline) readRaw(io context.Context, partition int32, cause error) {
	p.pause(partition)
	w := p.roster.worker(partition)
	if w == nil || !w.BeginReading() {
		return
	}
	level := slog.LevelWarn
	if errors.Is(cause, errLeftOut) { // Mostly by an aborted transaction.
		level = slog.LevelDebug
	}
	// Cause: The Kafka client cannot decode a batch of the topic. Remedy: None is needed: footfall reads the records one by one, with the same
	// result. If that fails too, the partition is parked.
	p.log.Log(io, level, "the client cannot read a batch: streaming it", "partition", partition, "offset", w.QueuedTo(), "cause", cause)
	p.tasks.Go(func() {
		s := streaming.Streamer{Client: w.client, Topic: w.topic, TopicID: w.topicID, Partition: partition, Past: w.options.Rebuild.Past,
			Queue: w.Inbox, Unpack: p.unpack, Turn: w.streams, Retiring: w.retiring}
		err := s.Run(w.failed.Ctx)
		w.EndReading()
		if past, ok := errors.AsType[*streaming.PastError](err); ok && w.failed.Ctx.Err() == nil {
			p.fail(fmt.Errorf("partition %d: %w", partition, past))
		}
		if why, ok := errors.AsType[*checkpoint.ParkError](err); ok {
			p.roster.stop(partition, why)
		}
		if errors.Is(err, kerr.OffsetOutOfRange) {
			p.lookAgain(io, partition, math.MaxInt64, err)
		}
		if err != nil {
			return
		}
		p.roster.mu.Lock()
		defer p.roster.mu.Unlock()
		if p.roster.workers[partition] == w {
			p.roster.stalled[partition] = time.Now() // Its fetching continues after what was streamed.
			p.roster.breakOff()
		}
	})
}

// fetchError separates what ends the process from what passes.
func (p *Pipeline) fetchError(io context.Context, partition int32, err error) {
	var loss *kgo.ErrDataLoss
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, kgo.ErrClientClosed):
	case errors.As(err, &loss):
		p.lookAgain(io, partition, loss.ResetTo, err)
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.InconsistentTopicID):
		p.fail(fmt.Errorf("partition %d: topic %q was deleted and created again: restart the process: %w", partition, p.topic, err))
	case requests.IsRefused(err) && p.refused.Passes(time.Now(), p.joined.Load()):
		// Cause: The brokers refuse a login that they took before, as while a password is changed. Remedy: Give the process the new one, in the
		// file that it reads. It ends after five minutes.
		p.log.Warn("login refused: trying again for five minutes", "partition", partition, "error", err)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed), requests.IsRefused(err):
		p.fail(fmt.Errorf("topic %q: Kafka refuses these credentials: %w", p.topic, err))
	case errors.Is(err, kerr.InvalidSessionTimeout):
		p.fail(fmt.Errorf("group %q: the brokers refuse a session timeout of %v: set kafka.sessionTimeout between their "+
			"group.min.session.timeout.ms and group.max.session.timeout.ms, by default 6s to 30m: %w",
			p.options.Group, p.options.SessionTimeout, err))
	case errors.As(err, new(*kgo.ErrGroupSession)), streaming.Passes(err):
		// Cause: A broker did not answer a fetch, or answered with an error that passes, as while a partition moves to another leader. Remedy:
		// None is needed. If it lasts, look at the brokers and the network.
		p.log.Warn("fetch", "partition", partition, "error", err)
	case errors.Is(err, batch.ErrBusy): // It comes again with the next fetch.
	default: // A batch that does not decode, or the client has left the log: see readRaw.
		p.readRaw(io, partition, err)
	}
}

// lookAgain takes a partition over once more because the log does not hold what was to be fetched next: what is folded is
// settled first, and then it shows whether that is a gap, or only a window of duplicates that retention has cut. end is
// where the log was found to end, math.MaxInt64 when it was not looked at.
func (p *Pipeline) lookAgain(io context.Context, partition int32, end int64, cause error) {
	p.roster.mu.Lock()
	w := p.roster.workers[partition]
	if w != nil && end < math.MaxInt64 {
		p.taker.truncated(partition, end)
	}
	p.roster.mu.Unlock()
	if w == nil {
		return // It is lost, or looked at already.
	}
	p.pause(partition)
	// Cause: The topic has deleted or truncated records where the process was about to read. Remedy: None yet: if records were lost before
	// they were counted, an error follows with the commands.
	p.log.Warn("the log does not hold the next offset: inspecting the log", "partition", partition, "error", cause)
	p.bringBack(io, partition, func() bool {
		p.roster.retire([]int32{partition})
		return true
	})
}

// errLeftOut reports that the client has left out offsets.
var errLeftOut = errors.New("offsets are left out")
