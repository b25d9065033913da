package records

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

func TestFailedReplayPublishesOnce(t *testing.T) {
	c := clitest.NewBroker(t)
	cl := clitest.Must(kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner())))
	defer cl.Close()
	for _, topic := range []string{"events", "bad"} {
		clitest.Must(kadm.NewClient(cl).CreateTopic(t.Context(), 2, 1, nil, topic))
	}
	url := "sqlite://" + filepath.Join(t.TempDir(), "table")
	table := clitest.Must(connect.Open(t.Context(), url))
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	clitest.Must(sinks.EnsureTableSettings(t.Context(), table.Table, sinks.Keys{}, nil))
	clitest.Must(sinks.EnsureTopic(t.Context(), table.Table, sinks.Keys{}, "events"))
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UnixMilli()
	for i, reason := range []string{"missing_site", "missing_site", "bad_json"} {
		e := &kgo.Record{Topic: "bad", Value: []byte("{}")}
		for _, h := range [][2]any{{event.HeaderReason, reason}, {event.HeaderTopic, "events"}, {event.HeaderPartition, i % 2},
			{event.HeaderTopicID, strings.Repeat("0", 32)}, {event.HeaderOffset, i}, {event.HeaderTime, now}} {
			e.Headers = append(e.Headers, kgo.RecordHeader{Key: h[0].(string), Value: clitest.Must(json.Marshal(h[1]))})
			if text, ok := h[1].(string); ok {
				e.Headers[len(e.Headers)-1].Value = []byte(text)
			}
		}
		if err := cl.ProduceSync(t.Context(), e).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		return clitest.Footfall(t, append([]string{"failed", "replay", "--brokers", strings.Join(c.ListenAddrs(), ","), "--topic", "events",
			"--kafka-failed-topic", "bad", "--table", url}, args...)...)
	}
	checkFailedList(t, "--brokers", strings.Join(c.ListenAddrs(), ","), "--topic", "events", "--kafka-failed-topic", "bad")
	code, out, errs := run("--dry-run")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "Would publish 3 entries of topic \"bad\" to topic \"events\".\n") ||
		!strings.Contains(out, "0 of them would be counted, or repeat an event, and 3 rejected again: 3 as missing_site.\n") ||
		!strings.Contains(out, "missing_site  2              2\n") || !strings.Contains(out, "1          1\n") ||
		clitest.Held(t, c, "events") != 0 {
		t.Errorf("dry run: exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
	for i, want := range []int64{2, 0} {
		code, out, errs := run("--reason", "missing_site", "-o", "json")
		var s replay.Summary
		warned := strings.HasPrefix(errs, "warning: of 2 records to publish, 2 would only be rejected again by the settings of now: "+
			"2 as missing_site.")
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 || warned != (want > 0) {
			t.Fatalf("run %d: exit code %d, %v, stderr %q, stdout %s", i, code, err, errs, out)
		}
		if s.Topic != "events" || s.FailedTopic != "bad" || s.Published != want || s.ByReason[event.MissingSite] != want ||
			s.Skipped[replay.NotChosen][event.BadJSON] != int64(1-i) { // The second run begins after it.
			t.Errorf("run %d: %+v", i, s)
		}
	}
	if code, out, errs = run("--limit", "5"); code != 0 || !strings.Contains(errs, "1 as missing_site") ||
		!strings.HasPrefix(out, "Published 1 entry of") {
		t.Errorf("the rest: exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
}

func TestFailedReplayUsage(t *testing.T) {
	clitest.Refused(t, "failed replay",
		clitest.WrongUsage{Args: "--output csv", Says: "choose table or json"},
		clitest.WrongUsage{Args: "--reason late", Says: "choose from too_large, empty"},
		clitest.WrongUsage{Args: "--limit -1", Says: "--limit"},
		clitest.WrongUsage{Args: "--from the-other-day", Says: "--from"},
		clitest.WrongUsage{Args: "--open maybe", Says: "choose published or unpublished"},
		clitest.WrongUsage{Args: "shop.example", Says: "unexpected argument"},
	)
	clitest.NoDevDirectory(t, "failed replay")
}
