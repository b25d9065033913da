package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/sinks"
)

// Rebuilds in a simulation: while members come and go, an operator counts the topic once more into another generation of items. The job is
// killed, interrupted, or stands still while another one continues, until the new generation is live. Then the operator may go back, and
// forth again.

// simRebuild is the rebuild of a simulation.
type simRebuild struct {
	dice  *rand.Rand // nil: there is none
	begun bool

	mu      sync.Mutex // covers all below
	running bool
	left    int // jobs that stand still, or have until a while ago
}

// mayRebuild draws whether the table is rebuilt.
func (s *simulation) mayRebuild() {
	if dice := rand.New(rand.NewPCG(s.seed, 18)); dice.IntN(4) > 0 {
		s.rebuild.dice = dice
	}
}

// startMember starts a process: where there is a rebuild, one that continues with the generation that is live.
func (s *simulation) startMember(o pipeline.Options) *testpipeline.Process {
	if s.rebuild.dice == nil {
		return s.Start(o)
	}
	p, err := live.New(o)
	s.must(err)
	return s.world.Run(p)
}

// rebuildNow begins the rebuild, now or at one of the next times.
func (s *simulation) rebuildNow() {
	r := &s.rebuild
	if r.dice == nil || r.begun || r.dice.IntN(3) > 0 {
		return
	}
	r.begun, r.running = true, true
	o := s.world.Options()
	o.ServerBalanced, o.Settings = s.kip848, s.own()
	o.Settings.RawPacked = s.packing != nil && r.dice.IntN(2) == 0
	s.readSchemas(&o)
	o.StatsInterval = time.Duration(1+r.dice.IntN(8)) * time.Second
	o.RealtimeInterval = time.Duration(1+r.dice.IntN(4)) * time.Second
	o.Seal.Interval, o.Seal.After = time.Duration(1+r.dice.IntN(6))*time.Second, s.sealAfter
	if r.dice.IntN(4) == 0 {
		o.Limits.StepItems = 20
	}
	s.used = append(s.used, o.Settings)
	faults := s.faults // Outages come to it.
	s.tasks.Go(func() {
		s.rebuildToTheEnd(r.dice, o, faults)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running = false
	})
	s.lookOn()
}

// rebuilding reports whether the rebuild is under way.
func (s *simulation) rebuilding() bool {
	s.rebuild.mu.Lock()
	defer s.rebuild.mu.Unlock()
	return s.rebuild.running
}

// rebuildToTheEnd runs jobs until the rebuilt generation is live, and perhaps goes back.
func (s *simulation) rebuildToTheEnd(dice *rand.Rand, o pipeline.Options, faults mix) {
	surprised := false // An earlier run, or a late request of one, was about to flip: once.
	for attempt := 1; ; attempt++ {
		if s.patience.Err() != nil {
			return
		}
		has := s.generations()
		if has.Live > 1 {
			break
		}
		calm := s.calm.Load()
		r, err := s.runJob(rand.New(rand.NewPCG(dice.Uint64(), 19)), o, faults, attempt)
		switch {
		case err == nil && r.Flipped:
			s.cover.Hit(onRebuilt)
		case err == nil:
			s.cover.Hit(onRebuildLeft)
			if dice.IntN(4) == 0 {
				s.giveUpBuilding()
			}
		case errors.Is(err, errStandsStill):
			s.cover.Hit(onRebuildStopped)
		case isPurged(err):
			surprised = false
			s.giveUpBuilding()
		case strings.Contains(err.Error(), "footfall upgrade finalize"):
			s.cover.Hit(onRebuildRefused)
			if calm { // It is not finalized any more.
				return
			}
		default:
			s.cover.Hit(onRebuildCut)
			s.tell("rebuild", err.Error())
			late := !surprised && errors.Is(err, checkpoint.ErrNoRebuild)
			surprised = surprised || late
			if calm && !late && !s.othersRebuild() {
				s.problem("rebuild, run %d, without faults: %v", attempt, err)
				return
			}
		}
		time.Sleep(time.Duration(dice.IntN(8000)) * time.Millisecond)
	}
	s.must(rebuild.Finish(context.Background(), s.Table))
	for range dice.IntN(3) {
		time.Sleep(time.Duration(dice.IntN(60_000)) * time.Millisecond)
		s.goBack(dice)
	}
}

// isPurged reports whether a rebuild has to begin again, since a site was purged.
func isPurged(err error) bool {
	_, ok := errors.AsType[*rebuild.PurgedError](err)
	return ok
}

func (s *simulation) generations() sinks.Generations {
	has, err := rebuild.Look(context.Background(), s.Table)
	s.must(err)
	return has
}

// giveUpBuilding drops what is being rebuilt.
func (s *simulation) giveUpBuilding() {
	if has := s.generations(); has.Building == 0 || has.Former > 0 || s.othersRebuild() {
		return
	}
	if _, err := rebuild.Drop(context.Background(), s.Table); err != nil && !errors.Is(err, rebuild.ErrChanged) {
		s.problem("drop what is being rebuilt: %v", err)
		return
	}
	s.cover.Hit(onRebuildGivenUp)
}

// othersRebuild reports whether a job runs that stood still for a while.
func (s *simulation) othersRebuild() bool {
	s.rebuild.mu.Lock()
	defer s.rebuild.mu.Unlock()
	return s.rebuild.left > 0
}

var errStandsStill = errors.New("the job stands still")

