package footfalltest_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// example is the test that an Example does not have, and a test that may fail. It ends with panic(t) where a test ends.
type example struct {
	testing.TB
	cleanups []func()
	failures []string
}

func (t *example) Helper()                  {}
func (t *example) Output() io.Writer        { return os.Stderr }
func (t *example) Context() context.Context { return context.Background() }
func (t *example) Cleanup(f func())         { t.cleanups = append(t.cleanups, f) }

func (t *example) TempDir() string {
	dir, err := os.MkdirTemp("", "footfalltest-")
	if err != nil {
		panic(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (t *example) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}

func (t *example) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(t)
}

// end cleans up as the end of a test does, and prints what has failed.
func (t *example) end() {
	if r := recover(); r != nil && r != t {
		panic(r)
	}
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
	for _, text := range t.failures {
		fmt.Println(text)
	}
}

// late is a test whose time limit has passed.
type late struct{ *example }

func (late) Deadline() (time.Time, bool) { return time.Time{}, true }

// failure is what f fails with; "": it does not.
func failure(f func(t testing.TB)) string {
	t := new(example)
	func() {
		defer func() {
			if r := recover(); r != nil && r != t {
				panic(r)
			}
		}()
		f(t)
	}()
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
	return strings.Join(t.failures, "\n")
}

func stats(t *testing.T, f *footfalltest.Footfall, p query.StatsParams) query.StatsAnswer {
	t.Helper()
	answer, err := f.Query().Stats(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Everything that was published is in the table, in both lanes, whenever Settle returns.
func TestSettledEventsAreInTheTable(t *testing.T) {
	t.Parallel()
	f := footfalltest.Start(t, footfalltest.Options{})
	f.Settle(t) // Nothing is there to wait for.
	const site = "shop.example"
	for round := range int64(3) {
		f.Publish(t, footfalltest.Event{SiteID: site, VisitorID: "v-1"}, footfalltest.Event{SiteID: site, VisitorID: "v-2"})
		f.Settle(t)
		answer := stats(t, f, query.StatsParams{Site: site, From: time.Now().Add(-24 * time.Hour), Consistent: true})
		if want := 2 * (round + 1); answer.Totals == nil || answer.Totals.PageViews != want {
			t.Fatalf("round %d: %+v, want %d page views", round, answer.Totals, want)
		}
		live, err := f.Query().Realtime(t.Context(), query.RealtimeParams{Site: site})
		if err != nil {
			t.Fatal(err)
		}
		if live.CurrentVisitors != 2 {
			t.Fatalf("round %d: %d visitors now, want 2", round, live.CurrentVisitors)
		}
	}
}

// Totals say what became of records that a producer sends: counted, repeated, no events.
func TestTotalsNameWhatIsRejected(t *testing.T) {
	t.Parallel()
	f := footfalltest.Start(t, footfalltest.Options{Partitions: 1})
	twice := footfalltest.Event{SiteID: "shop.example", SessionID: "s-1", ID: "order-1729"}
	f.Publish(t, twice, twice)
	f.PublishRecords(t, kgo.StringRecord("no event"), kgo.StringRecord(`{"siteId":"shop.example"}`))
	f.Settle(t)
	got := fmt.Sprint(f.Totals(t))
	if want := "{1 1 map[bad_json:1 missing_type:1]}"; got != want {
		t.Errorf("totals %s, want %s", got, want)
	}
}

// With a clock that stands still, dates of any year are counted as if they were today's.
func TestClockMayStandStill(t *testing.T) {
	t.Parallel()
	noon := time.Date(2019, 5, 12, 12, 0, 0, 0, time.UTC)
	f := footfalltest.Start(t, footfalltest.Options{Now: func() time.Time { return noon }})
	f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1"},
		footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", Time: noon.Add(-26 * time.Hour)})
	f.Settle(t)
	answer := stats(t, f, query.StatsParams{Site: "shop.example", From: noon.Add(-72 * time.Hour), By: query.Day})
	var days []string
	for _, day := range answer.Buckets {
		days = append(days, fmt.Sprint(day.Start.Format(time.DateOnly), " ", day.PageViews))
	}
	if got := strings.Join(days, ", "); got != "2019-05-11 1, 2019-05-12 1" {
		t.Errorf("page views by day: %s", got)
	}
}

// Brokers that run already are used with topics that this creates, or that are there.
func TestBrokersMayBeGiven(t *testing.T) {
	t.Parallel()
	first := footfalltest.Start(t, footfalltest.Options{})
	second := footfalltest.Start(t, footfalltest.Options{Brokers: first.Brokers()})
	if second.Topic() == first.Topic() {
		t.Fatalf("both use topic %q", first.Topic())
	}
	first.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1"})
	third := footfalltest.Start(t, footfalltest.Options{Brokers: first.Brokers(), Topic: first.Topic()})
	for _, f := range []*footfalltest.Footfall{first, second, third} {
		f.Settle(t)
	}
	if got := second.Totals(t).Counted; got != 0 {
		t.Errorf("%d events of another topic are counted", got)
	}
}

// What cannot succeed ends the test, and says why.
func TestFailuresSayWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		test func(t testing.TB)
		want string
	}{
		{"partitions", func(t testing.TB) { footfalltest.Start(t, footfalltest.Options{Partitions: -1}) }, "Partitions is -1: choose"},
		{"options", func(t testing.TB) {
			footfalltest.Start(t, footfalltest.Options{Pipeline: func(o *pipeline.Options) { o.Topic = "" }})
		}, "Topic is empty"},
		{"event", func(t testing.TB) {
			f := footfalltest.Start(t, footfalltest.Options{})
			f.Publish(t, footfalltest.Event{SiteID: "shop.example", SessionID: "s"}, footfalltest.Event{SiteID: "shop.example"})
		}, "event 2 of 2 is rejected as"},
		{"pipeline", func(t testing.TB) {
			uncreated := new(memory.Table)
			f := footfalltest.Start(t, footfalltest.Options{Pipeline: func(o *pipeline.Options) { o.Table = uncreated }})
			f.Publish(t, footfalltest.Event{SiteID: "shop.example", SessionID: "s"})
			f.Settle(t)
		}, "the pipeline has ended, "},
		{"deadline", func(t testing.TB) {
			f := footfalltest.Start(t, footfalltest.Options{Partitions: 1, Pipeline: func(o *pipeline.Options) { o.Topic = "absent" }})
			f.Publish(t, footfalltest.Event{SiteID: "shop.example", SessionID: "s"})
			f.Settle(late{t.(*example)})
		}, "not counted in time: partition 0, lane realtime: offsets 0 to 0; partition 0, lane stats: offsets 0 to 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := failure(c.test); !strings.Contains(got, c.want) {
				t.Errorf("failed with %q, want %q", got, c.want)
			}
		})
	}
}

