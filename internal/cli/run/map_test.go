package run_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
)

// TestRunMapsRecords: with event.map, run counts records of another shape and rejects what the mapping refuses. Commands that publish
// events refuse the configuration.
func TestRunMapsRecords(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i := range 20 {
		value := fmt.Appendf(nil, `{"shop":"shop.example","at":%d,"who":{"id":"v%d"}}`, time.Now().Unix(), i)
		if i == 7 {
			value = []byte(`{"shop":"shop.example","at":"noon","who":{"id":"v"}}`)
		}
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "events", Value: value}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FOOTFALL_EVENT_MAP", "siteId=shop,timestamp=at,visitorId=who.id")
	t.Setenv("FOOTFALL_EVENT_SET", "type=page_view")
	t.Setenv("FOOTFALL_EVENT_TIME_UNIT", "s")
	table := clitest.NewTable(t)
	flags := []string{"--brokers", cluster.ListenAddrs()[0], "--table", table}
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
		code <- clitest.Execute(ctx, a, append([]string{"run", "--intervals-stats", "1s", "--intervals-realtime", "100ms"}, flags...))
	}()
	clitest.Eventually(t, "all records are written down", func() bool {
		next, err := clitest.ChainOffsetsOf(t, table, "events", 1)
		return err == nil && next[0] == 20
	})
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d of run, want 0", got)
	}
	for want, args := range map[string][]string{
		`timestamp: \"noon\" is not a number`: {"failed", "list", "--output", "json"}, "shop.example": {"site", "list"},
		"pack 19": {"verify"},
	} {
		own := flags
		if args[0] == "site" {
			own = flags[2:]
		}
		if code, out, errs := clitest.Footfall(t, append(args, own...)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, stderr %q, want %q in\n%s", args, code, errs, want, out)
		}
	}
	for _, args := range [][]string{{"produce", "--events", "1"}, {"collect", "--sites", "none.yaml"}, {"dev", "--for", "1s"}} {
		if code, _, errs := clitest.Footfall(t, args...); code == 0 || !strings.Contains(errs, "event.* makes events of the records of") {
			t.Errorf("%v: exit code %d, stderr %q, want a refusal", args, code, errs)
		}
	}
}
