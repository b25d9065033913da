package doctor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	topic  = "events"
	failed = "events.failed"
)

// installation is a healthy one: three brokers, a topic of two partitions, and a process that counts it.
type installation struct {
	*testworld.World
	doctor.Options
	t        *testing.T
	settings map[string]map[string]string // of each topic, as the brokers describe it
	denied   bool                         // they describe none
}

// examined runs f with a healthy installation in a bubble of fake time.
func examined(t *testing.T, f func(t *testing.T, in *installation), opts ...kfake.Opt) {
	t.Helper()
	testworld.InBubble(t, 3, func(t *testing.T, w *testworld.World) {
		c := config.Default()
		c.Kafka.Brokers, c.Kafka.Topic, c.Table = w.Cluster.ListenAddrs(), topic, "sqlite://footfall.db"
		in := &installation{World: w, t: t, settings: make(map[string]map[string]string), Options: doctor.Options{Config: c, Kafka: w.Kafka,
			Failed: failed, Settings: checkpoint.DefaultSettings(), Table: w.Table, Admin: w.Table, Role: doctor.RoleRun, Outage: 72 * time.Hour}}
		for _, name := range []string{topic, failed} {
			in.settings[name] = map[string]string{"cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1",
				"min.insync.replicas": "2", "unclean.leader.election.enable": "false", "max.message.bytes": "1048588",
				"message.timestamp.type": "CreateTime", "message.timestamp.after.max.ms": "3600000",
				"message.timestamp.before.max.ms": "63072000000"}
		}
		w.Cluster.ControlKey(int16(kmsg.DescribeConfigs), in.describe)
		f(t, in)
	}, append(opts, kfake.SeedTopics(2, topic), kfake.SeedTopics(2, failed))...)
}

// describe answers a request for the settings of topics.
func (in *installation) describe(req kmsg.Request) (kmsg.Response, error, bool) {
	in.Cluster.KeepControl()
	resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
	for _, asked := range req.(*kmsg.DescribeConfigsRequest).Resources {
		r := kmsg.NewDescribeConfigsResponseResource()
		r.ResourceType, r.ResourceName = asked.ResourceType, asked.ResourceName
		if in.denied {
			r.ErrorCode = kerr.TopicAuthorizationFailed.Code
		}
		for key, value := range in.settings[asked.ResourceName] {
			s := kmsg.NewDescribeConfigsResponseResourceConfig()
			s.Name, s.Value = key, &value
			r.Configs = append(r.Configs, s)
		}
		resp.Resources = append(resp.Resources, r)
	}
	return resp, nil, true
}

// produce publishes events to the partitions, ten to each.
func (in *installation) produce(change func(i int, r *kgo.Record)) {
	in.t.Helper()
	var records []*kgo.Record
	for i := range 20 {
		r := &kgo.Record{Topic: topic, Partition: int32(i % 2), Key: fmt.Appendf(nil, "s#%d", i%2), Timestamp: time.Now(), Value: fmt.Appendf(nil,
			`{"siteId":"s","type":"page_view","timestamp":%d,"sessionId":"s%d"}`, time.Now().UnixMilli(), i)}
		if change != nil {
			change(i, r)
		}
		records = append(records, r)
	}
	if err := in.Client.ProduceSync(in.t.Context(), records...).FirstErr(); err != nil {
		in.t.Fatal(err)
	}
}

// count has a process count the topic while f runs.
func (in *installation) count(f func()) {
	in.t.Helper()
	kafka := append(in.Kafka(), kgo.ClientID(in.Config.Kafka.ClientID))
	p, err := pipeline.New(pipeline.Options{Kafka: kafka, Topic: topic, Group: "footfall", Table: in.World.Table, Settings: in.Settings,
		HashKey: []byte("0123456789abcdef")})
	if err != nil {
		in.t.Fatal(err)
	}
	drain := testworld.Start(in.t, p.Run)
	time.Sleep(3 * time.Minute) // Of the bubble: it joins, counts and commits.
	f()
	drain()
}

// Kafka is how to reach the brokers.
func (in *installation) Kafka() []kgo.Opt { return slices.Clone(in.World.Kafka) }

// find returns the findings of a check.
func find(r *doctor.Report, check string) (found []doctor.Finding) {
	for _, f := range r.Findings {
		if f.Check == check {
			found = append(found, f)
		}
	}
	return found
}

