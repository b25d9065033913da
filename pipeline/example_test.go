package pipeline_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// The whole of footfall in one process: events are published to a broker, a pipeline counts them, a reader asks the table. Here the
// broker is franz-go's fake one and the table is in memory. With real ones only the addresses change.
func Example() {
	if err := countPageViews(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// shop.example: 2 page views, 1 session
}

func countPageViews() error {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events", "events.failed"))
	if err != nil {
		return err
	}
	defer cluster.Close()
	table, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := table.Create(context.Background(), sinks.Shape{}); err != nil {
		return err
	}

	seeds := kgo.SeedBrokers(cluster.ListenAddrs()...)
	if err := publish(seeds, "https://shop.example/", "https://shop.example/kettles"); err != nil {
		return err
	}
	p, err := pipeline.New(pipeline.Options{Kafka: []kgo.Opt{seeds}, Topic: "events", Group: "footfall", Table: table,
		StatsInterval: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()

	answer, err := awaitPageViews(query.New(table, sinks.Keys{}, time.Now), 2)
	stop() // The pipeline drains: it completes its open flushes and returns.
	if err == nil {
		err = <-ended
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d page views, %d session\n", answer.Site, answer.Totals.PageViews, answer.Totals.Sessions)
	return nil
}

// publish publishes a page view of each url, all of one session.
func publish(seeds kgo.Opt, urls ...string) error {
	client, err := kgo.NewClient(seeds)
	if err != nil {
		return err
	}
	defer client.Close()
	for i, url := range urls {
		event := fmt.Sprintf(`{"siteId":"shop.example","type":"page_view","timestamp":%d,"id":"%d","sessionId":"s-1","visitorId":"v-1","url":%q}`,
			time.Now().UnixMilli(), i, url)
		record := &kgo.Record{Topic: "events", Key: []byte("shop.example"), Value: []byte(event)}
		if err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}

// awaitPageViews asks until the last day has n page views.
func awaitPageViews(reader *query.Reader, n int64) (query.StatsAnswer, error) {
	for range time.Tick(20 * time.Millisecond) {
		answer, err := reader.Stats(context.Background(), query.StatsParams{Site: "shop.example", From: time.Now().Add(-24 * time.Hour)})
		if err != nil || answer.Totals != nil && answer.Totals.PageViews >= n {
			return answer, err
		}
	}
	panic("unreachable")
}
