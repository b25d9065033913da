package doctor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// TestClockWarning: a clock is compared with the span between the request and its answer, so that a slow answer is no
// difference.
func TestClockWarning(t *testing.T) {
	now := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   time.Time
		took time.Duration
		want string // "": no warning
	}{
		{"equal", now, time.Second, ""},
		{"a minute behind", now.Add(time.Minute), 0, ""},
		{"the answer took two minutes", now.Add(2 * time.Minute), 2 * time.Minute, ""},
		{"hours ahead", now.Add(-3 * time.Hour), time.Second, "3h0m0s ahead of"},
		{"hours behind", now.Add(3*time.Hour + time.Second), time.Second, "3h0m0s behind"},
	} {
		text := clockDifference("the table", c.at, now, now.Add(c.took))
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// TestClocksOfRealServices: Kafka and DynamoDB Local say what time it is.
func TestClocksOfRealServices(t *testing.T) {
	slow.Unraced(t)
	testenv.SetAWS(t)
	brokers := testenv.Kafka(t)
	name := testenv.UniqueName(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, name)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	kafkaTime := func(ctx context.Context) (time.Time, error) {
		return brokerTime(ctx, []kgo.Opt{kgo.SeedBrokers(brokers)})
	}
	for of, ask := range map[string]func(context.Context) (time.Time, error){"the table": table.ServerTime, "the brokers": kafkaTime} {
		sent := time.Now()
		at, err := ask(t.Context())
		if err != nil {
			t.Errorf("%s: %v", of, err)
		} else if text := clockDifference(of, at, sent, time.Now()); text != "" {
			t.Error(text)
		}
	}
}