// want fails unless a check has a finding of this severity that says so, with this part of a command.
func want(t *testing.T, r *doctor.Report, check string, severity doctor.Severity, says, command string) {
	t.Helper()
	for _, f := range find(r, check) {
		if f.Severity == severity && strings.Contains(f.Found+": "+f.Endangers, says) && strings.Contains(strings.Join(f.Commands, "\n"),
			command) {
			return
		}
	}
	t.Errorf("%s: %+v; want %s that says %q, with %q", check, find(r, check), severity, says, command)
}

// TestHealthyInstallation: nothing is found to be wrong, and each check says what it looked at. The clocks of brokers in memory and of
// SQLite cannot be asked for.
func TestHealthyInstallation(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		in.produce(nil)
		in.count(func() {
			r := doctor.Examine(t.Context(), in.Options)
			if r.Errors+r.Warnings > 0 || r.Unchecked != 1 || !r.Answered {
				t.Errorf("%d errors, %d warnings, %d unchecked", r.Errors, r.Warnings, r.Unchecked)
			}
			for _, f := range r.Findings {
				if f.Severity != doctor.OK && f.Check != "clock.brokers" {
					t.Errorf("%s %s: %s", f.Severity, f.Check, f.Line())
				}
			}
			for _, check := range []string{"brokers", "brokers.service", "brokers.version", "brokers.requests", "topic", "topic.id",
				"topic.permissions", "topic.replicas", "topic.cleanup",
				"topic.retention", "topic.retention-bytes", "topic.durability", "topic.unclean-election", "topic.size", "topic.timestamps",
				"topic.keys", "topic.record-times", "topic.events", "failed-topic", "failed-topic.permissions", "failed-topic.replicas",
				"failed-topic.cleanup", "failed-topic.retention", "failed-topic.durability", "failed-topic.size", "group", "group.permissions",
				"group.protocol",
				"group.partitions", "group.offsets", "table", "table.shape", "table.permissions", "checkpoints", "checkpoints.lag"} {
				if len(find(r, check)) == 0 {
					t.Errorf("nothing is said of %s", check)
				}
			}
		})
	})
}

// TestSettingsOfTopics: each setting that endangers records is found, with the command that mends it.
func TestSettingsOfTopics(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		for _, c := range []struct {
			topic, key, value string
			check             string
			severity          doctor.Severity
			says, command     string
		}{
			{topic, "cleanup.policy", "compact", "topic.cleanup", doctor.Error, "compaction removes records", "cleanup.policy=delete"},
			{topic, "retention.ms", "3600000", "topic.retention", doctor.Warning, "kept for 1h, less than an outage of 3d",
				"retention.ms=518400000"},
			{topic, "retention.ms", "-1", "topic.retention", doctor.OK, "for ever", ""},
			{topic, "retention.bytes", "1000000", "topic.retention-bytes", doctor.Warning, "before they are counted", "retention.bytes=-1"},
			{topic, "min.insync.replicas", "1", "topic.durability", doctor.Warning, "by one broker alone", "min.insync.replicas=2"},
			{topic, "min.insync.replicas", "3", "topic.durability", doctor.Warning, "while one broker is down", "min.insync.replicas=2"},
			{topic, "min.insync.replicas", "4", "topic.durability", doctor.Error, "refuse all records", "min.insync.replicas=2"},
			{topic, "unclean.leader.election.enable", "true", "topic.unclean-election", doctor.Error, "counted records vanish", "=false"},
			{topic, "max.message.bytes", "60000", "topic.size", doctor.Warning, "refuse events", "max.message.bytes=1048588"},
			{topic, "message.timestamp.type", "LogAppendTime", "topic.timestamps", doctor.Warning, "too_late", "message.timestamp.type=CreateTime"},
			{topic, "message.timestamp.after.max.ms", "9223372036854775807", "topic.timestamps", doctor.Warning, "is unlimited", "=3600000"},
			{failed, "cleanup.policy", "compact,delete", "failed-topic.cleanup", doctor.Error, "only the last stays", "--entity-name events.failed"},
			{failed, "retention.ms", "3600000", "failed-topic.retention", doctor.Warning, "kept for 1h", "retention.ms=2592000000"},
			{failed, "retention.ms", "-1", "failed-topic.retention", doctor.Warning, "personal data", "retention.ms=2592000000"},
			{failed, "max.message.bytes", "70000", "failed-topic.size", doctor.Warning, "truncated", "max.message.bytes=1048588"},
			{failed, "unclean.leader.election.enable", "true", "failed-topic.unclean-election", doctor.Error, "vanish", "=false"},
		} {
			before := in.settings[c.topic][c.key]
			in.settings[c.topic][c.key] = c.value
			want(t, doctor.Examine(t.Context(), in.Options), c.check, c.severity, c.says, c.command)
			in.settings[c.topic][c.key] = before
		}
		in.settings[topic], in.settings[failed] = nil, nil
		r := doctor.Examine(t.Context(), in.Options)
		for _, check := range []string{"topic.retention", "topic.durability", "topic.size", "topic.timestamps", "failed-topic.retention"} {
			want(t, r, check, doctor.Unchecked, "could not be checked: the brokers do not report", "")
		}
	})
}

