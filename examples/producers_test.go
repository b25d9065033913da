package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/footfalltest/containers"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/query"
)

// producers are the programs in the folder producers: how each is installed in a copy of its folder, and run with the brokers, the topic
// and the site as further arguments.
var producers = []struct {
	name    string
	tools   []string
	install [][]string
	run     []string
}{
	{"python", []string{"python3"}, [][]string{
		{"python3", "-m", "venv", "venv"},
		{"venv/bin/pip", "install", "--quiet", "--requirement", "requirements.txt"},
	}, []string{"venv/bin/python", "producer.py"}},
	{"node", []string{"node", "npm"}, [][]string{{"npm", "install", "--silent", "--no-audit", "--no-fund"}}, []string{"node", "producer.js"}},
	{"java", []string{"java", "mvn"}, [][]string{{"mvn", "--quiet", "--batch-mode", "dependency:copy-dependencies"}},
		[]string{"java", "-cp", "target/dependency/*", "Producer.java"}},
	{"kcat", []string{"kcat"}, nil, []string{"sh", "producer.sh"}},
}

// partitions are many, as few would hide that producers choose them by different hashes.
const partitions = 16

// TestRealProducers runs each producer against one Kafka. What it has published is counted, under the site as key, in the partition that
// footfall's own producers choose, with ids, and by an idempotent producer, which asks for the acknowledgement of all replicas.
func TestRealProducers(t *testing.T) {
	slow.Test(t)
	f := footfalltest.Start(t, footfalltest.Options{Brokers: []string{containers.Kafka(t, "")}, Partitions: partitions})
	ran := int64(0)
	for _, p := range producers {
		t.Run(p.name, func(t *testing.T) {
			testenv.RequireTools(t, p.tools...)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("producers", p.name))); err != nil {
				t.Fatal(err)
			}
			for _, command := range p.install {
				execute(t, dir, command)
			}
			site := p.name + ".example"
			execute(t, dir, append(p.run, f.Brokers()[0], f.Topic(), site))
			ran++
			f.Settle(t)
			answer, err := f.Query().Stats(t.Context(), query.StatsParams{Site: site, From: time.Now().Add(-24 * time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			if answer.Totals == nil {
				t.Fatal("nothing is counted")
			}
			got := fmt.Sprintf("%d page view, %d events, %d session, value %s", answer.Totals.PageViews, answer.Totals.Events,
				answer.Totals.Sessions, answer.Totals.ValueSum)
			if want := "1 page view, 2 events, 1 session, value 39.9"; got != want {
				t.Errorf("counted %s, want %s", got, want)
			}
		})
	}
	if all := f.Totals(t); all.Counted != 2*ran || all.Duplicates != 0 || len(all.Rejected) != 0 {
		t.Errorf("totals %+v, want %d events counted", all, 2*ran)
	}
	checkRecords(t, f, 2*ran)
}

// checkRecords looks at what lies in the topic.
func checkRecords(t *testing.T, f *footfalltest.Footfall, n int64) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(f.Brokers()...), kgo.ConsumeTopics(f.Topic()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	decoder, e, franz := event.NewDecoder(), new(event.Event), kgo.StickyKeyPartitioner(nil).ForTopic(f.Topic())
	for n > 0 {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			n--
			reason, detail := decoder.Decode(r.Value, e)
			switch {
			case reason != event.Accepted || e.Notes != 0:
				t.Errorf("%s: %s %s, notes %d", r.Value, reason, detail, e.Notes)
			case string(r.Key) != string(e.SiteID):
				t.Errorf("%s: the key is %q", r.Value, r.Key)
			case int(r.Partition) != franz.Partition(r, partitions):
				t.Errorf("%s: it is in partition %d; franz-go puts it into %d", r.Value, r.Partition, franz.Partition(r, partitions))
			case len(e.ID) < 32:
				t.Errorf("%s: the id can be guessed", r.Value)
			case r.ProducerID < 0:
				t.Errorf("%s: the producer is not idempotent", r.Value)
			}
		})
	}
}

// execute runs a command in a folder.
func execute(t *testing.T, dir string, command []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	if filepath.Base(command[0]) != command[0] {
		cmd.Path = filepath.Join(dir, command[0])
	}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", command, err, out)
	}
}
