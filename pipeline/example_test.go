package pipeline_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// today is the day of the events: days of a site begin at midnight in UTC, unless its rules name another time zone.
var today = time.Now().UTC().Truncate(24 * time.Hour)

// A pipeline in a process of its own: events are published to a broker, and the pipeline counts them into a table. Here the broker is
// franz-go's fake one and the table is in memory. With real ones only the addresses change. Programs ask a table by package query; the
// example of package footfalltest does. This one reads the item of a day, which has a number for each figure.
func Example() {
	if err := countPageViews(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 page views, 1 session
}

func countPageViews() error {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events", "events.failed"))
	if err != nil {
		return err
	}
	defer cluster.Close()
	table := new(memory.Table)
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

	day, err := awaitPageViews(table, 2)
	stop() // The pipeline drains: it completes its open flushes and returns.
	if err == nil {
		err = <-ended
	}
	if err != nil {
		return err
	}
	fmt.Printf("%d page views, %d session\n", day[sinks.AttrPageViews].Int(), day[sinks.AttrSessions].Int())
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
			today.UnixMilli()+int64(i), i, url)
		record := &kgo.Record{Topic: "events", Key: []byte("shop.example"), Value: []byte(event)}
		if err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}

// awaitPageViews reads the day's item of the site until it has n page views.
func awaitPageViews(table sinks.Table, n int64) (sinks.Item, error) {
	day := sinks.Keys{}.DayStats("shop.example", today.UnixMilli())
	for range time.Tick(20 * time.Millisecond) {
		r, err := table.BatchGet(context.Background(), sinks.BatchGet{Keys: []sinks.Key{day}, Consistent: true})
		if err != nil || r.Items[day][sinks.AttrPageViews].Int() >= n {
			return r.Items[day], err
		}
	}
	panic("unreachable")
}
