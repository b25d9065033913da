package containers_test

import (
	"testing"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/footfalltest/containers"
)

// A test on real services, with another release of Kafka.
func Example() {
	_ = func(t *testing.T) {
		f := footfalltest.Start(t, footfalltest.Options{
			Brokers:  []string{containers.Kafka(t, "apache/kafka:3.9.1")},
			DynamoDB: containers.DynamoDB(t, ""),
		})
		f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1"})
		f.Settle(t)
		if n := f.Totals(t).Counted; n != 1 {
			t.Errorf("%d events counted, want 1", n)
		}
	}
}
