// Package integration shows how a project tests itself against footfall with package footfalltest: that what it publishes is counted, and
// that it shows the numbers.
package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/footfalltest/containers"
	"github.com/footfall/footfall/query"
)

const site = "shop.example"

// publish is the producer that is tested. It sends page views of one visitor.
func publish(t *testing.T, brokers []string, topic string, n int) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := range n {
		event := fmt.Appendf(nil, `{"siteId":%q,"type":"page_view","timestamp":%d,"id":"event-%d","visitorId":"v-1"}`, site,
			time.Now().UnixMilli(), i)
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Key: []byte(site), Value: event}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// summary is the dashboard that is tested.
func summary(t *testing.T, reader *query.Reader) string {
	t.Helper()
	answer, err := reader.Stats(t.Context(), query.StatsParams{Site: site, From: time.Now().Add(-24 * time.Hour), Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d page views, %d sessions", answer.Totals.PageViews, answer.Totals.Sessions)
}

// What the producer sends is counted. Everything runs in this process.
func TestPublishedEventsAreCounted(t *testing.T) {
	f := footfalltest.Start(t, footfalltest.Options{})
	publish(t, f.Brokers(), f.Topic(), 3)
	f.Settle(t)
	if got := f.Totals(t); got.Counted != 3 || len(got.Rejected) > 0 {
		t.Errorf("%+v, want 3 events counted and none rejected", got)
	}
}

// The dashboard shows what footfall has counted.
func TestDashboardShowsWhatIsCounted(t *testing.T) {
	f := footfalltest.Start(t, footfalltest.Options{})
	f.Publish(t, footfalltest.Event{SiteID: site, VisitorID: "v-1"}, footfalltest.Event{SiteID: site, VisitorID: "v-2"})
	f.Settle(t)
	if got := summary(t, f.Query()); got != "2 page views, 2 sessions" {
		t.Errorf("dashboard shows %q", got)
	}
}

// Producer and dashboard work with a real Kafka and a DynamoDB Local.
func TestRealServices(t *testing.T) {
	f := footfalltest.Start(t, footfalltest.Options{Brokers: []string{containers.Kafka(t, "")}, DynamoDB: containers.DynamoDB(t, "")})
	publish(t, f.Brokers(), f.Topic(), 3)
	f.Settle(t)
	if got := summary(t, f.Query()); got != "3 page views, 1 sessions" {
		t.Errorf("dashboard shows %q", got)
	}
}
