package doctor

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
)

// TestWhatBrokersTell: what a cluster of brokers in memory cannot be brought to, from lost replicas to missing permissions.
func TestWhatBrokersTell(t *testing.T) {
	partition := func(leader int32, replicas, inSync int) kadm.TopicDetail {
		p := kadm.PartitionDetail{Partition: 3, Leader: leader, Replicas: make([]int32, replicas), ISR: make([]int32, inSync)}
		return kadm.TopicDetail{Topic: "events", Partitions: kadm.PartitionDetails{3: p}}
	}
	permitted := func(ops ...kmsg.ACLOperation) kadm.TopicDetail {
		return kadm.TopicDetail{Topic: "events", AuthorizedOperations: ops}
	}
	operations := func(d kadm.TopicDetail) func(*exam) {
		return func(e *exam) { e.checkOperations("x", d, kmsg.ACLOperationRead, kmsg.ACLOperationDescribe) }
	}
	two := kadm.BrokersApiVersions{1: {}, 2: {}}
	versions := func(guesses, old, without848 []string) func(*exam) {
		return func(e *exam) { e.judgeVersions(two, guesses, old, without848) }
	}
	consumer := func(check func(*exam)) func(*exam) {
		return func(e *exam) { e.Config.Kafka.GroupProtocol = "consumer"; check(e) }
	}
	for _, c := range []struct {
		name          string
		check         func(*exam)
		severity      Severity
		says, command string
	}{
		{"all replicas", func(e *exam) { e.checkReplicas("x", partition(1, 3, 3)) }, OK, "all replicas", ""},
		{"no leader", func(e *exam) { e.checkReplicas("x", partition(-1, 3, 0)) }, Error, "no leader for partition 3", ""},
		{"a replica behind", func(e *exam) { e.checkReplicas("x", partition(1, 3, 2)) }, Warning, "behind in partition 3", ""},
		{"one replica", func(e *exam) { e.checkDurability("x", partition(1, 1, 1), nil) }, Warning, "one disk", ""},
		{"permitted", operations(permitted(kmsg.ACLOperationRead, kmsg.ACLOperationDescribe)), OK, "may do", ""},
		{"not permitted", operations(permitted(kmsg.ACLOperationDescribe)), Error, "may not READ topic events",
			"User:me --topic events --operation READ"},
		{"not told", operations(permitted()), Unchecked, "do not report", ""},
		{"a member", func(e *exam) { e.checkGroupPermission(group{permitted: []kmsg.ACLOperation{kmsg.ACLOperationRead}}) }, OK, "a member", ""},
		{"no member", func(e *exam) {
			e.checkGroupPermission(group{permitted: []kmsg.ACLOperation{kmsg.ACLOperationDescribe}})
		}, Error,
			"may not READ group footfall", "--group footfall --operation READ"},
		{"a member, perhaps", func(e *exam) { e.checkGroupPermission(group{members: 1}) }, Unchecked, "do not report", ""},
		{"current", versions([]string{"v4.3"}, nil, nil), OK, "Kafka v4.3", ""},
		{"old", versions([]string{"v2.8"}, []string{"1", "2"}, []string{"1", "2"}), Error, "broker 1, 2 is older than Kafka 3.0", ""},
		{"old, but not Kafka", func(e *exam) {
			e.service = "Redpanda"
			versions([]string{"v2.8"}, []string{"1", "2"}, nil)(e)
		}, OK, "Kafka v2.8", ""},
		{"mixed", versions([]string{"v3.9", "v4.0"}, nil, []string{"1"}), Warning, "complete the update", ""},
		{"no new protocol", consumer(versions([]string{"v3.9"}, nil, []string{"1"})), Error, "broker 1 does not have", ""},
		{"the new protocol", consumer(versions([]string{"v4.0"}, nil, nil)), OK, "", ""},
	} {
		e := &exam{Options: Options{Config: config.Default()}, report: &Report{}}
		e.Config.Kafka.SASL.Username = "me"
		c.check(e)
		f := e.report.Findings
		if len(f) != 1 || f[0].Severity != c.severity || !strings.Contains(f[0].Line(), c.says) || !strings.Contains(f[0].Line(), c.command) {
			t.Errorf("%s: %+v; want %s that says %q, with %q", c.name, f, c.severity, c.says, c.command)
		}
	}
}

// TestServiceOf: cluster ids and host names that show a service, and those that look like them.
func TestServiceOf(t *testing.T) {
	const redpanda = "redpanda.6c0d6a3f-2ad2-4c1c-8d2f-3c1a4ecdf9b1"
	for _, c := range []struct{ cluster, host, service, shownBy string }{
		{redpanda, "10.0.0.7", "Redpanda", redpanda},
		{"4L6g3nShT-eMCtK--X86sw", "b-1.c.123z8u.c2.kafka.us-west-1.amazonaws.com", "Amazon MSK", "b-1."},
		{"x", "b-1.c.123z8u.c2.kafka.cn-north-1.amazonaws.com.cn", "Amazon MSK", "b-1."},
		{"x", "boot-ab12.c1.kafka-serverless.eu-central-1.amazonaws.com", "Amazon MSK Serverless", "boot-"},
		{"x", "shop.servicebus.windows.net", "Azure Event Hubs", "shop."},
		{"x", "pkc-ab12.eu-central-1.aws.confluent.cloud", "Confluent Cloud", "pkc-"},
		{"x", "kafka-1.shop.aivencloud.com", "Aiven for Apache Kafka", "kafka-1."},
		{"x", "api-0d2d.kafka.discoveryv2.prod-z.us-east-1.warpstream.com", "WarpStream", "api-"},
		{"4L6g3nShT-eMCtK--X86sw", "kafka-1.example.com", "", ""},
		{"kredpanda.", "ec2-1-2-3-4.eu-central-1.compute.amazonaws.com", "", ""},
		{"", "confluent.cloud.example.com", "", ""},
	} {
		service, shownBy := serviceOf(c.cluster, []string{"other", c.host})
		if service != c.service || !strings.Contains(shownBy, c.shownBy) {
			t.Errorf("%s at %s: %q by %q, want %q by %q", c.cluster, c.host, service, shownBy, c.service, c.shownBy)
		}
	}
}