// runJob runs a job to its end, or leaves it while it stands still: then the error is errStandsStill.
func (s *simulation) runJob(dice *rand.Rand, o pipeline.Options, faults mix, attempt int) (rebuild.Result, error) {
	name := fmt.Sprint("rebuild-", attempt)
	end := none
	if s.calm.Load() {
		faults = mix{}
	} else if end = ending(dice.IntN(6)); dice.IntN(2) == 0 {
		faults.Mortal = 1.0 / float64(50+dice.IntN(500))
	}
	table := testpipeline.NewFaulty(s.Table, s.seed, name, faults, s.cover, &s.tasks)
	still := &stopped{Table: table}
	ctx, cancel := context.WithCancel(s.patience)
	o.Table, o.Log = still, slog.New(voice{func(line string) { s.tell(name, line) }})
	job := rebuild.Job{Pipeline: o, Today: s.seed%3 == 0, Log: o.Log, Look: time.Duration(100+dice.IntN(2000)) * time.Millisecond,
		Compared: func(rebuild.Comparison) (bool, error) { return s.calm.Load() || dice.IntN(3) > 0, nil }}
	run := job.Run
	if s.copies != nil && s.copies.restored {
		run = func(ctx context.Context) (rebuild.Result, error) {
			r, err := job.Resume(ctx)
			s.copies.mended(r.Mended)
			return rebuild.Result{Flipped: err == nil}, err
		}
	}
	type result struct {
		rebuild.Result
		err error
	}
	ended := make(chan result, 1)
	span, standing := time.Duration(dice.IntN(60_000))*time.Millisecond, time.Duration(dice.IntN(300_000))*time.Millisecond
	s.tasks.Go(func() {
		defer cancel()
		r, err := run(ctx)
		ended <- result{r, err}
	})
	var over <-chan time.Time
	if end != none {
		over = time.After(span)
	}
	select {
	case r := <-ended:
		return r.Result, r.err
	case <-over:
	}
	switch end {
	case standsStill:
		still.stop(standing)
		s.rebuild.mu.Lock()
		s.rebuild.left++
		s.rebuild.mu.Unlock()
		s.tasks.Go(func() {
			r := <-ended
			s.tell(name, fmt.Sprint("stood still, and ended: ", r.err))
			s.rebuild.mu.Lock()
			defer s.rebuild.mu.Unlock()
			s.rebuild.left--
		})
		return rebuild.Result{}, errStandsStill
	case killed:
		table.Die()
	}
	cancel()
	r := <-ended
	return r.Result, r.err
}

// ending is how a job ends before its time.
type ending int

const (
	killed ending = iota
	interrupted
	standsStill
	none // and more
)

// stopped is a table of a process that is stopped for a while.
type stopped struct {
	sinks.Table
	mu    sync.Mutex // covers until
	until time.Time
}

func (t *stopped) Unwrap() sinks.Table { return t.Table }

func (t *stopped) stop(span time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = time.Now().Add(span)
}

func (t *stopped) wait() {
	t.mu.Lock()
	left := time.Until(t.until)
	t.mu.Unlock()
	time.Sleep(left)
}

func (t *stopped) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	t.wait()
	return t.Table.Update(ctx, u)
}

func (t *stopped) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	t.wait()
	return t.Table.Put(ctx, p)
}

func (t *stopped) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	t.wait()
	return t.Table.BatchPut(ctx, items)
}

func (t *stopped) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	t.wait()
	return t.Table.BatchGet(ctx, g)
}

func (t *stopped) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	t.wait()
	return t.Table.Query(ctx, q)
}

// goBack makes the former generation live. A way back that is cut short is finished.
func (s *simulation) goBack(dice *rand.Rand) {
	ctx, before := context.Background(), s.generations()
	table := s.Table
	if dice.IntN(2) == 0 {
		table = &cutUpdates{cutShort{Table: table, at: 1 + dice.IntN(4), applied: dice.IntN(2) == 0}}
	}
	if err := rebuild.Back(ctx, table, before); errors.Is(err, errKilled) {
		s.cover.Hit(onRebuildBackCut)
		time.Sleep(time.Duration(dice.IntN(20_000)) * time.Millisecond)
		s.must(rebuild.Finish(ctx, s.Table))
		if s.generations().Live == before.Live {
			s.must(rebuild.Back(ctx, s.Table, before))
		}
	} else if err != nil {
		s.problem("back: %v", err)
		return
	}
	s.cover.Hit(onRebuildBack)
	want := before
	want.Live, want.Former = before.Former, before.Live
	if has := s.generations(); has != want {
		s.problem("back: generations %+v, want %+v", has, want)
	}
}

// counted are the chains of the topic in a generation of items.
type counted struct {
	keys  sinks.Keys
	topic int64 // its number
}

// in returns the chains of a generation.
func (s *simulation) in(keys sinks.Keys) counted {
	number, ok, err := sinks.LoadTopic(context.Background(), s.Table, keys, s.Topic)
	s.must(err)
	if !ok {
		s.T.Fatalf("generation %d has no topic", keys.Generation)
	}
	return counted{keys, number}
}

// live returns the chains of the live generation.
func (s *simulation) live() counted { return s.in(s.world.Live()) }

// head reads the head of a chain.
func (c counted) head(w *world, partition int32, lane string) checkpoint.Head {
	head, err := checkpoint.ReadHead(w.Item(c.keys.Checkpoint(sinks.TP{Topic: c.topic, Partition: partition}, lane)))
	if err != nil {
		w.T.Fatal(err)
	}
	return head
}

// voice is a log that people read.
type voice struct{ say func(line string) }

func (voice) Enabled(context.Context, slog.Level) bool { return true }
func (v voice) WithAttrs([]slog.Attr) slog.Handler     { return v }
func (v voice) WithGroup(string) slog.Handler          { return v }

func (v voice) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	v.say(line)
	return nil
}