// firstStats remembers an update of a site's figures.
type firstStats struct {
	sinks.Table
	update chan sinks.Update // holds one
}

func (s firstStats) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if sinks.EntityOf(u.Key) == sinks.EntityStats && len(u.Add) > 0 {
		select {
		case s.update <- u:
		default:
		}
	}
	return s.Table.Update(ctx, u)
}

// A partition that stops does not hold the test up until its time limit.
func TestParkedPartitionEndsTheTest(t *testing.T) {
	t.Parallel()
	seen := firstStats{update: make(chan sinks.Update, 1)}
	f := footfalltest.Start(t, footfalltest.Options{Partitions: 1, Pipeline: func(o *pipeline.Options) {
		seen.Table = o.Table
		o.Table = seen
	}})
	at := time.Now()
	f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", Time: at})
	f.Settle(t)
	u := <-seen.update
	damage := sinks.Update{Key: u.Key, Set: []sinks.Attr{{Name: u.Add[0].Name, Value: sinks.Str("no number")}}}
	if _, err := seen.Table.Update(t.Context(), damage); err != nil {
		t.Fatal(err)
	}
	f.Publish(t, footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", Time: at})
	if got := failure(func(t testing.TB) { f.Settle(t) }); !strings.Contains(got, "partition 0 is parked: item SITE#shop.example / ") {
		t.Errorf("failed with %q", got)
	}
}