// TestRecordsOfTheTopic: the last records show what their producers do.
func TestRecordsOfTheTopic(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(i int, r *kgo.Record)
		check    string
		severity doctor.Severity
		says     string
	}{
		{"no keys", func(_ int, r *kgo.Record) { r.Key = nil }, "topic.keys", doctor.Warning, "20 of the last 20 records have no key"},
		{"a session in two partitions", func(i int, r *kgo.Record) {
			r.Value = []byte(strings.Replace(string(r.Value), `"s1"`, `"s0"`, 1))
		}, "topic.keys", doctor.Warning, "of 19 sessions among the last records, 1 lie in several"},
		{"ahead", func(i int, r *kgo.Record) { r.Timestamp = r.Timestamp.Add(5 * time.Minute) }, "topic.record-times", doctor.Warning,
			"dated 5m0s ahead"},
		{"bad", func(i int, r *kgo.Record) {
			if i < 3 {
				r.Value = []byte("{")
			}
		}, "topic.events", doctor.Warning, "rejects 3 as bad_json"},
		{"old", func(_ int, r *kgo.Record) { r.Timestamp = r.Timestamp.Add(100 * time.Hour) }, "topic.events", doctor.Warning, "20 as too_late"},
	} {
		t.Run(c.name, func(t *testing.T) {
			examined(t, func(t *testing.T, in *installation) {
				in.produce(c.change)
				want(t, doctor.Examine(t.Context(), in.Options), c.check, c.severity, c.says, "")
			})
		})
	}
}

// TestTopicsAndBrokersThatAreMissing: what does not exist or answer is an error, and the other half is examined all the same.
func TestTopicsAndBrokersThatAreMissing(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		o := in.Options
		o.Config.Kafka.Topic = "nothing"
		r := doctor.Examine(t.Context(), o)
		want(t, r, "topic", doctor.Error, `topic "nothing" does not exist`, "")
		want(t, r, "table.shape", doctor.OK, "as they should be", "")

		if _, err := kadm.NewClient(in.Client).DeleteTopics(t.Context(), failed); err != nil {
			t.Fatal(err)
		}
		want(t, doctor.Examine(t.Context(), in.Options), "failed-topic", doctor.OK, "run creates it", "")
		in.count(func() {
			if _, err := kadm.NewClient(in.Client).DeleteTopics(t.Context(), failed); err != nil {
				t.Fatal(err)
			}
			want(t, doctor.Examine(t.Context(), in.Options), "failed-topic", doctor.Warning, "group footfall has 1 member", "footfall run")
		})

		o = in.Options
		o.Table, o.Admin, o.TableError = nil, nil, fmt.Errorf("no region: %w", sinks.ErrDenied)
		r = doctor.Examine(t.Context(), o)
		want(t, r, "table", doctor.Error, "no region", "")
		want(t, r, "topic", doctor.OK, "2 partitions", "")
		in.Cluster.Close()
		if r = doctor.Examine(t.Context(), o); r.Answered || r.Errors < 2 {
			t.Errorf("without brokers and table: %+v; want no answer", r)
		}
		want(t, r, "brokers", doctor.Error, "no broker answers", "")
	})
}

