package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// defaultMaxFlush is how long a flush may be open before its partition counts as stuck. The largest flush takes a minute.
const defaultMaxFlush = 5 * time.Minute

// lagLimit is how far a lane may be behind: a number of records, or the age of the first record that is not counted. The zero value
// permits any lag.
type lagLimit struct {
	set     bool
	records int64
	age     time.Duration // 0: records count
}

func parseLagLimit(text string) (l lagLimit, err error) {
	if text == "" {
		return l, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return lagLimit{set: true, records: n}, nil
	}
	if age, err := time.ParseDuration(text); err == nil && age > 0 {
		return lagLimit{set: true, age: age}, nil
	}
	return l, command.Usagef("--max-lag %q: write a number of records, as in 10000, or a duration, as in 5m", text)
}

// exceededBy reports whether a lane is further behind. A lag whose age is not known exceeds every age.
func (l lagLimit) exceededBy(v laneStatus) bool {
	switch {
	case !l.set || v.Lag == 0:
		return false
	case l.age > 0:
		return v.LagSeconds == nil || *v.LagSeconds > l.age.Seconds()
	}
	return v.Lag > l.records
}

// laneStatus is what footfall status prints of a lane of a partition.
type laneStatus struct {
	checkpoint.ChainView
	State string `json:"state"`
	// LagSeconds is how old the first record is that is not counted, by the Kafka timestamp of its batch's first record. null: there is
	// none, or the brokers do not hand it out, as within an open transaction.
	LagSeconds *float64 `json:"lagSeconds"`
	// OpenFlushSeconds is for how long the flush has been open, by its owner's clock; null: it is complete.
	OpenFlushSeconds *float64 `json:"openFlushAgeSeconds"`
}

