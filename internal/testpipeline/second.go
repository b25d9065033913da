package testpipeline

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// SecondCluster is a world of the same bubble with a cluster of its own, a topic of the same name, and a table that is not begun.
func SecondCluster(t *testing.T, first *World, net *kfake.VirtualNetwork, partitions int32, table sinks.Table) *World {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.Ports(9192), kfake.ListenFn(net.Listen), kfake.SeedTopics(partitions, first.Topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	kafka := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(net.DialContext), kgo.DisableClientMetrics()}
	return &World{T: t, Topic: first.Topic, Cluster: cluster, Table: table, Client: testworld.Client(t, kafka), Seeds: kafka}
}
