package run

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestTimestampSettingsOfTheTopic: run warns of settings that take what the pipeline rejects, in a line each that names the
// setting and the command.
func TestTimestampSettingsOfTheTopic(t *testing.T) {
	const unlimited = "9223372036854775807"
	const kind, after, before = "message.timestamp.type", "message.timestamp.after.max.ms", "message.timestamp.before.max.ms"
	kept := config.Default()
	kept.Retention.Day = config.Never
	for _, test := range []struct {
		name     string
		config   config.Config
		settings map[string]string
		want     []string // what the lines contain, in order
	}{
		{"as advised", config.Default(), map[string]string{kind: "CreateTime", after: "3600000", before: "63072000000"}, nil},
		{"not told", config.Default(), nil, nil},
		{"a day ahead", config.Default(), map[string]string{after: "86400000"}, nil},
		{"beyond a day ahead", config.Default(), map[string]string{after: "86400001"},
			[]string{after + " is 86400001: records dated later than the end of tomorrow (UTC) are rejected as bad_record_time"}},
		{"unlimited ahead", config.Default(), map[string]string{after: unlimited}, []string{after + " is unlimited: "}},
		{"unlimited both ways", config.Default(), map[string]string{kind: "CreateTime", after: unlimited, before: unlimited},
			[]string{"--add-config " + after + "=3600000`", "--add-config " + before + "=63072000000`"}},
		{"older than what expires last", config.Default(), map[string]string{before: "63072000001"}, []string{before + " is 63072000001: "}},
		{"unlimited, and days never expire", kept, map[string]string{before: unlimited}, nil},
		{"the broker's time", config.Default(), map[string]string{kind: "LogAppendTime", after: unlimited, before: unlimited},
			[]string{kind + " is LogAppendTime: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			broker := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
			broker.ControlKey(int16(kmsg.DescribeConfigs), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
				topic := kmsg.NewDescribeConfigsResponseResource()
				topic.ResourceType, topic.ResourceName = kmsg.ConfigResourceTypeTopic, "events"
				for key, value := range test.settings {
					s := kmsg.NewDescribeConfigsResponseResourceConfig()
					s.Name, s.Value = key, &value
					topic.Configs = append(topic.Configs, s)
				}
				resp.Resources = append(resp.Resources, topic)
				return resp, nil, true
			})
			c := test.config
			c.Kafka.Topic, c.Kafka.Brokers = "events", broker.ListenAddrs()
			var out bytes.Buffer
			warnOfTimestamps(t.Context(), []kgo.Opt{kgo.SeedBrokers(c.Kafka.Brokers...)}, c, slog.New(slog.NewTextHandler(&out, nil)))
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if out.Len() == 0 {
				lines = nil
			}
			if len(lines) != len(test.want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(test.want), out.String())
			}
			for i, want := range test.want {
				command := "`kafka-configs.sh --bootstrap-server " + c.Kafka.Brokers[0] +
					" --alter --entity-type topics --entity-name events --add-config "
				for _, want := range []string{"level=WARN", want, command} {
					if !strings.Contains(lines[i], want) {
						t.Errorf("%s\nlacks %s", lines[i], want)
					}
				}
			}
		})
	}
}
