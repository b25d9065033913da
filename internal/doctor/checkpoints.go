package doctor

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// chains is the examination of what the table has of the topic's partitions.
type chains struct{ *exam }

// checkCheckpoints compares the checkpoints with the topic and the group.
func (e chains) checkCheckpoints(ctx context.Context) {
	k := e.Config.Kafka
	client, err := kgo.NewClient(e.Kafka...)
	if err != nil {
		e.unchecked(ctx, "checkpoints", err)
		return
	}
	defer client.Close()
	committed := e.committed(ctx, client) // Before the checkpoints, which it is behind then.
	var views []checkpoint.ChainView
	_, has, err := sinks.CheckFormat(ctx, e.Table)
	if err == nil {
		views, err = checkpoint.ViewChains(ctx, e.Kafka, k.Topic, e.Table, has.Keys())
	}
	switch {
	case err != nil:
		e.fail("checkpoints", WithCause(ctx, err).Error(), "nothing is counted: see footfall status", "footfall status")
		return
	case len(views) == 0:
		e.ok("checkpoints", "nothing of topic %s is in this table yet", k.Topic)
		return
	}
	before := len(e.report.Findings)
	for _, v := range views {
		e.checkStopped(v)
	}
	e.checkGroups(views)
	if len(e.report.Findings) == before {
		e.ok("checkpoints", "%d partitions are counted, and none is stopped", len(views)/len(checkpoint.Lanes))
	}
	e.checkDeadline(ctx, client, views)
	e.checkCommitted(views, committed)
}

// checkStopped says what stops a lane of a partition.
func (e chains) checkStopped(v checkpoint.ChainView) {
	lane := fmt.Sprintf("partition %d, lane %s", v.Partition, v.Lane)
	next := v.LogEnd - v.Lag // Where it continues, if the topic still has that.
	same := v.Step > 0 && v.TopicID == hex.EncodeToString(e.topic.ID[:])
	switch {
	case v.Park != nil:
		e.fail("checkpoints", fmt.Sprintf("%s is parked: %s", lane, v.Park), "it is not counted until the cause is gone and it is continued",
			v.Park.Commands(v.Partition)...)
	case v.Gap != nil:
		e.fail("checkpoints", fmt.Sprintf("%s has a data gap: %s", lane, v.Gap),
			"it is not counted until an operator decides to continue without "+
				"these records", fmt.Sprintf("footfall partition accept-gap %d --lane %s --flush %d", v.Partition, v.Lane, v.Step))
	case v.Lost:
		e.fail("checkpoints", lane+" has a history, and its checkpoint is gone", "it is not counted: restore the checkpoint from a backup, "+
			"or stop the members and count the topic again", fmt.Sprintf("footfall partition resume %d", v.Partition),
			"footfall table resume-restored")
	case same && v.LogStart > next && v.LogStart >= 0:
		e.fail("checkpoints", fmt.Sprintf("%s continues at offset %d, and the topic begins at %d", lane, next, v.LogStart),
			"records were deleted before they were counted: the partition stops at a data gap", "footfall status")
	case same && v.To-v.Base > v.LogEnd && v.LogEnd >= 0:
		e.fail("checkpoints", fmt.Sprintf("%s is counted up to offset %d, and the topic ends at %d", lane, v.To-v.Base, v.LogEnd),
			"counted records are gone from the topic, as after an unclean election: the partition stops", "footfall status")
	}
}

// checkGroups finds owners of partitions that are in other groups.
func (e chains) checkGroups(views []checkpoint.ChainView) {
	others := make(map[string]bool)
	for _, v := range views {
		if v.Group != "" && v.Group != e.Config.Kafka.Group && !others[v.Group] {
			others[v.Group] = true
			e.warn("checkpoints.group", fmt.Sprintf("partition %d was counted last by group %s, and this configuration says %s", v.Partition,
				v.Group,
				e.Config.Kafka.Group), "two groups that count the topic into the same table fence each other, again and again: stop one of them")
		}
	}
}

const (
	lagReads    = 8               // at once
	lagPatience = 5 * time.Second // of each
)

// waiting is how long the first record has existed that a lane has not counted.
type waiting struct {
	checkpoint.ChainView
	age time.Duration
	err error // why it is not known
}

// checkDeadline compares the age of what is not counted yet with how long the topic keeps it.
func (e chains) checkDeadline(ctx context.Context, client *kgo.Client, views []checkpoint.ChainView) {
	kept, ok := milliseconds(e.settings["retention.ms"])
	if !ok || kept < 0 {
		return
	}
	lanes := e.ages(ctx, client, views)
	if len(lanes) == 0 {
		e.ok("checkpoints.lag", "all records are counted")
		return
	}
	oldest := slices.MaxFunc(lanes, func(a, b waiting) int { return cmp.Compare(a.age, b.age) })
	for _, w := range lanes {
		if w.err != nil {
			e.unchecked(ctx, "checkpoints.lag", fmt.Errorf("partition %d, lane %s has a lag of %d records: their age: %w", w.Partition, w.Lane,
				w.Lag,
				w.err))
			break
		}
	}
	if oldest.err != nil {
		return // So is the age of none.
	}
	found := fmt.Sprintf("partition %d, lane %s has a lag of %d records, the first of %s ago; the topic keeps records for %s",
		oldest.Partition,
		oldest.Lane, oldest.Lag, oldest.age.Round(time.Second), days(kept))
	if oldest.age <= kept/2 {
		e.ok("checkpoints.lag", "%s", found)
		return
	}
	e.fail("checkpoints.lag", found, "soon they are deleted before they are counted: keep them for longer, and start more processes",
		alterTopic(e.Config.Kafka, e.Config.Kafka.Topic, "retention.ms", "-1"))
}

