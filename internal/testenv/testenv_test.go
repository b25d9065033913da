package testenv

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
)

func TestMain(m *testing.M) { Main(m) }

func TestDynamoDBAnswers(t *testing.T) {
	resp, err := http.Get(DynamoDB(t))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest { // no signature
		t.Errorf("status %s, want 400", resp.Status)
	}
}

func TestBrokerKeepsRecordsOverAKill(t *testing.T) {
	slow.Test(t)
	b := OwnBroker(t)
	topic := Topic(t, b.Addr, 1, map[string]string{"flush.messages": "1"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("before")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	b.Kill(t)
	if err := cl.Ping(ctx); err == nil {
		t.Error("a killed broker answers")
	}
	b.Start(t)
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("after")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	var values []string
	for len(values) < 2 && ctx.Err() == nil {
		cl.PollFetches(ctx).EachRecord(func(r *kgo.Record) { values = append(values, string(r.Value)) })
	}
	if len(values) != 2 || values[0] != "before" || values[1] != "after" {
		t.Errorf("records %q, want before, after", values)
	}
	b.Stop(t)
	b.Start(t)
}

func TestContainerEndsWithItsLifeline(t *testing.T) {
	DynamoDB(t) // Skips where there is no Docker.
	c, err := run(t.Context(), DynamoDBImage(), "")
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	line := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	mu.Unlock()
	gone := line.docker.ContainerWait(t.Context(), c.GetContainerID(), client.ContainerWaitOptions{Condition: "removed"})
	line.input.Close() // as the kernel does when a process dies
	select {
	case <-gone.Result:
	case err := <-gone.Error:
		t.Errorf("the container was not removed: %v", err)
	case <-time.After(5 * time.Minute):
		t.Error("the container still runs five minutes after its lifeline was cut")
	}
}
