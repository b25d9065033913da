package run

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/query"
)

// sum is what a recount of the topic finds about a site.
type sum struct{ Events, PageViews int64 }

// recount reads what the chains have passed of the topic of a directory, which no process has open, without any of the
// pipeline's code. A busy machine may produce more than it counts until it is stopped.
func recount(t *testing.T, dir string) (sites map[string]sum, records int64) {
	t.Helper()
	broker, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.ConsumeTopics(command.DevTopic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	next, want := clitest.Passed(t, dir), clitest.WrittenDown(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	sites, ids := make(map[string]sum), make(map[string]bool)
	for records < want {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d of %d records: %v", records, want, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset >= next[r.Partition] {
				return
			}
			var e struct{ SiteID, Type, ID string }
			if err := json.Unmarshal(r.Value, &e); err != nil {
				t.Fatal(err)
			}
			if ids[e.ID] || e.ID == "" {
				t.Errorf("the traffic repeats the id %q", e.ID)
			}
			ids[e.ID] = true
			s := sites[e.SiteID]
			s.Events++
			if e.Type == "page_view" {
				s.PageViews++
			}
			sites[e.SiteID] = s
			records++
		})
	}
	return sites, records
}

func TestDevGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	args := []string{"dev", "--data", dir, "--sites", "5", "--rate", "400", "--seed", "7", "--plain"}
	var addr string
	for round := range 3 {
		c := clitest.StartChild(t, args...)
		before := clitest.WrittenDown(t, dir)
		clitest.Eventually(t, "the numbers grow", func() bool { return clitest.WrittenDown(t, dir) >= before+100 }) // Traffic begins slowly.
		d, err := command.ReadDevFile(dir)
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && d.Brokers != addr {
			t.Errorf("round %d: broker at %s, want %s as before", round, d.Brokers, addr)
		}
		addr = d.Brokers
		if round < 2 {
			c.Process.Kill() // kill -9
			c.Wait()
			continue
		}
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil || !strings.Contains(c.Out.String(), "Stopped. Everything is in "+dir) {
			t.Errorf("after Ctrl-C: %v, stdout:\n%s\nstderr:\n%s", err, &c.Out, &c.Err)
		}
		for _, want := range []string{"Kafka at " + addr + ", topic events", " verify --data " + dir, " 5 sites: ", "bounce rate"} {
			if !strings.Contains(c.Out.String(), want) {
				t.Errorf("%q is missing in:\n%s", want, &c.Out)
			}
		}
	}
	sites, records := recount(t, dir)
	if written := clitest.WrittenDown(t, dir); records != written {
		t.Errorf("the topic has %d records, and the chains have passed %d", records, written)
	}
	table, err := connect.Open(t.Context(), "sqlite://"+filepath.Join(dir, command.DevTable))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	reader := query.New(table, time.Now)
	for site, want := range sites {
		a, err := reader.Stats(t.Context(), query.StatsParams{Site: site, From: time.Now().Add(-48 * time.Hour), By: query.Day})
		if err != nil {
			t.Fatal(err)
		}
		if got := (sum{a.Totals.Events, a.Totals.PageViews}); got != want {
			t.Errorf("site %s: the table has %+v, a recount of the topic %+v", site, got, want)
		}
	}
}

func TestDevStopsByItselfAndRefusesASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	running := clitest.StartChild(t, "dev", "--data", dir, "--rate", "0", "--plain")
	clitest.Eventually(t, "dev has begun", func() bool { _, err := command.ReadDevFile(dir); return err == nil })
	code, _, errs := clitest.Footfall(t, "dev", "--data", dir, "--plain")
	if code != 1 || !strings.Contains(errs, "directory "+dir+": in use by another process") ||
		!strings.Contains(errs, "use another directory") {
		t.Errorf("a second dev: exit code %d, stderr %q", code, errs)
	}
	running.Process.Kill()
	running.Wait()
	code, out, errs := clitest.Footfall(t, "dev", "--data", dir, "--plain", "--for", "1ms", "--sites", "3")
	if code != 0 || !strings.Contains(out, "Stopped.") {
		t.Errorf("dev --for 1ms: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// What the configuration says of the failed-events topic and of events holds in dev as in other commands on its directory,
// wherever it is said; a file that cannot be read or is wrong is named.
func TestDevObeysTheConfigurationFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "footfall.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("rawEvents: off\ntable: dynamodb://production\n" +
		"kafka: {failedTopic: refused, group: local, tls: {enabled: true}, sasl: {mechanism: plain, username: u, password: p}}\n")
	t.Setenv("FOOTFALL_CONFIG", file)
	clitest.DevRecords(t, dir)
	clitest.CaughtUp(t, dir)
	if _, out, errs := clitest.Footfall(t, "status", "--data", dir, "--output", "json"); !strings.Contains(out, `\"rawEvents\":false`) {
		t.Errorf("status does not say that raw events are left out:\n%s%s", out, errs)
	}
	if code, out, errs := clitest.Footfall(t, "failed", "replay", "--data", dir, "--dry-run"); code != 0 || !strings.Contains(out, "refused") {
		t.Errorf("failed replay: exit code %d, stdout %q, stderr %q; want 0 and the topic of the file", code, out, errs)
	}
	if code, _, errs := clitest.Footfall(t, "verify", "--data", dir); code != 0 {
		t.Errorf("verify: exit code %d, stderr %q", code, errs)
	}
	write("kafka: {failedTopic: events}\n")
	if code, _, errs := clitest.Footfall(t, "dev", "--data", dir, "--for", "1s", "--plain"); code != 1 ||
		!strings.Contains(errs, "kafka.failedTopic ("+file) {
		t.Errorf("dev with the topic of the events as its failed-events topic: exit code %d, stderr %q", code, errs)
	}
	for _, args := range [][]string{{"--config", file + ".not"}, nil} {
		t.Setenv("FOOTFALL_CONFIG", file+".not")
		code, _, errs := clitest.Footfall(t, append([]string{"dev", "--data", dir, "--for", "1s", "--plain"}, args...)...)
		if code != 1 || !strings.Contains(errs, file+".not") {
			t.Errorf("dev %v with a file that is not there: exit code %d, stderr %q", args, code, errs)
		}
	}
}

// What the environment says about events holds in dev, too; what it says about parts that dev brings does not.
func TestDevTakesSettingsFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FOOTFALL_RAW_EVENTS", "off")
	t.Setenv("FOOTFALL_RETENTION_HOUR", "never")
	t.Setenv("FOOTFALL_TABLE", "dynamodb://production")
	t.Setenv("FOOTFALL_KAFKA_BROKERS", "production:9092")
	clitest.DevRecords(t, dir, "--history", "2d", "--history-events", "50")
	_, out, errs := clitest.Footfall(t, "status", "--data", dir, "--output", "json")
	for _, want := range []string{`\"rawEvents\":false`, `\"hourDays\":-1`} {
		if !strings.Contains(out, want) {
			t.Errorf("status does not say %s:\n%s%s", want, out, errs)
		}
	}
	t.Setenv("FOOTFALL_RETENTION_HOUR", "soon")
	if code, _, errs := clitest.Footfall(t, "dev", "--data", dir, "--for", "1s", "--plain"); code != 1 ||
		!strings.Contains(errs, "FOOTFALL_RETENTION_HOUR") {
		t.Errorf("dev with a bad retention: exit code %d, stderr %q", code, errs)
	}
}

// --history fills the past first, and a later start only what lies after the last record; every figure is that of a recount.
func TestDevFillsThePast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func() map[string]int64 {
		t.Helper()
		if code, _, errs := clitest.Footfall(t, "dev", "--data", dir, "--plain", "--for", "100ms", "--sites", "2", "--rate", "20",
			"--history", "4d",
			"--history-events", "500"); code != 0 {
			t.Fatalf("dev: exit code %d, %s", code, errs)
		}
		_, out, errs := clitest.Footfall(t, "query", "stats", "news.example", "--data", dir, "--from", "-5d", "--by", "day", "--output", "json")
		var answer query.StatsAnswer
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		events := map[string]int64{}
		for _, b := range answer.Buckets {
			if !b.InProgress {
				events[b.Start.Format(time.DateOnly)] = b.Events
			}
		}
		return events
	}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly) // Before the first start: the day may end in between.
	first := run()
	if len(first) < 3 {
		t.Fatalf("events by day %v, want some on each of 4 days", first)
	}
	for day, events := range run() {
		if events < first[day] || day < yesterday && events != first[day] {
			t.Errorf("%s has %d events after the second start, and had %d", day, events, first[day])
		}
	}
	if code, out, errs := clitest.Footfall(t, "verify", "--data", dir); code != 0 {
		t.Errorf("verify: exit code %d, %s%s", code, out, errs)
	}
	for _, args := range [][]string{{"--history", "soon"}, {"--history", "800d"}, {"--history-events", "5"},
		{"--history", "1d", "--history-events", "0"}} {
		code, _, errs := clitest.Footfall(t, append([]string{"dev", "--data", dir, "--plain"}, args...)...)
		if code != 2 || !strings.Contains(errs, args[0]) {
			t.Errorf("dev %q: exit code %d, %q, want 2 and the flag", args, code, errs)
		}
	}
}
