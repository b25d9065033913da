package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A topic that has lost records can be counted once more from a date on. Figures of earlier dates stay in the generation that has them,
// where readers find them: see package kept. The date must be late enough for the topic to have all events of it and later. It must be
// early enough for all earlier events to be too late by now: the new generation would count them where no reader looks.

// leeway is how much later than the first record of a partition the first date must begin: by 14 hours a date begins earlier in the
// easternmost zone than in UTC, and for a day records may be out of order.
const leeway = (14 + 24) * time.Hour

// keepBefore returns the first date that is counted once more; zero: all are. incomplete says that records are lost, and earliestOf from
// which date on there are all.
func (j *Job) keepBefore(lost *LostError, incomplete bool, has sinks.Generations, earliestOf func() (time.Time, error)) (
	date time.Time, err error,
) {
	date = j.KeepBefore
	switch before, ok := has.KeptBefore(has.Live); {
	case has.Building > 0 && has.Restoring && !date.IsZero() && date.UnixMilli() != has.KeepBefore:
		return date, fmt.Errorf("--keep-before %s: the copy is being counted again from another date on: leave it out",
			date.Format(time.DateOnly))
	case has.Building > 0 && has.KeepBefore > 0: // As it was begun: by now the topic may have lost more, which is counted already.
		begun := time.UnixMilli(has.KeepBefore).UTC()
		if !date.IsZero() && !date.Equal(begun) {
			return date, fmt.Errorf("the rebuild under way keeps what lies before %s, not before %s: leave --keep-before out, or run footfall "+
				"rebuild drop first", begun.Format(time.DateOnly), date.Format(time.DateOnly))
		}
		return begun, nil
	case has.Building > 0 && !date.IsZero():
		return date, errors.New("the rebuild under way counts all that the topic has: leave --keep-before out, or run footfall " +
			"rebuild drop first")
	case ok && !incomplete && date.IsZero(): // The live generation itself has no more.
		return time.UnixMilli(before.Date).UTC(), nil
	case ok && !date.IsZero() && date.UnixMilli() < before.Date:
		return date, fmt.Errorf("--keep-before %s: the live generation begins with %s: name that date or a later one",
			date.Format(time.DateOnly), sinks.Day(before.Date))
	case !incomplete && date.IsZero():
		return date, nil
	}
	earliest, err := earliestOf()
	if before, ok := has.KeptBefore(has.Live); ok && earliest.UnixMilli() < before.Date {
		earliest = time.UnixMilli(before.Date).UTC()
	}
	if err != nil {
		return date, err
	}
	lost.Earliest, lost.Latest = earliest, j.latest()
	if date.IsZero() || lost.none() {
		return date, lost
	}
	if date.Before(earliest) {
		return date, fmt.Errorf("--keep-before %s: %s: name %s or a later date", date.Format(time.DateOnly), lost.before(),
			earliest.Format(time.DateOnly))
	}
	return date, j.closed(date)
}

// latest is the last date before which all events are too late to be counted by now; zero: with allowedLateness off there is none.
func (j *Job) latest() time.Time {
	late := j.Pipeline.Settings.LateMs
	if late < 0 {
		return time.Time{}
	}
	return j.now().Add(-time.Duration(late) * time.Millisecond).UTC().Truncate(24 * time.Hour)
}

// closed returns an error unless all events from before a date are too late to be counted by now.
func (j *Job) closed(date time.Time) error {
	latest := j.latest()
	if latest.IsZero() {
		return fmt.Errorf("--keep-before %s: with allowedLateness off, events of any earlier date may still come, and readers would not find "+
			"them: set a limit first", date.Format(time.DateOnly))
	}
	if date.After(latest) {
		return fmt.Errorf("--keep-before %s: by allowedLateness, events of earlier dates may still come, and readers would not find them: "+
			"name %s or an earlier date", date.Format(time.DateOnly), latest.Format(time.DateOnly))
	}
	return nil
}

// copyLeeway is how much later than the last event of before a date the last record of its partition must be that a copy has counted for
// sure. The items of a copy are of instants within minutes, and records may be out of order.
const copyLeeway = 24 * time.Hour

// closedInCopy returns an error unless a copy has all events of before a date. Its generation counts no more: an event of before that comes
// after the copy was made is counted by neither. And no item of before may have been written while the copy was made. So each partition
// must have counted all records in which events of before may come, by allowedLateness as the copy has recorded it, and a day more. The
// look at the clock in closed says nothing of that: the copy may be days old.
func (j *Job) closedInCopy(ctx context.Context, admin *kadm.Client, source Source, states checkpoint.ChainStates, topicID string) error {
	late := j.Pipeline.Settings.LateMs
	for _, s := range states {
		if of, err := checkpoint.ParseValues(s.Head.Ver); err == nil && late >= 0 {
			late = max(late, of.LateMs)
			if of.LateMs < 0 {
				late = of.LateMs
			}
		}
	}
	if late < 0 {
		return fmt.Errorf("--keep-before %s: the copy was counted with allowedLateness off, so it may lack events of any earlier date: only a "+
			"topic that has all records makes it whole", source.KeepBefore.Format(time.DateOnly))
	}
	after, err := admin.ListOffsetsAfterMilli(ctx, source.KeepBefore.UnixMilli()+late+copyLeeway.Milliseconds(), j.Pipeline.Topic)
	if err != nil {
		return fmt.Errorf("ask which records of topic %q are later: %w", j.Pipeline.Topic, err)
	}
	for n, log := range source.logs {
		l, ok := after.Lookup(j.Pipeline.Topic, n)
		if !ok || l.Err != nil {
			return fmt.Errorf("ask which records of partition %d are later: %w", n, cmp.Or(l.Err, errNoAnswer))
		}
		counted := log.Start
		if head := states[checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}].Head; head.TopicID == topicID {
			counted = max(counted, head.Position()-head.Base)
		}
		if l.Offset > counted {
			return fmt.Errorf("--keep-before %s: when the copy was made, partition %d had not counted all records that may have events of before: "+
				"name an earlier date", source.KeepBefore.Format(time.DateOnly), n)
		}
	}
	return nil
}

var errNoAnswer = errors.New("the brokers did not say")

func (j *Job) now() time.Time {
	if j.Pipeline.Now != nil {
		return j.Pipeline.Now()
	}
	return time.Now()
}

// earliest returns the first date of which partitions have all records, by the time of the first that each has.
func (j *Job) earliest(ctx context.Context, admin *kadm.Client, partitions []int32) (time.Time, error) {
	var first time.Time
	if len(partitions) == 0 {
		return first, nil
	}
	listed, err := admin.ListOffsetsAfterMilli(ctx, 0, j.Pipeline.Topic)
	if err != nil {
		return first, fmt.Errorf("ask for the first records of topic %q: %w", j.Pipeline.Topic, err)
	}
	for _, n := range partitions {
		l, ok := listed.Lookup(j.Pipeline.Topic, n)
		switch {
		case !ok:
			return first, fmt.Errorf("the brokers did not say what the first record of partition %d is", n)
		case l.Err != nil:
			return first, fmt.Errorf("ask for the first record of partition %d: %w", n, l.Err)
		}
		at := j.now() // of a partition that has none
		if l.Timestamp >= 0 {
			at = time.UnixMilli(l.Timestamp)
		}
		if at.After(first) {
			first = at
		}
	}
	return dateAfter(first), nil
}

// dateAfter returns the first date in UTC that begins more than the leeway after an instant.
func dateAfter(t time.Time) time.Time {
	return t.Add(leeway + 24*time.Hour - time.Millisecond).UTC().Truncate(24 * time.Hour)
}
