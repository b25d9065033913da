package doctor_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/footfall/footfall/internal/doctor"
)

// TestOtherServices: brokers are called by what shows, and what the configuration asks for and they lack is found in what they answer.
func TestOtherServices(t *testing.T) {
	without := func(v *kversion.Versions, keys ...kmsg.Key) kfake.Opt {
		for _, key := range keys {
			v.SetMaxKeyVersion(key.Int16(), -1)
		}
		return kfake.MaxVersions(v)
	}
	type finding struct {
		check    string
		severity doctor.Severity
		says     string
	}
	for _, c := range []struct {
		name    string
		brokers []kfake.Opt
		change  func(in *installation)
		want    []finding
	}{
		{"Kafka", []kfake.Opt{kfake.MaxVersions(kversion.V3_9_0())}, nil, []finding{
			{"brokers.service", doctor.OK, "a service other than Kafka"},
			{"brokers.version", doctor.OK, ", by the requests that they know"},
			{"brokers.requests", doctor.OK, "have the requests"},
			{"topic.id", doctor.OK, "has an id"},
		}},
		{"Redpanda before topic ids", []kfake.Opt{kfake.ClusterID("redpanda.ab12"), kfake.MaxVersions(kversion.V2_7_0())}, nil, []finding{
			{"brokers.service", doctor.OK, "Redpanda, by the cluster's id redpanda.ab12"},
			{"brokers.version", doctor.OK, "Kafka "},
			{"brokers.requests", doctor.Warning, "have DescribeProducers, ListTransactions: footfall status"},
			{"topic.id", doctor.Warning, "passes for the former one"},
		}},
		{"no KIP-848", []kfake.Opt{without(kversion.V4_0_0(), kmsg.ConsumerGroupHeartbeat)}, func(in *installation) {
			in.Config.Kafka.GroupProtocol = "consumer"
		}, []finding{{"brokers.version", doctor.Error, "set kafka.groupProtocol to classic"}}},
		{"no transactions, no epochs", []kfake.Opt{without(kversion.V3_9_0(), kmsg.AddPartitionsToTxn, kmsg.DescribeProducers,
			kmsg.OffsetForLeaderEpoch)}, nil, []finding{
			{"brokers.requests", doctor.Warning, "broker 0, 1, 2 does not have OffsetForLeaderEpoch: a partition that has lost"},
			{"brokers.requests", doctor.Warning, "have AddPartitionsToTxn: footfall failed replay publishes nothing"},
			{"brokers.requests", doctor.Warning, "have DescribeProducers: footfall status does not name the transaction"},
		}},
		{"no static members, no racks", []kfake.Opt{kfake.MaxVersions(kversion.V2_2_0())}, func(in *installation) {
			in.Config.Kafka.GroupInstanceID, in.Config.Kafka.ClientRack = "footfall-0", "a"
		}, []finding{
			{"brokers.requests", doctor.Warning, "have version 5 of JoinGroup: kafka.groupInstanceId has no effect"},
			{"brokers.requests", doctor.Warning, "have version 11 of Fetch: kafka.clientRack has no effect"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			examined(t, func(t *testing.T, in *installation) {
				if c.change != nil {
					c.change(in)
				}
				r := doctor.Examine(t.Context(), in.Options)
				for _, w := range c.want {
					want(t, r, w.check, w.severity, w.says, "")
				}
			}, c.brokers...)
		})
	}
}