// TestGroupOfTheTopic: a group without members, another protocol, and a foreign program in the group are found.
func TestGroupOfTheTopic(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		want(t, doctor.Examine(t.Context(), in.Options), "group", doctor.Warning, "has no members", "footfall run")
		member := func(o ...kgo.Opt) *kgo.Client {
			client, err := kgo.NewClient(append(append(in.Kafka(), kgo.ConsumerGroup("footfall")), o...)...)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			client.PollFetches(ctx)
			return client
		}
		c := member(kgo.ConsumeTopics(topic), kgo.Balancers(kgo.RangeBalancer()))
		found := doctor.Examine(t.Context(), in.Options)
		want(t, found, "group.protocol", doctor.Error, "share partitions by range", "")
		want(t, found, "group.members", doctor.Warning, "not footfall, the kafka.clientId: kgo at ", "")
		c.Close()
		c = member(kgo.ConsumeTopics(failed), kgo.Balancers(kgo.CooperativeStickyBalancer()))
		want(t, doctor.Examine(t.Context(), in.Options), "group.partitions", doctor.Error, "0 of 2 partitions", "")
		o := in.Options
		o.Config.Kafka.GroupProtocol = "consumer"
		want(t, doctor.Examine(t.Context(), o), "group.protocol", doctor.Warning, "use group protocol classic", "")
		c.Close()
	})
}

// TestCheckpointsAndTopic: what stops a partition, or soon will, is found.
func TestCheckpointsAndTopic(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		in.produce(nil)
		in.count(func() {})
		admin := kadm.NewClient(in.Client)
		offsets := kadm.Offsets{}
		offsets.Add(kadm.Offset{Topic: topic, Partition: 0, At: 1000, LeaderEpoch: -1})
		if _, err := admin.CommitOffsets(t.Context(), "footfall", offsets); err != nil {
			t.Fatal(err)
		}
		want(t, doctor.Examine(t.Context(), in.Options), "group.offsets", doctor.Warning,
			"ahead of the checkpoints: partition 0: committed 1000", "")
		o := in.Options
		o.Config.Kafka.Group = "another"
		want(t, doctor.Examine(t.Context(), o), "checkpoints.group", doctor.Warning, "counted last by group footfall", "")

		time.Sleep(5 * 24 * time.Hour)
		in.produce(func(_ int, r *kgo.Record) { r.Timestamp = r.Timestamp.Add(-4 * 24 * time.Hour) })
		want(t, doctor.Examine(t.Context(), in.Options), "checkpoints.lag", doctor.Error, "96h0m0s ago; the topic keeps records for 7d",
			"retention.ms=-1")

		gone := kadm.Offsets{}
		gone.Add(kadm.Offset{Topic: topic, Partition: 1, At: 15})
		if _, err := admin.DeleteRecords(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		want(t, doctor.Examine(t.Context(), in.Options), "checkpoints", doctor.Error, "continues at offset 10, and the topic begins at 15",
			"status")

		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: 0}, checkpoint.LaneRealtime)
		if _, err := in.World.Table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
			t.Fatal(err)
		}
		want(t, doctor.Examine(t.Context(), in.Options), "checkpoints", doctor.Error, "its checkpoint is gone", "footfall partition resume 0")
	})
}

// TestWhatIsDenied: what this user may not ask for is said to be unchecked, and what it needs is an error.
func TestWhatIsDenied(t *testing.T) {
	examined(t, func(t *testing.T, in *installation) {
		in.produce(nil)
		in.count(func() {})
		answer := func(key kmsg.Key, deny func(req kmsg.Request) kmsg.Response) {
			in.Cluster.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				in.Cluster.KeepControl()
				return deny(req), nil, true
			})
		}
		answer(kmsg.DescribeGroups, func(req kmsg.Request) kmsg.Response {
			resp := req.ResponseKind().(*kmsg.DescribeGroupsResponse)
			g := kmsg.NewDescribeGroupsResponseGroup()
			g.Group, g.ErrorCode = "footfall", kerr.GroupAuthorizationFailed.Code
			resp.Groups = append(resp.Groups, g)
			return resp
		})
		answer(kmsg.OffsetFetch, func(req kmsg.Request) kmsg.Response {
			resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
			g := kmsg.NewOffsetFetchResponseGroup()
			g.Group, g.ErrorCode = "footfall", kerr.GroupAuthorizationFailed.Code
			resp.Groups = append(resp.Groups, g)
			return resp
		})
		r := doctor.Examine(t.Context(), in.Options)
		want(t, r, "group", doctor.Unchecked, "let this user read and describe it", "")
		want(t, r, "group.offsets", doctor.Unchecked, "let this user read and describe it", "")
		if r.Errors > 0 {
			t.Errorf("%+v", r.Findings)
		}
	})
	examined(t, func(t *testing.T, in *installation) {
		in.denied = true
		r := doctor.Examine(t.Context(), in.Options)
		want(t, r, "topic.settings", doctor.Unchecked, "let this user describe its configuration", "")
		want(t, r, "failed-topic.settings", doctor.Unchecked, "let this user describe its configuration", "")
	})
}
