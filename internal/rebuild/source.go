package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/rawlog"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// LostError reports that the topic no longer has all that the table has counted of it.
type LostError struct {
	Topic         string
	Partition     int32
	Start         int64 // of the log
	First         int64 // offset of the first record that the table has counted; unless Another
	Another       bool  // the topic was created again since
	Partitions    int   // that have lost records
	AllPartitions int
	Earliest      time.Time // the first date from which the topic surely has all records: earlier ones can be kept
	Raw           string    // why raw events do not have all of earlier dates either; "": they are not to be read
	Latest        time.Time // the last date before which all events are too late to be counted; zero: allowedLateness is off
}

// none reports whether no date can be rebuilt alone today.
func (e *LostError) none() bool { return !e.Latest.IsZero() && e.Earliest.After(e.Latest) }

func (e *LostError) Error() string {
	why := fmt.Sprintf("its log begins at offset %d, and the table has counted from offset %d on", e.Start, e.First)
	if e.Another {
		why = "the topic was created again after the table had counted it"
	}
	earliest := e.Earliest.Format(time.DateOnly)
	remedy := fmt.Sprintf("It has all of %s and later: --keep-before %[1]s rebuilds those dates, and keeps earlier ones as they are; --from "+
		"raw reads raw events in place of what is lost", earliest)
	if e.Raw != "" {
		remedy = fmt.Sprintf("%s. Raw events and topic have all of %s and later: --keep-before %[2]s rebuilds those dates, and keeps earlier "+
			"ones as they are", e.Raw, earliest)
	}
	if e.none() {
		if e.Raw != "" {
			why += ". " + e.Raw
		}
		remedy = fmt.Sprintf("No later dates can be rebuilt alone today: records of dates before %s may be lost, and by allowedLateness events "+
			"of %s and later may still come. A topic must keep records for allowedLateness and three days more", earliest,
			e.Latest.Format(time.DateOnly))
	}
	return fmt.Sprintf("topic %q no longer has all that the table has counted (%d of %d partitions), so a rebuild of everything would lose "+
		"figures: of partition %d, %s; nothing was changed. %s", e.Topic, e.Partitions, e.AllPartitions, e.Partition, why, remedy)
}

// before says why earlier dates cannot be counted once more.
func (e *LostError) before() string {
	if e.Raw != "" {
		return e.Raw
	}
	return fmt.Sprintf("topic %q may have lost records of that date", e.Topic)
}

// A Source is what a rebuild reads.
type Source struct {
	Records    int64 // in the log, about: markers of transactions are counted, too
	Partitions int
	// KeepBefore is the first date that is counted once more: the topic has lost records of before. Zero: it has all.
	KeepBefore time.Time

	logs map[int32]checkpoint.Extent
	lost map[int32]rawlog.Span // offsets that the topic has lost, for which raw events serve; nil: none
	raw  rawDates              // of these raw events, as of now
}

