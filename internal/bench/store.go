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

// writes prints CPU per write through sinks/dynamo, with both clients of items, to a store that answers at once.
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
	sdk := dynamo.New(client, "bench")
	rows := []*writeCost{{client: "sdk", table: sdk}, {client: "direct", table: dynamo.NewDirect(sdk, client)}}
	for range o.rounds {
		for _, row := range rows {
			if err := row.round(ctx, o.writes); err != nil {
				return err
			}
		}
	}
	fmt.Println("CPU per write through sinks/dynamo to a local store that answers at once, by dynamodb.client")
	fmt.Printf("  method: %d rounds in turns, %d writes of each kind a round, %d requests in flight, plain HTTP, requests signed;\n"+
		"  CPU of this process by getrusage\n\n", o.rounds, o.writes, writers)
	fmt.Printf("  %-56s | %22s | %8s | %8s\n", "", "CPU us", "allocs", "a second")
	for _, row := range rows {
		printWrites(row.client+": guarded update (5 counters, mark, ttl)", row.updates)
		printWrites(row.client+": raw item (BatchPut of 25, some 600 bytes each)", row.items)
	}
	fmt.Printf("  direct / sdk, of the medians: guarded update %.2f, raw item %.2f\n",
		median(cpus(rows[1].updates))/median(cpus(rows[0].updates)), median(cpus(rows[1].items))/median(cpus(rows[0].items)))
	fmt.Println("  goals of direct: 0.35 of a guarded update, 3 us a raw item")
	fmt.Println()
	return nil
}

// writeCost is what writes of a table cost, by round.
type writeCost struct {
	client         string
	table          sinks.Table
	updates, items []cost
}

// round writes n items of each kind, which are made before.
func (w *writeCost) round(ctx context.Context, n int) error {
	start := time.Now().UnixMilli()
	updates := make([]sinks.Update, n)
	batches := make([][]sinks.Attrs, max(1, n/sinks.MaxBatchPut))
	for i := range updates {
		updates[i] = hourUpdate(i, start)
	}
	for i := range batches {
		for j := range sinks.MaxBatchPut {
			batches[i] = append(batches[i], rawEvent(i*sinks.MaxBatchPut+j, start))
		}
	}
	u, err := measure(n, func() error {
		return inParallel(n, func(i int) error {
			_, err := w.table.Update(ctx, updates[i])
			return err
		})
	})
	if err != nil {
		return err
	}
	p, err := measure(len(batches)*sinks.MaxBatchPut, func() error {
		return inParallel(len(batches), func(i int) error {
			_, err := w.table.BatchPut(ctx, batches[i])
			return err
		})
	})
	w.updates, w.items = append(w.updates, u), append(w.items, p)
	return err
}

func printWrites(name string, rounds []cost) {
	var us, allocs, rates []float64
	for _, c := range rounds {
		us, allocs, rates = append(us, c.cpu/1000), append(allocs, c.allocs), append(rates, c.rate)
	}
	fmt.Printf("  %-56s | %22s | %8.0f | %8.0f\n", name, spread(us, "%.1f"), median(allocs), median(rates))
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
func rawEvent(i int, at int64) sinks.Attrs {
	key := sinks.Keys{}.Event("site-1", i%sinks.DefaultShards, fmt.Sprintf("%026d", i))
	return sinks.Attrs{
		{Name: sinks.AttrPK, Value: sinks.Str(key.PK)}, {Name: sinks.AttrSK, Value: sinks.Str(key.SK)},
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityEvent)}, {Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
		{Name: "siteId", Value: sinks.Str("site-1")}, {Name: "type", Value: sinks.Str("page_view")},
		{Name: "id", Value: sinks.Str("0123456789abcdef")}, {Name: "visitorId", Value: sinks.Str("01234567-89ab-4cde-8f01-23456789abcd")},
		{Name: "sessionId", Value: sinks.Str("fedcba9876543210")},
		{Name: "url", Value: sinks.Str("https://www.site-1.example/articles/page-17?ref=newsletter")},
		{Name: "referrer", Value: sinks.Str("https://search.example/")}, {Name: "title", Value: sinks.Str("The title of page 17")},
		{Name: "userAgent", Value: sinks.Str("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0")},
		{Name: "country", Value: sinks.Str("DE")}, {Name: "device", Value: sinks.Str("desktop")}, {Name: "browser", Value: sinks.Str("Firefox")},
		{Name: "os", Value: sinks.Str("Linux")}, {Name: "properties", Value: sinks.Str(`{"plan":"free","scroll":17}`)},
		{Name: "timestamp", Value: sinks.Int(at)}, {Name: "recordTime", Value: sinks.Int(at + 40)},
		{Name: "source", Value: sinks.Str("events/7/1234567")}, {Name: sinks.AttrTTL, Value: sinks.Int(at/1000 + 30*86_400)},
	}
}
