package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// runStore is the child in the role of DynamoDB: it takes every request and answers at once that it was done.
func runStore() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // The client is gone.
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchWriteItem") {
			io.WriteString(w, `{"ConsumedCapacity":[{"TableName":"bench","CapacityUnits":25}],"UnprocessedItems":{}}`)
			return
		}
		io.WriteString(w, `{"ConsumedCapacity":{"TableName":"bench","CapacityUnits":1}}`)
	})}
	go server.Serve(listener)
	defer server.Close()
	return serve("http://" + listener.Addr().String())
}

// writers is how many requests are in flight at once: enough to keep one core busy.
const writers = 8

// writes prints CPU per write through sinks/dynamo to a store that answers at once.
func writes(ctx context.Context, o options) error {
	store, err := startChild("store")
	if err != nil {
		return err
	}
	defer store.end()
	client, err := dynamo.Connect(ctx, dynamo.ConnectOptions{Config: []func(*config.LoadOptions) error{
		config.WithRegion("us-east-1"), config.WithBaseEndpoint(store.addr),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("bench", "bench", "")),
	}})
	if err != nil {
		return err
	}
	table := dynamo.New(client, "bench")
	start := time.Now().UnixMilli()
	update := func(i int) error {
		_, err := table.Update(ctx, hourUpdate(i, start))
		return err
	}
	put := func(i int) error {
		items := make([]sinks.Item, sinks.MaxBatchPut)
		for j := range items {
			items[j] = rawEvent(i*len(items)+j, start)
		}
		_, err := table.BatchPut(ctx, items)
		return err
	}
	var updates, items []cost
	for range o.rounds {
		u, err := measure(o.writes, func() error { return inParallel(o.writes, update) })
		if err != nil {
			return err
		}
		batches := max(1, o.writes/sinks.MaxBatchPut)
		p, err := measure(batches*sinks.MaxBatchPut, func() error { return inParallel(batches, put) })
		if err != nil {
			return err
		}
		updates, items = append(updates, u), append(items, p)
	}
	fmt.Println("CPU per write through sinks/dynamo to a local store that answers at once")
	fmt.Printf("  method: %d rounds in turns, %d writes of each kind a round, %d requests in flight, plain HTTP, requests signed;\n"+
		"  CPU of this process by getrusage, making the items included\n\n", o.rounds, o.writes, writers)
	fmt.Printf("  %-48s | %8s %8s | %8s | %8s\n", "", "least us", "median", "allocs", "a second")
	for _, row := range []struct {
		name   string
		rounds []cost
	}{{"guarded update (5 counters, mark, ttl)", updates}, {"raw item (BatchPut of 25, some 600 bytes each)", items}} {
		c := least(row.rounds)
		fmt.Printf("  %-48s | %8.1f %8.1f | %8.0f | %8.0f\n", row.name, c.cpu/1000, median(cpus(row.rounds))/1000, c.allocs, c.rate)
	}
	fmt.Println("  goals: 150 us a guarded update, 20 us a raw item")
	fmt.Println()
	return nil
}

// inParallel calls work for 0 to n-1 from writers goroutines and returns an error of one of them.
func inParallel(n int, work func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// hourUpdate is what a step writes of a site's hour.
func hourUpdate(i int, at int64) sinks.Update {
	mark := sinks.AttrMark("stats", sinks.TP{Topic: 1, Partition: 7})
	step := sinks.Int(int64(i) + 1)
	return sinks.Update{
		Key: sinks.Keys{}.HourStats(fmt.Sprintf("site-%d", i%1000), at),
		Add: []sinks.Attr{{Name: sinks.AttrPageViews, Value: sinks.Int(31)}, {Name: sinks.AttrEvents, Value: sinks.Int(52)},
			{Name: sinks.AttrSessions, Value: sinks.Int(11)}, {Name: sinks.AttrBounces, Value: sinks.Int(4)},
			{Name: sinks.AttrDurationMs, Value: sinks.Int(612_345)}},
		Set: []sinks.Attr{{Name: sinks.AttrTTL, Value: sinks.Int(at/1000 + 90*86_400)},
			{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityStats)},
			{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}, {Name: mark, Value: step}},
		If: []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: step}},
	}
}

// rawEvent is an event of browsers as it lies in the table.
func rawEvent(i int, at int64) sinks.Item {
	key := sinks.Keys{}.Event("site-1", i%sinks.DefaultShards, fmt.Sprintf("%026d", i))
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityEvent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		"timestamp": sinks.Int(at), "recordTime": sinks.Int(at + 40), sinks.AttrTTL: sinks.Int(at/1000 + 30*86_400),
	}
	for name, text := range map[string]string{
		"siteId": "site-1", "type": "page_view", "id": "0123456789abcdef", "sessionId": "fedcba9876543210",
		"visitorId": "01234567-89ab-4cde-8f01-23456789abcd", "url": "https://www.site-1.example/articles/page-17?ref=newsletter",
		"referrer": "https://search.example/", "title": "The title of page 17",
		"userAgent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0", "country": "DE", "device": "desktop",
		"browser": "Firefox", "os": "Linux", "properties": `{"plan":"free","scroll":17}`, "source": "events/7/1234567",
	} {
		it[name] = sinks.Str(text)
	}
	return it
}
