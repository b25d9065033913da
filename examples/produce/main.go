// Produce publishes one page view to the topic of footfall, as a web server or a collector would.
//
//	go run ./examples/produce -brokers localhost:9094 -site shop.example
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	brokers := flag.String("brokers", "localhost:9092", "seed brokers, host:port, separated by commas")
	topic := flag.String("topic", "events", "topic of the events")
	site := flag.String("site", "shop.example", "site of the page view")
	flag.Parse()

	event, err := json.Marshal(map[string]any{
		"siteId":    *site,
		"type":      "page_view",
		"timestamp": time.Now().UnixMilli(),
		"id":        rand.Text(), // An event that is sent again is recognised by its id.
		"visitorId": "v-7f3a9c",
		"url":       "https://" + *site + "/products/42",
	})
	if err != nil {
		log.Fatal(err)
	}
	// franz-go waits for all replicas (acks=all) and is idempotent by default: footfall counts what the log holds.
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(*brokers, ",")...))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	// The key keeps a site in one partition, and so each session in one place.
	record := &kgo.Record{Topic: *topic, Key: []byte(*site), Value: event}
	if err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("partition %d, offset %d\n", record.Partition, record.Offset)
}
