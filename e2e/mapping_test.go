//go:build unix

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// Records of another product count by a preset. What a mapping refuses, because it is wrong, is counted once it is mended, though consumers
// are killed before and after; what they count of a site that only a header names is what was published.
func TestMappedRecords(t *testing.T) {
	slow.Test(t)
	onStages(t, func(t *testing.T, s *stage) {
		const partitions, batch = 3, 300
		s.topic = testenv.Topic(t, s.brokers, partitions, nil)
		for name, value := range map[string]string{"FOOTFALL_KAFKA_TOPIC": s.topic, "FOOTFALL_EVENT_PRESET": "segment",
			"FOOTFALL_EVENT_MAP": "siteId=kafka:header:shop,properties.region=kafka:header:region?",
			// The next owner need not wait for long.
			"FOOTFALL_KAFKA_GROUP_PROTOCOL": "consumer"} {
			s.set(name, value)
		}
		s.execute(t, "table", "create")
		want := make(map[string]int64)
		sent := 0
		publish := func() {
			cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.DefaultProduceTopic(s.topic))
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			for range batch {
				shop := fmt.Sprint("shop-", sent%4)
				r := &kgo.Record{Key: fmt.Append(nil, shop, sent%9), Headers: []kgo.RecordHeader{{Key: "shop", Value: []byte(shop)},
					{Key: "region", Value: []byte("eu")}}, Value: fmt.Appendf(nil, `{"type":"page","messageId":"m-%d","anonymousId":"a-%d",`+
					`"timestamp":%q,"context":{"page":{"url":"https://%s.example/%d"}},"properties":{"n":%d}}`, sent, sent%9,
					time.Now().UTC().Format(time.RFC3339Nano), shop, sent%5, sent)}
				if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
					t.Fatal(err)
				}
				want[shop]++
				sent++
			}
		}

		publish()
		killed := s.consume(t, "consumer to be killed")
		publish()
		killed.kill()

		// A mapping that names a header that no record has.
		mended := s.env
		s.env = append(append([]string(nil), mended...), "FOOTFALL_EVENT_MAP=siteId=kafka:header:store")
		wrong := s.consume(t, "consumer with a wrong mapping")
		publish()
		s.verify(t)
		wrong.kill()

		s.env = mended
		right := s.consume(t, "consumer with the mapping")
		s.verify(t)
		s.execute(t, "failed", "replay", "--reason", "not_mapped")
		publish()
		s.verify(t)
		for shop, n := range s.counted(t) {
			if n != want[shop] {
				t.Errorf("%s has %d events, %d were published", shop, n, want[shop])
			}
			delete(want, shop)
		}
		if len(want) > 0 {
			t.Errorf("nothing is counted of %v", want)
		}
		right.drain()
	})
}
