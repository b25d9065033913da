package footfalltest_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/footfalltest"
)

// TestBrokersThatAskForTLS: with the options of Kafka clients, all parts connect to brokers that take only TLS.
func TestBrokersThatAskForTLS(t *testing.T) {
	certified := httptest.NewTLSServer(nil) // Its certificate is for 127.0.0.1.
	t.Cleanup(certified.Close)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(&tls.Config{Certificates: certified.TLS.Certificates}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	authorities := x509.NewCertPool()
	authorities.AddCert(certified.Certificate())
	f := footfalltest.Start(t, footfalltest.Options{
		Brokers: cluster.ListenAddrs(),
		Kafka:   []kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: authorities})},
	})
	f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", URL: "https://shop.example/"})
	f.Settle(t)
	if total := f.Totals(t); total.Counted != 1 {
		t.Errorf("%+v, want one event counted", total)
	}
}
