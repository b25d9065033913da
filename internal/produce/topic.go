package produce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/topiclog"
)

// Topic says what topic to create where there is none.
type Topic struct {
	Partitions int           // 0: 4
	Retention  time.Duration // retention.ms; Forever: -1; 0: the broker's default
}

// Forever is a retention by which Kafka deletes nothing.
const Forever time.Duration = -1

// ParseRetention reads never, days as in 30d, or a duration as in 36h, of a millisecond to 106751 days (292 years).
func ParseRetention(s string) (time.Duration, error) {
	const day = 24 * time.Hour
	if s == "never" {
		return Forever, nil
	}
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 64)
		d = time.Duration(n) * day
		if n > int64(math.MaxInt64/day) {
			err = strconv.ErrRange
		}
	}
	if err != nil || d < time.Millisecond {
		return 0, fmt.Errorf("--retention %q: write never, days as in 30d up to %d, or a duration as in 36h", s, math.MaxInt64/day)
	}
	return d, nil
}

// topicFacts are what decides about a record's timestamp.
type topicFacts struct {
	retention     time.Duration // Forever: nothing is deleted for its age
	ahead, behind time.Duration // how far from the broker's clock a timestamp may lie
	partitions    int
}

// connectTimeout is how long brokers have to answer in the beginning.
const connectTimeout = 15 * time.Second

// openTopic creates the topic if asked to, and reads what decides about timestamps. Its errors say what to do.
func openTopic(ctx context.Context, opts []kgo.Opt, name string, create *Topic, warn func(string)) (topicFacts, error) {
	cl, err := kgo.NewClient(append(slices.Clip(opts), kgo.MetadataMinAge(topiclog.LookAgain))...)
	if err != nil {
		return topicFacts{}, fmt.Errorf("kafka client: %w", err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, fmt.Errorf("no answer in %v", connectTimeout))
	defer cancel()
	adm := kadm.NewClient(cl)
	if create != nil {
		if err := createTopic(ctx, adm, name, *create, warn); err != nil {
			return topicFacts{}, reach(ctx, name, "create", err)
		}
	}
	describe := describeTopic
	if create != nil {
		describe = topiclog.AwaitCreated
	}
	partitions, err := describe(ctx, adm, name)
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return topicFacts{}, fmt.Errorf("topic %q does not exist: create it with --create-topic, or choose another with --topic", name)
	}
	if err != nil {
		return topicFacts{}, reach(ctx, name, "describe", err)
	}
	facts := readFacts(ctx, adm, name, warn)
	facts.partitions = partitions
	return facts, nil
}

// describeTopic returns how many partitions the topic has.
func describeTopic(ctx context.Context, adm *kadm.Client, name string) (partitions int, err error) {
	topics, err := adm.ListTopics(ctx, name)
	if err != nil {
		return 0, err
	}
	return len(topics[name].Partitions), topics[name].Err
}

func reach(ctx context.Context, topic, doing string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = errors.Join(cause, err)
	}
	return fmt.Errorf("%s topic %q: %w: check --brokers, and TLS and SASL in the configuration", doing, topic, err)
}

func createTopic(ctx context.Context, adm *kadm.Client, name string, t Topic, warn func(string)) error {
	partitions := t.Partitions
	if partitions == 0 {
		partitions = 4
	}
	configs := make(map[string]*string)
	if t.Retention != 0 {
		configs["retention.ms"] = kadm.StringPtr(retentionMs(t.Retention))
	}
	_, err := adm.CreateTopic(ctx, int32(partitions), -1, configs, name) // -1: the broker's default replication.
	if !errors.Is(err, kerr.TopicAlreadyExists) {
		return err
	}
	topics, err := adm.ListTopics(ctx, name)
	if err != nil {
		return err
	}
	if have := len(topics[name].Partitions); t.Partitions != 0 && have != t.Partitions {
		warn(fmt.Sprintf("topic %q exists, with %d partitions and not %d; it is left as it is", name, have, t.Partitions))
	}
	have, ok := topicConfig(ctx, adm, name)["retention.ms"]
	if ok && t.Retention != 0 && have != retentionMs(t.Retention) {
		warn(fmt.Sprintf("topic %q exists, with retention.ms=%s and not %s; it is left as it is: change it with kafka-configs.sh",
			name, have, retentionMs(t.Retention)))
	}
	return nil
}

func retentionMs(d time.Duration) string {
	if d == Forever {
		return "-1"
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

// topicConfig reads a topic's configuration; nil when the broker does not tell it.
func topicConfig(ctx context.Context, adm *kadm.Client, name string) map[string]string {
	all, err := adm.DescribeTopicConfigs(ctx, name)
	if err != nil {
		return nil
	}
	one, err := all.On(name, nil)
	if err != nil || one.Err != nil {
		return nil
	}
	values := make(map[string]string, len(one.Configs))
	for _, c := range one.Configs {
		values[c.Key] = c.MaybeValue()
	}
	return values
}

// readFacts reads what the topic's configuration says of timestamps; what it does not say is Kafka's default: an
// hour ahead (since 3.6), any time behind. A topic that puts the broker's time in place of ours takes any.
func readFacts(ctx context.Context, adm *kadm.Client, name string, warn func(string)) topicFacts {
	const unlimited = time.Duration(1<<63 - 1)
	f := topicFacts{retention: 7 * 24 * time.Hour, ahead: time.Hour, behind: unlimited}
	values := topicConfig(ctx, adm, name)
	if values == nil {
		warn(fmt.Sprintf("topic %q: the broker does not report its configuration; assuming Kafka's defaults, a retention of 7 days", name))
	}
	read := func(key string, into *time.Duration) {
		ms, err := strconv.ParseInt(values[key], 10, 64)
		switch {
		case err != nil:
		case ms < 0:
			*into = Forever
		case ms > unlimited.Milliseconds():
			*into = unlimited
		default:
			*into = time.Duration(ms) * time.Millisecond
		}
	}
	read("retention.ms", &f.retention)
	read("message.timestamp.after.max.ms", &f.ahead)
	read("message.timestamp.before.max.ms", &f.behind)
	if !strings.Contains(values["cleanup.policy"], "delete") && values["cleanup.policy"] != "" {
		f.retention = Forever
		warn(fmt.Sprintf("topic %q is compacted: footfall run refuses such a topic, since records vanish from it", name))
	}
	if values["message.timestamp.type"] == "LogAppendTime" {
		f = topicFacts{retention: Forever, ahead: unlimited, behind: unlimited}
		warn(fmt.Sprintf("topic %q has message.timestamp.type=LogAppendTime: the broker's time takes the place of --record-time", name))
	}
	return f
}

// refuses says why the broker would not take a record with this timestamp.
func (f topicFacts) refuses(stamp, now time.Time) (reason string) {
	switch d := stamp.Sub(now); {
	case d > f.ahead:
		return fmt.Sprintf("its Kafka timestamp would be %s, and Kafka refuses records more than %v ahead of its clock: use --record-time now",
			stamp.Format(time.RFC3339), f.ahead)
	case -d > f.behind:
		return fmt.Sprintf("its Kafka timestamp would be %s, and the topic refuses records more than %v behind its clock "+
			"(message.timestamp.before.max.ms): use --record-time now", stamp.Format(time.RFC3339), f.behind)
	}
	return ""
}
