package produce_test

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/produce"
)

func TestTopicIsCreatedAsAsked(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		run := func(topic string, create *produce.Topic) (produce.Summary, error) {
			j := produce.Job{File: events(t, line("1", time.Now())), Kafka: kafka, Topic: topic, Create: create}
			return j.Run(t.Context())
		}
		if _, err := run("new", nil); err == nil || !strings.Contains(err.Error(), `topic "new" does not exist: create it with --create-topic`) {
			t.Errorf("Run = %v without the topic", err)
		}
		if _, err := run("new", &produce.Topic{Partitions: 3, Retention: produce.Forever}); err != nil {
			t.Fatal(err)
		}
		info := c.TopicInfo("new")
		if n := len(c.PartitionInfos("new")); n != 3 || info == nil || info.Configs["retention.ms"] == nil ||
			*info.Configs["retention.ms"] != "-1" {
			t.Errorf("topic new: %d partitions, %+v, want 3 and retention.ms=-1", n, info)
		}
		s, err := run("new", &produce.Topic{Partitions: 5, Retention: time.Hour})
		if err != nil || len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "with 3 partitions and not 5; it is left as it is") ||
			!strings.Contains(s.Warnings[1], "with retention.ms=-1 and not 3600000; it is left as it is") {
			t.Errorf("Run = %q, %v on a topic that differs", s.Warnings, err)
		}
		if s, err := run("new", &produce.Topic{}); err != nil || len(s.Warnings) != 0 || s.Sent != 1 {
			t.Errorf("Run = %+v, %v on a topic that exists", s, err)
		}
	})
}

// A broker may answer before it has learned of the topic that the controller has just created.
func TestTopicThatBrokersLearnOfLaterIsAwaited(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "late", Err: kerr.UnknownTopicOrPartition, Count: 5})
		j := produce.Job{File: events(t, line("1", time.Now())), Kafka: kafka, Topic: "late", Create: &produce.Topic{}}
		if s, err := j.Run(t.Context()); err != nil || s.Sent != 1 {
			t.Errorf("Run = %+v, %v, want one event sent", s, err)
		}
	})
}

func TestRetentionsAreRead(t *testing.T) {
	for text, want := range map[string]time.Duration{"never": produce.Forever, "30d": 720 * time.Hour, "36h": 36 * time.Hour,
		"106751d": 106751 * 24 * time.Hour} {
		if got, err := produce.ParseRetention(text); err != nil || got != want {
			t.Errorf("ParseRetention(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "0d", "xd", "30", "1us", "106752d", "300000d", "2562048h", "-300000d"} {
		if got, err := produce.ParseRetention(text); err == nil {
			t.Errorf("ParseRetention(%q) = %v, want an error", text, got)
		}
	}
}