// laneStatuses adds to what the checkpoints say how old the lags and the open flushes are.
func laneStatuses(ctx context.Context, kafka []kgo.Opt, topic string, views []checkpoint.ChainView, now time.Time) ([]laneStatus, error) {
	client, err := kgo.NewClient(kafka...)
	if err != nil {
		return nil, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	lanes := make([]laneStatus, len(views))
	var g errgroup.Group
	g.SetLimit(lagReads)
	for i, v := range views {
		lanes[i] = laneStatus{ChainView: v, State: stateOf(v)}
		if at := v.FlushedAt; v.Step > 0 && !v.Done && at != nil {
			lanes[i].OpenFlushSeconds = new(max(0, now.Sub(*at).Seconds()))
		}
		if v.Lag > 0 {
			g.Go(func() error {
				lanes[i].LagSeconds = lagAge(ctx, client, batch.Place{Topic: topic, Partition: v.Partition, Offset: v.LogEnd - v.Lag}, now)
				return nil
			})
		}
	}
	return lanes, g.Wait()
}

const (
	lagReads    = 8 // at once
	lagPatience = 5 * time.Second
)

// lagAge returns how old the record at an offset is, in seconds; nil: it cannot be read.
func lagAge(ctx context.Context, client *kgo.Client, at batch.Place, now time.Time) *float64 {
	ctx, cancel := context.WithTimeout(ctx, lagPatience)
	defer cancel()
	first, err := batch.TimeAt(ctx, client, at)
	if err != nil {
		return nil
	}
	return new(max(0, now.Sub(first).Seconds()))
}

// problems says of each lane that needs somebody why, in the order of partitions. Not to be there yet is no problem.
func problems(lanes []laneStatus, limit lagLimit, maxFlush time.Duration) []string {
	texts := []string{}
	for _, v := range lanes {
		add := func(format string, args ...any) {
			texts = append(texts, fmt.Sprintf("partition %d, lane %s: ", v.Partition, v.Lane)+fmt.Sprintf(format, args...))
		}
		switch {
		case v.Park != nil:
			add("parked: %s", v.Park.Reason)
		case v.Gap != nil:
			add("stopped at a data gap")
		case v.Lost:
			add("its checkpoint was deleted")
		}
		if age := v.OpenFlushSeconds; age != nil && *age > maxFlush.Seconds() {
			add("stuck: flush %d has been open for %s", v.Step, seconds(*age))
		}
		if limit.exceededBy(v) {
			add("behind: lag %s, %s", plural.Count(v.Lag, "record", "records"), ageText(v.LagSeconds))
		}
	}
	return texts
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

func ageText(s *float64) string {
	if s == nil {
		return "age not known"
	}
	return seconds(*s)
}

func stateOf(v checkpoint.ChainView) string {
	switch {
	case v.Park != nil:
		return stateParked
	case v.Gap != nil:
		return stateGap
	case v.Lost:
		return stateDeleted
	case v.Step == 0:
		return stateNotStarted
	case v.Done:
		return stateComplete
	}
	return stateFlushing
}

// The states of a lane.
const (
	stateParked     = "parked"
	stateGap        = "gap"
	stateDeleted    = "deleted"
	stateNotStarted = "not started"
	stateComplete   = "complete"
	stateFlushing   = "flushing"
)

// statusVersion is the version of the JSON of footfall status. It rises if a field is removed or changes its meaning.
const statusVersion = 1

// statusSummary sums up the checkpoints of a topic. Each field but the lag is a number of partitions.
type statusSummary struct {
	Topic      string `json:"topic"`
	Partitions int    `json:"partitions"`
	Parked     int    `json:"parked"`
	WithGap    int    `json:"withGap"`
	// WithoutCheckpoint counts partitions with a lane whose checkpoint was deleted.
	WithoutCheckpoint int   `json:"withoutCheckpoint"`
	OpenTransactions  int   `json:"openTransactions"`
	LagRecords        int64 `json:"lagRecords"` // of the lane stats, all partitions together
}

func (s statusSummary) String() string {
	var stopped []string
	for _, x := range []struct {
		n    int
		what string
	}{{s.Parked, "parked"}, {s.WithGap, "stopped at a data gap"}, {s.WithoutCheckpoint, "without a checkpoint that it had"},
		{s.OpenTransactions, "held up by an open transaction"}} {
		if x.n > 0 {
			stopped = append(stopped, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	state := "none is stopped"
	if stopped != nil {
		state = strings.Join(stopped, ", ")
	}
	return fmt.Sprintf("Topic %s: %s, lag %s; %s.", s.Topic, plural.Count(s.Partitions, "partition", "partitions"),
		plural.Count(s.LagRecords, "record", "records"), state)
}

// StatusAnswer is the JSON of footfall status. docs/operations.md describes it.
type StatusAnswer struct {
	Version int `json:"version"`
	statusSummary
	AskedAt     time.Time                 `json:"askedAt"`
	Problems    []string                  `json:"problems"`   // why the exit code is 1; empty: it is 0
	Generation  int                       `json:"generation"` // of items, whose checkpoints these are
	Generations connect.GenerationsAnswer `json:"generations"`
	Checkpoints []laneStatus              `json:"checkpoints"`
	// Takeovers of the last day, the first one first; null: the group could not be asked.
	Takeovers []takeover `json:"takeovers"`
}

// Rows are the checkpoints.
func (a StatusAnswer) Rows() any { return a.Checkpoints }

func summarize(topic string, views []checkpoint.ChainView) statusSummary {
	s := statusSummary{Topic: topic}
	seen, gaps, lost := make(map[int32]bool), make(map[int32]bool), make(map[int32]bool)
	for _, v := range views {
		seen[v.Partition] = true
		if v.Gap != nil {
			gaps[v.Partition] = true
		}
		if v.Lost {
			lost[v.Partition] = true
		}
		if v.Lane != checkpoint.LaneStats {
			continue
		}
		s.LagRecords += v.Lag
		if v.Park != nil {
			s.Parked++
		}
		if v.Held > 0 {
			s.OpenTransactions++
		}
	}
	s.Partitions, s.WithGap, s.WithoutCheckpoint = len(seen), len(gaps), len(lost)
	return s
}
