package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// everything are the settings with all features but raw events.
func everything() checkpoint.Settings {
	all := variants()
	return all[len(all)-1].settings
}

// kindsOfTraffic prints CPU per record with everything on, by what the traffic and the table are like.
func kindsOfTraffic(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	printHead("everything on, by kind of traffic", o.rounds)
	usual := load{sites: 100, partitions: 8, hourly: o.records, script: clickers, think: 40 * time.Second}
	sessionless, agents, many := usual, usual, usual
	sessionless.sessionless, agents.agents, many.sites = true, 2000, 10_000
	var rows []*comparison
	for _, c := range []struct {
		name, topic string
		load        load
	}{
		{"100 sites", "usual", usual},
		{"100 sites, no session ids", "sessionless", sessionless},
		{"100 sites, 2,000 user agents, no device fields", "agents", agents},
		{"10,000 sites", "many", many},
	} {
		t, err := c.load.publish(ctx, broker.addr, c.topic, o.records)
		if err != nil {
			return err
		}
		rows = append(rows, &comparison{name: c.name, topic: t, settings: everything()})
	}
	answering := *rows[len(rows)-1]
	answering.name, answering.through = "10,000 sites, the table answers reads", newMemory
	rows = append(rows, &answering)
	for _, f := range realFiles() {
		t, err := f.publish(ctx, broker.addr, o.data)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("  %s: left out: %v; name the directory with -data\n", f.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, &comparison{name: f.name, topic: t, settings: everything()})
	}
	if err := compare(ctx, o.rounds, rows); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

// realFile is a file of real data, and how its lines become events: as README's examples of produce have it.
type realFile struct {
	name, path string
	format     func() (produce.Format, error)
}

func realFiles() []realFile {
	return []realFile{
		{"wikiticker, 51 sites, once", "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz", func() (produce.Format, error) {
			return produce.NewMapping(mapping.Config{Set: []string{"type=edit"}, Rest: true,
				Map: []string{"siteId=channel", "timestamp=time", "visitorId=user", "url=/wiki/{page}"}}, "", 1)
		}},
		{"access log, 1 site, once", "access-log/apache_logs.gz", func() (produce.Format, error) {
			return produce.NewAccessLog(produce.AccessLogConfig{CountAssets: true, Set: []string{"siteId=www.semicomplete.com"}})
		}},
	}
}

// publish fills a topic with the file's events, at their own times.
func (f realFile) publish(ctx context.Context, broker, data string) (topic, error) {
	in, err := os.Open(filepath.Join(data, f.path))
	if err != nil {
		return topic{}, err
	}
	defer in.Close()
	format, err := f.format()
	if err != nil {
		return topic{}, err
	}
	file, err := produce.NewFile(in, format)
	if err != nil {
		return topic{}, err
	}
	var records []*kgo.Record
	for {
		r, err := file.Next()
		if err == io.EOF {
			break
		}
		if refused := (*produce.Refusal)(nil); errors.As(err, &refused) {
			continue
		}
		if err != nil {
			return topic{}, err
		}
		key := fnv.New32a()
		key.Write(r.Key)
		records = append(records, &kgo.Record{Key: r.Key, Value: r.Value, Timestamp: r.Time, Partition: int32(key.Sum32() % 8)})
	}
	name, next := filepath.Base(filepath.Dir(f.path)), 0
	bytes, err := fill(ctx, broker, name, 8, len(records), func() *kgo.Record {
		next++
		return records[next-1]
	})
	return topic{broker, name, len(records), bytes}, err
}
