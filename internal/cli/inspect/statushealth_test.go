package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestProblemsOfLanes: each lane that needs somebody is named, and no other.
func TestProblemsOfLanes(t *testing.T) {
	lane := func(change func(v *laneStatus)) laneStatus {
		v := laneStatus{ChainView: checkpoint.ChainView{Partition: 3, Lane: checkpoint.LaneStats, Step: 7, Lag: 500}, LagSeconds: new(90.0)}
		change(&v)
		return v
	}
	for _, c := range []struct {
		name, limit string
		lane        laneStatus
		want        string // a part of the problem; "": there is none
	}{
		{"any lag", "", lane(func(*laneStatus) {}), ""},
		{"as many records as permitted", "500", lane(func(*laneStatus) {}), ""},
		{"a record too many", "499", lane(func(*laneStatus) {}), "behind: lag 500 records, 1m30s"},
		{"as old as permitted", "90s", lane(func(*laneStatus) {}), ""},
		{"too old", "89s", lane(func(*laneStatus) {}), "behind"},
		{"no lag is old", "0", lane(func(v *laneStatus) { v.Lag = 0 }), ""},
		{"of unknown age", "1h", lane(func(v *laneStatus) { v.LagSeconds = nil }), "age not known"},
		{"an open flush", "", lane(func(v *laneStatus) { v.OpenFlushSeconds = new(299.0) }), ""},
		{"an open flush for long", "", lane(func(v *laneStatus) { v.OpenFlushSeconds = new(301.0) }), "stuck: flush 7 has been open for 5m1s"},
		{"parked", "", lane(func(v *laneStatus) { v.Park = &checkpoint.Park{Reason: checkpoint.ParkedItem} }), "parked: item"},
		{"a gap", "", lane(func(v *laneStatus) { v.Gap = &checkpoint.Gap{} }), "data gap"},
		{"no checkpoint", "", lane(func(v *laneStatus) { v.Lost = true }), "its checkpoint was deleted"},
	} {
		limit, err := parseLagLimit(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		have := problems([]laneStatus{c.lane}, limit, defaultMaxFlush)
		if c.want == "" && len(have) > 0 || c.want != "" && (len(have) != 1 || !strings.HasPrefix(have[0], "partition 3, lane stats: ") ||
			!strings.Contains(have[0], c.want)) {
			t.Errorf("%s: problems %q, want %q", c.name, have, c.want)
		}
	}
}

// TestStatusOfAStoppedTopic: without any process of footfall, status prints the lag of what was published since, in records and seconds;
// that a checkpoint was deleted; and nothing, with a code of its own, where no broker answers.
func TestStatusOfAStoppedTopic(t *testing.T) {
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	status := func(code int, says string, args ...string) {
		t.Helper()
		got, out, errs := clitest.Footfall(t, append([]string{"status", "--data", dir}, args...)...)
		if got != code || !strings.Contains(out+errs, says) {
			t.Errorf("status %v: exit code %d, stdout\n%s\nstderr %q; want %d and %q", args, got, out, errs, code, says)
		}
	}
	status(0, "lag 0 records; none is stopped.", "--max-lag", "0")

	broker := clitest.Must(embedded.Open(dir))
	client := clitest.Must(kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DefaultProduceTopic(command.DevTopic)))
	old := &kgo.Record{Partition: 1, Value: []byte("x"), Timestamp: time.Now().Add(-time.Hour)}
	if err := client.ProduceSync(t.Context(), old, &kgo.Record{Partition: 1, Value: []byte("y")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	client.Close()
	broker.Close()
	status(0, " 2    1h", "--partition", "1") // LAG and AGE
	status(0, "", "--max-lag", "2")
	status(command.CodeUnwell, "Problem: partition 1, lane stats: behind: lag 2 records, 1h", "--max-lag", "1")
	status(command.CodeUnwell, "Problem: partition 1, lane realtime: behind", "--max-lag", "59m")

	key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: 2}, checkpoint.LaneRealtime)
	table := clitest.Must(connect.Open(t.Context(), clitest.Must(command.ReadDevFile(dir)).Table))
	if _, err := table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	status(command.CodeUnwell, "Problem: partition 2, lane realtime: its checkpoint was deleted")
	status(command.CodeUnwell, "; 1 without a checkpoint that it had.")
	status(command.CodeUnwell, "Partition 2, lane realtime has a history up to flush ")
	got, _, errs := clitest.Footfall(t, "status", "--brokers", "127.0.0.1:1", "--table", clitest.NewTable(t))
	if got != command.CodeUnanswered || errs == "" {
		t.Errorf("status of brokers that do not answer: exit code %d, stderr %q; want %d and why", got, errs, command.CodeUnanswered)
	}
}

// TestStatusIsWatched: status --watch looks until its context ends, and its exit code is that of the last look.
func TestStatusIsWatched(t *testing.T) {
	dir := t.TempDir()
	clitest.DevDirectory(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &looks{want: 3, then: cancel}
	a := &command.App{In: strings.NewReader(""), Out: out, Err: out}
	if code := clitest.Execute(ctx, a, []string{"status", "--data", dir, "--watch=100ms"}); code != 0 || len(out.seen) < 3 ||
		!slices.IsSorted(out.seen) {
		t.Errorf("exit code %d, looks at %q; want 0 and three at least", code, out.seen)
	}
}

// looks ends a watch once it has looked want times.
type looks struct {
	want int
	then func()
	seen []string
}

func (l *looks) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if when, err := time.Parse(time.RFC3339, strings.TrimSpace(line)); err == nil {
			l.seen = append(l.seen, fmt.Sprint(when.Unix()))
		}
	}
	if len(l.seen) >= l.want {
		l.then()
	}
	return len(p), nil
}