// inspect finds out whether the topic has all records that the live generation has counted, and how many it has. It returns a *LostError
// if not, unless earlier dates are kept.
func (j *Job) inspect(ctx context.Context, live *chains, has sinks.Generations) (Source, error) {
	if err := j.onlyTopic(ctx, live.keys); err != nil {
		return Source{}, err
	}
	states, err := live.states(ctx)
	if err != nil {
		return Source{}, err
	}
	if lost := lostOf(states); len(lost) > 0 && !has.Restoring {
		return Source{}, fmt.Errorf("the checkpoint of partition %d, lane %s, was deleted: restore it, or stop the members and run "+
			"footfall table resume-restored", lost[0].Partition, lost[0].Lane)
	}
	client, err := kgo.NewClient(j.Pipeline.Kafka...)
	if err != nil {
		return Source{}, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	id, parts, logs, err := topicLogs(ctx, admin, j.Pipeline.Topic)
	if err != nil {
		return Source{}, err
	}
	source, lost := Source{Partitions: len(parts), logs: logs}, &LostError{Topic: j.Pipeline.Topic, AllPartitions: len(parts)}
	var without []int32
	spans := make(map[int32]rawlog.Span)
	for _, n := range parts {
		log := logs[n]
		source.Records += log.End - log.Start
		chain := states[checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}]
		first, begun := firstOf(chain)
		another := begun && first.TopicID != fmt.Sprintf("%x", id)
		if begun && chain.Head.TopicID != fmt.Sprintf("%x", id) && !(has.Restoring && chain.Lost()) {
			return source, uncounted(has, j.Pipeline.Topic, n)
		}
		if begun && (another || first.From-first.Base < log.Start) {
			without = append(without, n)
			spans[n] = rawlog.Span{From: first.From - first.Base, To: log.Start}
			if lost.Partitions++; lost.Partitions == 1 {
				lost.Partition, lost.Start, lost.First, lost.Another = n, log.Start, first.From-first.Base, another
			}
		}
	}
	incomplete, earliest := len(without) > 0, func() (time.Time, error) { return j.earliest(ctx, admin, without) }
	if incomplete && j.FromRaw {
		source.lost = spans
		if source.raw, err = j.rawFrom(ctx, live, states, source, has); err != nil {
			return source, err
		}
		incomplete = !source.raw.from.IsZero() && has.Building == 0 // What is continued was complete when it began: see readRaw.
		earliest, lost.Raw = func() (time.Time, error) { return source.raw.from, nil }, source.raw.why
	}
	source.KeepBefore, err = j.keepBefore(lost, incomplete, has, earliest)
	if err == nil && has.Restoring && !source.KeepBefore.IsZero() {
		err = j.closedInCopy(ctx, admin, source, states, fmt.Sprintf("%x", id))
	}
	return source, err
}

// uncounted says what to do about a topic with another id than a partition has counted. A copy has raw events without an id under keys of
// the topic that it has counted: from another topic they would come once more.
func uncounted(has sinks.Generations, topic string, partition int32) error {
	if has.Restoring {
		return fmt.Errorf("topic %q is not the one that the copy has counted, but was created again or is a mirror on another cluster: count "+
			"the copy again from the former cluster (--brokers), and run footfall topic adopt. If that is gone, have members count this topic "+
			"into a table of its own", topic)
	}
	return fmt.Errorf("topic %q was created again, and partition %d has counted nothing of it yet: start the members first", topic, partition)
}

// topicLogs asks for the partitions of a topic, and where their logs begin and end.
func topicLogs(ctx context.Context, admin *kadm.Client, topic string) (
	id [16]byte, parts []int32, logs map[int32]checkpoint.Extent, err error,
) {
	topics, err := admin.ListTopics(ctx, topic)
	if err == nil {
		err = topics[topic].Err
	}
	if err != nil {
		return id, nil, nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	parts = topics[topic].Partitions.Numbers()
	id, logs, err = checkpoint.InspectTopic(ctx, admin, topic, parts)
	return id, parts, logs, err
}

// firstOf returns what held of a chain's first flush.
func firstOf(s checkpoint.ChainState) (first checkpoint.History, ok bool) {
	switch {
	case len(s.History) > 0:
		return s.History[0], true
	case s.Head.Step > 0: // Its history is written after it.
		return checkpoint.History{From: s.Head.From, Base: s.Head.Base, TopicID: s.Head.TopicID}, true
	}
	return checkpoint.History{}, false
}

// onlyTopic refuses a table that has counted other topics, too: the new generation would lack them.
func (j *Job) onlyTopic(ctx context.Context, keys sinks.Keys) error {
	topics, err := sinks.Topics(ctx, j.table(), keys)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Values(topics))
	if !slices.Contains(names, j.Pipeline.Topic) {
		return fmt.Errorf("the table has counted nothing of topic %q: there is nothing to rebuild", j.Pipeline.Topic)
	}
	if len(names) > 1 {
		return fmt.Errorf("the table has counted %d topics, %q: a rebuild counts one, and the others would be missing", len(names), names)
	}
	return nil
}

// keepBefore is KeepBefore in ms since the epoch; 0: the topic has all.
func (s Source) keepBefore() int64 {
	if s.KeepBefore.IsZero() {
		return 0
	}
	return s.KeepBefore.UnixMilli()
}
