//go:build measure

package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestMemoryOfVerify measures what verify takes of a log of many records of 1,000 sites, as a process. It runs by hand only:
//
//	go build -o /tmp/footfall ./cmd/footfall
//	BIN=/tmp/footfall RECORDS=10000000 SAMPLE=1% go test -tags measure ./internal/cli/inspect -run MemoryOfVerify -timeout 2h -v
//
// With SAMPLE the table keeps the items of sampled sites only, which makes filling it as fast as the fold is. Without, it is whole.
func TestMemoryOfVerify(t *testing.T) {
	bin, records := os.Getenv("BIN"), 0
	if records, _ = strconv.Atoi(os.Getenv("RECORDS")); bin == "" || records == 0 {
		t.Fatal("BIN names the program, RECORDS how many to publish: set both")
	}
	const sites = 1000
	dir, broker, table := clitest.NewDevDirectory(t)
	defer broker.Close()
	defer table.Close()
	seeds := []kgo.Opt{kgo.SeedBrokers(broker.Addr())}
	began := time.Now()
	publish(t, seeds, records, sites)
	t.Logf("published %d records in %v", records, time.Since(began).Round(time.Second))
	began = time.Now()
	sample := os.Getenv("SAMPLE")
	fill(t, seeds, &thinned{table.Table, clitest.Must(readShare(sample))}, int64(records))
	t.Logf("folded in %v", time.Since(began).Round(time.Second))

	run := func() (r verify.Report) {
		args := []string{"verify", "--data", dir, "--output", "json", "--wait", "0"}
		if sample != "" {
			args = append(args, "--sample-sites", sample)
		}
		if memory := os.Getenv("MEMORY"); memory != "" {
			args = append(args, "--memory", memory)
		}
		began := time.Now()
		cmd := exec.CommandContext(t.Context(), bin, args...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run()
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			t.Fatalf("%v in %q, stderr %q", err, out.String(), errs.String())
		}
		rss := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
		t.Logf("%s%d MB of memory, %v: %d records, %d passes, %d MB kept, %d items compared (%v), %d differences", errs.String(), rss,
			time.Since(began).Round(time.Second), r.Records, r.Passes, r.KeptBytes>>20, r.ComparedCount, r.Compared, r.DifferenceCount)
		if rss > 500 {
			t.Errorf("verify took %d MB, want less than 500", rss)
		}
		return r
	}
	r := run()
	if r.DifferenceCount != 0 || r.Compared["event"] == 0 {
		t.Fatalf("%d differences, %v compared: %v", r.DifferenceCount, r.Compared, r.Differences[:min(5, len(r.Differences))])
	}
	if sample != "" {
		damage(t, table.Table, sites)
		if r := run(); r.DifferenceCount == 0 || int64(r.DifferenceCount) != r.Compared["site"] {
			t.Errorf("%d differences of planted damage, want one in each of %d sampled sites", r.DifferenceCount, r.Compared["site"])
		}
	}
}

func siteName(i int) string { return fmt.Sprintf("site-%04d.example", i) }

// publish makes sessions of three page views within two hours.
func publish(t *testing.T, seeds []kgo.Opt, records, sites int) {
	client, err := kgo.NewClient(append(seeds, kgo.DefaultProduceTopic(command.DevTopic), kgo.MaxBufferedRecords(1<<16),
		kgo.ProducerBatchMaxBytes(1<<20))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	begin := time.Now().Add(-3 * time.Hour)
	var failed atomic.Value
	for i := range records {
		session := i / sites / 3
		site := i % sites
		at := begin.Add(time.Duration(float64(2*time.Hour) * float64(i) / float64(records)))
		value := fmt.Sprintf(`{"siteId":%q,"type":"page_view","timestamp":%d,"id":"e-%d","visitorId":"v-%d","sessionId":"s-%d","url":"https://%s/p%d","userAgent":"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0","country":"DE"}`,
			siteName(site), at.UnixMilli(), i, session, session, siteName(site), i%40)
		client.Produce(t.Context(), &kgo.Record{Value: []byte(value), Timestamp: at}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.Store(err)
			}
		})
	}
	if err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := failed.Load(); err != nil {
		t.Fatal(err)
	}
}

// fill runs a pipeline until the whole log is folded.
func fill(t *testing.T, seeds []kgo.Opt, table sinks.Table, records int64) {
	s := checkpoint.DefaultSettings()
	s.NewSites = 0
	p, err := pipeline.New(pipeline.Options{Kafka: seeds, Topic: command.DevTopic, Group: "memory", Table: table, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for settled := 0; settled < len(checkpoint.Lanes); {
		select {
		case err := <-done:
			t.Fatal(err)
		case <-tick.C:
		}
		all, err := checkpoint.LoadChains(ctx, table, sinks.Keys{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		settled = 0
		for _, c := range all {
			if c.Head.Done && c.Head.To >= records {
				settled++
			}
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// thinned is a table that keeps the items of a sample of sites; share 0: of all.
type thinned struct {
	sinks.Table
	share float64
}

func (t *thinned) keeps(k sinks.Key) bool {
	rest, ok := strings.CutPrefix(k.PK, "SITE#")
	site, _, _ := strings.Cut(rest, "#")
	return t.share == 0 || !ok || scope.Sampled(scope.SiteHash(site), t.share)
}

func (t *thinned) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if !t.keeps(u.Key) {
		return sinks.Result{}, nil
	}
	return t.Table.Update(ctx, u)
}

func (t *thinned) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if !t.keeps(p.Item.Key()) {
		return sinks.Result{}, nil
	}
	return t.Table.Put(ctx, p)
}

func (t *thinned) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	var kept []sinks.Attrs
	for _, it := range items {
		if t.keeps(it.Key()) {
			kept = append(kept, it)
		}
	}
	if kept == nil {
		return sinks.BatchResult{}, nil
	}
	return t.Table.BatchPut(ctx, kept)
}

// damage changes one sum of one hour of every site that the table has.
func damage(t *testing.T, table sinks.Table, sites int) {
	for i := range sites {
		pk := sinks.Keys{}.Site(siteName(i))
		page, err := table.Query(t.Context(), sinks.Query{PK: pk, Prefix: sinks.HourStatsPrefix, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			it[sinks.AttrEvents] = sinks.Int(it[sinks.AttrEvents].Int() + 1)
			if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
