package footfalltest_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/footfall/footfall/footfalltest"
)

// TestBrokersThatAskForALogin: with the options of Kafka clients, all parts log in to brokers that ask for it.
func TestBrokersThatAskForALogin(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "counter", "horse"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	login := scram.Auth{User: "counter", Pass: "horse"}.AsSha512Mechanism()
	f := footfalltest.Start(t, footfalltest.Options{Brokers: cluster.ListenAddrs(), Kafka: []kgo.Opt{kgo.SASL(login)}})
	f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", URL: "https://shop.example/"})
	f.Settle(t)
	if total := f.Totals(t); total.Counted != 1 {
		t.Errorf("%+v, want one event counted", total)
	}
}
