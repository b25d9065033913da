package rebuild_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/sinks"
)

// member starts a member of the consumer group that counts into the live generation. stop drains it; the end of the test does, too.
func member(t *testing.T, o pipeline.Options) (stop func()) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	p, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the member ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// runToFlip runs a job of the first rebuild, which flips.
func runToFlip(t *testing.T, job rebuild.Job) {
	t.Helper()
	job.Log = slog.New(slog.DiscardHandler)
	if job.Compared == nil {
		job.Compared = func(rebuild.Comparison) (bool, error) { return true, nil }
	}
	if r, err := job.Run(t.Context()); err != nil || !r.Flipped || r.Generation != 2 {
		t.Fatalf("Run = %+v, %v", r, err)
	}
}

// TestRebuildBesideTraffic: a rebuild counts old and new records, finds no difference, and becomes the live generation while a member
// counts. Then every figure equals a recount, raw events included, and the former generation can be made live again.
func TestRebuildBesideTraffic(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		start := time.Now()
		records := testpipeline.Traffic(1, 2, 1200, start)
		stop := member(t, w.Options())
		w.Produce(records[:400]...)
		w.Settled()
		next := 400
		more := func() {
			w.Produce(records[next : next+50]...)
			next += 50
		}
		job := rebuild.Job{Pipeline: w.Options(),
			Compared: func(c rebuild.Comparison) (bool, error) {
				if c.Sites != 2 || c.Figures < 50 || len(c.Differ) > 0 {
					t.Errorf("the comparison: %+v", c)
				}
				more()
				return true, nil
			}}
		looks := 0
		job.Progress = func(rebuild.Progress) {
			if looks++; looks%20 == 0 && next < 1000 {
				more()
			}
		}
		runToFlip(t, job)
		has, err := rebuild.Look(t.Context(), w.Table)
		if want := (sinks.Generations{Live: 2, Former: 1, Last: 2}); has != want || err != nil {
			t.Errorf("generations %+v, %v, want %+v", has, err, want)
		}
		w.Produce(records[next:1100]...)
		w.Settled()
		w.Recounted()

		if err := rebuild.Back(t.Context(), w.Table, has); err != nil {
			t.Fatal(err)
		}
		w.Produce(records[1100:]...)
		w.Settled()
		w.Recounted()
		if w.Live() != (sinks.Keys{}) {
			t.Errorf("the live generation has keys %+v", w.Live())
		}
		stop()
	})
}

// TestRebuildSaysThatBrokersAreAway: while the brokers do not answer, a rebuild waits and says for what.
func TestRebuildSaysThatBrokersAreAway(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(1, 1, 400, time.Now())...)
		w.Settled()
		stop()
		var log bytes.Buffer
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.NewTextHandler(&log, nil))}
		job.Pipeline.Log = job.Log
		begun, close := time.Now(), sync.OnceFunc(w.Cluster.Close)
		job.Progress = func(p rebuild.Progress) {
			if time.Since(begun) > 5*time.Second { // It counts, and has flushed nothing.
				close()
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if _, err := job.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v", err)
		}
		for _, want := range []string{"no answer from the brokers", "it needs brokers and a table that answer"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not say %q:\n%s", want, &log)
			}
		}
	})
}

// TestRebuildWithoutMembers: where no member runs, a rebuild makes its generation live, and members count on once they start.
func TestRebuildWithoutMembers(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(1, 2, 600, time.Now())
		stop := member(t, w.Options())
		w.Produce(records[:400]...)
		w.Settled()
		stop()
		runToFlip(t, rebuild.Job{Pipeline: w.Options()})
		stop = member(t, w.Options())
		w.Produce(records[400:]...)
		w.Settled()
		w.Recounted()
		stop()
	})
}

// TestRebuildThatAnotherRunFinishes: a run that waits for the live generation ends once another one has made the new generation live. It
// would wait forever, since no member counts into the former one any more, and would take partitions from members that have nothing to do.
func TestRebuildThatAnotherRunFinishes(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(1, 2, 600, time.Now())
		stop := member(t, w.Options())
		w.Produce(records[:400]...)
		w.Settled()
		stop()
		w.Produce(records[400:]...) // Only the rebuild counts them.
		job := rebuild.Job{Pipeline: w.Options()}
		job.Progress = func(p rebuild.Progress) {
			if has, err := rebuild.Look(t.Context(), w.Table); err == nil && p.Phase == rebuild.Following && has.Building > 0 && p.Behind > 0 {
				if err := rebuild.Flip(t.Context(), w.Table, has); err != nil {
					t.Error(err)
				}
			}
		}
		runToFlip(t, job)
		stop = member(t, w.Options())
		w.Settled()
		stop()
		w.Recounted()
	})
}

// TestRebuildThatIsTooSlowSaysSo: with too few write units to catch up with the live generation, a warning says so.
func TestRebuildThatIsTooSlowSaysSo(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(1, 2, 1200, time.Now())...)
		w.Settled()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		said := errors.New("it was said")
		var text strings.Builder
		log := slog.New(slog.NewTextHandler(writerFunc(func(line []byte) {
			text.Write(line)
			if bytes.Contains(line, []byte("makes no progress")) {
				cancel(said)
			}
		}), nil))
		job := rebuild.Job{Pipeline: w.Options(), WriteUnits: 1, Log: log}
		if _, err := job.Run(ctx); !errors.Is(err, said) || !strings.Contains(text.String(), "writeUnits=1") {
			t.Errorf("Run = %v, and the log has\n%s", err, text.String())
		}
		stop()
	})
}

// writerFunc is a writer of lines.
type writerFunc func(line []byte)

func (w writerFunc) Write(line []byte) (int, error) {
	w(line)
	return len(line), nil
}