// ages finds out how old the next record of each lane is that has not counted all.
func (e chains) ages(ctx context.Context, client *kgo.Client, views []checkpoint.ChainView) []waiting {
	var lanes []waiting
	for _, v := range views {
		if v.Lag > 0 {
			lanes = append(lanes, waiting{ChainView: v})
		}
	}
	var g errgroup.Group
	g.SetLimit(lagReads)
	for i := range lanes {
		g.Go(func() error {
			w := &lanes[i]
			ctx, cancel := context.WithTimeout(ctx, lagPatience)
			defer cancel()
			var first time.Time
			first, w.err = batch.TimeAt(ctx, client, batch.Place{Topic: e.Config.Kafka.Topic, Partition: w.Partition, Offset: w.LogEnd - w.Lag})
			if w.err == nil {
				w.age = max(0, time.Since(first))
			}
			return nil
		})
	}
	_ = g.Wait() // Each lane has its own error.
	return lanes
}

// committed returns the group's offsets of the topic, by partition; nil: they could not be asked for.
func (e chains) committed(ctx context.Context, client *kgo.Client) map[int32]int64 {
	found, err := e.offsets(ctx, client)
	if err != nil {
		e.unchecked(ctx, "group.offsets", fmt.Errorf("the offsets of group %s: %w: let this user read and describe it", e.Config.Kafka.Group,
			err))
		return nil
	}
	return found
}

// offsets asks for the group's offsets.
func (e chains) offsets(ctx context.Context, client *kgo.Client) (map[int32]int64, error) {
	all, err := kadm.NewClient(client).FetchOffsets(ctx, e.Config.Kafka.Group)
	if err != nil {
		return nil, err
	}
	found := make(map[int32]int64)
	for n, o := range all[e.Config.Kafka.Topic] {
		if o.Err == nil && o.At >= 0 {
			found[n] = o.At
		}
	}
	return found, nil
}

// flush is a range of offsets.
type flush struct{ from, to int64 }

// flushed returns the last flush of each partition of the topic as it is now: that of the lane which is behind. Partitions that are
// stopped are left out: of their lanes one may be far behind, and the group's offset says nothing about a reset. So are those with a lane
// that has not flushed yet.
func (e chains) flushed(views []checkpoint.ChainView) map[int32]flush {
	all := make(map[int32]flush)
	for _, v := range views {
		if v.Step == 0 || v.TopicID != hex.EncodeToString(e.topic.ID[:]) {
			continue
		}
		f := flush{v.From - v.Base, v.To - v.Base}
		if other, ok := all[v.Partition]; ok {
			f = flush{min(f.from, other.from), min(f.to, other.to)}
		}
		all[v.Partition] = f
	}
	for _, v := range views {
		if v.Park != nil || v.Gap != nil || v.Lost || v.Step == 0 {
			delete(all, v.Partition)
		}
	}
	return all
}

// checkCommitted compares the group's offsets, which tools show, with the checkpoints, which decide.
func (e chains) checkCommitted(views []checkpoint.ChainView, committed map[int32]int64) {
	if committed == nil {
		return
	}
	var ahead, behind []string
	compared := 0
	flushed := e.flushed(views)
	for _, n := range slices.Sorted(maps.Keys(flushed)) {
		at, ok := committed[n]
		if !ok {
			continue
		}
		compared++
		last := flushed[n]
		switch note := fmt.Sprintf("partition %d: committed %d, last flush [%d,%d)", n, at, last.from, last.to); {
		case at > last.to:
			ahead = append(ahead, note)
		case at < last.from:
			behind = append(behind, note)
		}
	}
	const harmless = "tools show a wrong lag; no figure depends on it, since checkpoints decide where a partition continues"
	switch {
	case ahead != nil:
		e.warn("group.offsets", "the group's offsets are ahead of the checkpoints: "+strings.Join(ahead, "; "),
			harmless+". The offsets were reset, or the table was restored")
	case behind != nil:
		e.warn("group.offsets", "the group's committed offsets are older than the checkpoints: "+strings.Join(behind, "; "),
			harmless+". Let the processes read "+
				"the group, so that they can commit")
	case compared > 0:
		e.ok("group.offsets", "the committed offsets of %d %s agree with the checkpoints", compared,
			plural.Of(compared, "partition", "partitions"))
	}
}
