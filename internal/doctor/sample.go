package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

const (
	sampleRecords    = 50 // of each partition, the last ones
	samplePartitions = 32 // the first ones
	samplePatience   = 5 * time.Second
)

// sample is what the last records of the topic show.
type sample struct {
	records, keyless, sessions int
	split                      int // sessions that two partitions have
	ahead                      time.Duration
	rejected                   map[event.Reason]int

	waiting int // for the schema registry
	schemas *sampleSchemas
	decode  checkpoint.Decode
	seen    map[string]int32 // partitions by siteId and sessionId
}

// checkSample looks at the last records.
func (e *exam) checkSample(ctx context.Context) {
	s := &sample{schemas: newSampleSchemas(e.Options), rejected: make(map[event.Reason]int), seen: make(map[string]int32)}
	var err error
	if s.decode, err = e.Settings.Maps.Decoder(0, s.schemas.find); err == nil {
		err = e.readSample(ctx, s)
	}
	e.add(s.schemas.judge(e.Options, s.records)...)
	if err != nil {
		e.unchecked(ctx, "topic.records", fmt.Errorf("the last records: %w", err))
		return
	}
	if s.records == 0 {
		e.ok("topic.records", "there are no records to look at")
		return
	}
	e.judgeKeys(s)
	if s.ahead > clockTolerance {
		e.warn("topic.record-times", fmt.Sprintf("of the last %d records, the latest is dated %v ahead of this machine's clock", s.records,
			s.ahead.Round(time.Second)),
			"events are counted in hours to come, and far enough ahead they are rejected as bad_record_time: set the clocks "+
				"of the producers, or this one")
	} else {
		e.ok("topic.record-times", "none of the last %d records is dated ahead of this machine's clock", s.records)
	}
	if s.waiting > 0 {
		e.unchecked(ctx, "topic.events", fmt.Errorf("%d of the last %d records wait for the schema registry", s.waiting, s.records))
		return
	}
	if len(s.rejected) == 0 {
		e.ok("topic.events", "the last %d records are events that this configuration accepts", s.records)
		return
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(s.rejected)) {
		reasons = append(reasons, fmt.Sprintf("%d as %s", s.rejected[reason], reason))
	}
	e.warn("topic.events", fmt.Sprintf("of the last %d records, this configuration rejects %s", s.records, strings.Join(reasons, ", ")),
		"they are in no figure: docs/events.md says what to do about each reason", "footfall failed list")
}

// judgeKeys says whether a visitor stays in one partition.
func (e *exam) judgeKeys(s *sample) {
	const key = "set the Kafka key to the siteId, or siteId#b for busy sites: see docs/events.md"
	switch {
	case e.partitions == 1:
		e.ok("topic.keys", "one partition has all records")
	case s.keyless > 0:
		e.warn("topic.keys", fmt.Sprintf("%d of the last %d records have no key", s.keyless, s.records),
			"records of a visitor lie in several partitions: each counts a session, and duplicates are not found: "+key)
	case s.split > 0:
		e.warn("topic.keys", fmt.Sprintf("of %d sessions among the last records, %d lie in several partitions", s.sessions, s.split),
			"each partition counts a session, and duplicates are not found: "+key)
	default:
		e.ok("topic.keys", "the last %d records have keys", s.records)
	}
}

// readSample reads the last records of the partitions, as far as they come in time.
func (e *exam) readSample(ctx context.Context, s *sample) error {
	starts, err := e.admin.ListStartOffsets(ctx, e.Config.Kafka.Topic)
	if err != nil {
		return err
	}
	ends, err := e.admin.ListCommittedOffsets(ctx, e.Config.Kafka.Topic)
	if err != nil {
		return err
	}
	from, to := make(map[int32]kgo.Offset), make(map[int32]int64)
	for _, p := range slices.Sorted(maps.Keys(ends[e.Config.Kafka.Topic])) {
		start, _ := starts.Lookup(e.Config.Kafka.Topic, p)
		end, _ := ends.Lookup(e.Config.Kafka.Topic, p)
		if start.Err == nil && end.Err == nil && end.Offset > start.Offset && len(from) < samplePartitions {
			from[p], to[p] = kgo.NewOffset().At(max(start.Offset, end.Offset-sampleRecords)), end.Offset
		}
	}
	if len(from) == 0 {
		return nil
	}
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), e.Kafka...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{e.Config.Kafka.Topic: from}), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(1<<20))...)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, samplePatience)
	defer cancel()
	for len(to) > 0 {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil && s.records > 0 {
			return nil // What came by then is a sample, too.
		}
		for _, fault := range fetches.Errors() {
			if ctx.Err() != nil {
				return fault.Err
			}
			delete(to, fault.Partition) // A batch that cannot be read: the pipeline says so.
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if end, ok := to[r.Partition]; ok && r.Offset+1 >= end {
				delete(to, r.Partition)
			}
			if !r.Attrs.IsControl() {
				s.schemas.ask(ctx, r.Value)
				e.take(s, r)
			}
		})
	}
	return nil
}

// take adds a record to the sample.
func (e *exam) take(s *sample, r *kgo.Record) {
	s.records++
	if len(r.Key) == 0 {
		s.keyless++
	}
	s.ahead = max(s.ahead, time.Until(r.Timestamp))
	if s.schemas.waits(r.Value) {
		s.waiting++
		return
	}
	var decoded event.Event
	if reason, _ := e.Settings.Verdict(s.decode, r, &decoded); reason != event.Accepted {
		s.rejected[reason]++
		return
	}
	if len(decoded.SessionID) == 0 {
		return
	}
	id := string(decoded.SiteID) + "\x00" + string(decoded.SessionID)
	before, seen := s.seen[id]
	switch {
	case !seen:
		s.seen[id] = r.Partition
		s.sessions++
	case before >= 0 && before != r.Partition:
		s.seen[id] = -1 // Counted once.
		s.split++
	}
}
