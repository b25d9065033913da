package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/sinks"
)

// errKilled ends a pipeline where it stands: it is neither a throttle nor an unknown outcome, so the process drops
// all it has and writes nothing more, as after kill -9.
var errKilled = errors.New("killed")

// mix says how often a process's requests meet faults.
type mix struct {
	rate    float64       // share of requests that meet a fault
	mortal  float64       // share of requests that kill the process
	latest  time.Duration // a request is applied so long after it was given up at most
	outages []outage
}

// outage is a span of time in which every request for the items of one partition key, or for a site's raw events, is throttled.
type outage struct {
	from, to time.Time
	pk       string
	raw      bool // pk is a site's, and its raw events are throttled
	reason   string
	happening
}

func (o *outage) match(k sinks.Key) bool {
	if o.raw {
		return strings.HasPrefix(k.PK, o.pk+"#") && strings.HasPrefix(k.SK, sinks.EventPrefix)
	}
	return k.PK == o.pk
}

// faulty is a table between a process and the real one. It may refuse, lose answers, apply late, apply twice, take a
// part of a batch, or kill its process.
//
// What happens to a request is decided by what it is, not by when it comes: by the seed, the process, the verb, the
// item, the step or what else tells it from others, and how often it has been tried. A seed therefore has the same
// faults at the same points of the pipeline however goroutines are scheduled. Safe for concurrent use.
type faulty struct {
	sinks.Table
	mix
	seed    uint64
	process string
	cover   *coverage
	tasks   *sync.WaitGroup // requests that are applied late

	killAt    int  // the request that kills, counted from 1; 0: none
	killAfter bool // it is applied first

	mu    sync.Mutex // covers all below
	tries map[string]int
	seen  int
	dead  bool
}

func newFaulty(table sinks.Table, seed uint64, process string, m mix, cover *coverage, tasks *sync.WaitGroup) *faulty {
	return &faulty{Table: table, mix: m, seed: seed, process: process, cover: cover, tasks: tasks, tries: make(map[string]int)}
}

// die ends the process: no further request of it gets through.
func (f *faulty) die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

// kindOf tells the updates of a checkpoint from each other and from those of items.
func kindOf(u sinks.Update) string {
	switch {
	case !strings.HasPrefix(u.Key.PK, "CHAIN#") || strings.HasPrefix(u.Key.SK, "NEWSITES#"):
		return "item"
	case u.Return:
		return "acquire"
	case attr(u.Set, "k").Kind() != sinks.None:
		return "intend"
	}
	return "finish"
}

// pointOf names an update.
func pointOf(u sinks.Update) string {
	step := attr(u.Set, "k").Int()
	for _, c := range u.If {
		step += c.Value.Int() // The mark's, or the epoch and the step.
	}
	return fmt.Sprint(kindOf(u), " ", u.Key, " ", step)
}

// nameOf names an item. The key of an event without an id depends on the topic's id, which no two runs share.
func nameOf(it sinks.Item) string {
	if s := it["source"]; s.Kind() != sinks.None && it["id"].Kind() == sinks.None {
		return it.Key().PK + " " + s.Str()
	}
	return fmt.Sprint(it.Key())
}

// dice are what is drawn for the next try of the request at a point.
func (f *faulty) dice(point string) *rand.Rand {
	f.mu.Lock()
	f.tries[point]++
	try := f.tries[point]
	f.mu.Unlock()
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%s/%d", f.seed, f.process, point, try)
	return rand.New(rand.NewPCG(h.Sum64(), f.seed))
}

// kill reports whether the process is dead, or dies at this request, and whether the request gets through before.
func (f *faulty) kill(dice *rand.Rand, point string) (dead, before bool) {
	mortal := f.mortal
	if strings.HasPrefix(point, "intend") { // Most can go wrong between an intent and the first write.
		mortal *= 5
	}
	hit := dice.Float64() < mortal
	after := dice.IntN(2) == 0
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	switch {
	case f.dead:
		return true, false
	case hit:
	case f.killAt > 0 && f.seen == f.killAt:
		after = f.killAfter
	default:
		return false, false
	}
	f.dead = true
	if after {
		f.cover.hit(onKillAfter)
	} else {
		f.cover.hit(onKill)
	}
	return true, after
}

func (f *faulty) throttle(reason string) error {
	f.cover.hit(onThrottled[reason])
	return &sinks.ThrottleError{Reasons: []string{reason}}
}

// sending is a request that is about to be sent.
type sending[R any] struct {
	point  string
	keys   []sinks.Key // the items that it is about
	writes bool
	send   func(context.Context) (R, error)
}

// around sends a request, with what is drawn for it.
func around[R any](ctx context.Context, f *faulty, q sending[R]) (answer R, err error) {
	dice := f.dice(q.point)
	if dead, before := f.kill(dice, q.point); dead {
		if before {
			q.send(ctx)
		}
		return answer, errKilled
	}
	for _, o := range f.outages {
		if now := time.Now(); now.After(o.from) && now.Before(o.to) && slices.ContainsFunc(q.keys, o.match) {
			f.cover.hit(o.happening)
			return answer, f.throttle(o.reason)
		}
	}
	if f.rate > 0 && (strings.HasPrefix(q.point, "intend") || strings.HasPrefix(q.point, "finish")) && dice.IntN(8) == 0 {
		f.cover.hit(onCheckpointAgain) // It may meet its process at any point of the steps that follow.
		later(f, time.Duration(dice.Float64()*float64(20*time.Second)), q)
		return q.send(ctx)
	}
	if dice.Float64() >= f.rate {
		return q.send(ctx)
	}
	span := time.Duration(dice.Float64() * float64(f.latest))
	faults := 9
	if !q.writes {
		faults = 4 // The others are about what is written.
	}
	switch dice.IntN(faults) {
	case 0, 1:
		reasons := throttles[q.writes]
		return answer, f.throttle(reasons[dice.IntN(len(reasons))])
	case 2:
		f.cover.hit(onRefused)
		return answer, fmt.Errorf("connection refused: %w", sinks.ErrUnknownOutcome)
	case 3:
		f.cover.hit(onSlow)
		time.Sleep(min(span/60, 10*time.Second))
		return q.send(ctx)
	case 4:
		f.cover.hit(onLostAnswer)
		q.send(ctx)
		return answer, fmt.Errorf("connection reset: %w", sinks.ErrUnknownOutcome)
	case 5:
		f.cover.hit(onApplied500)
		q.send(ctx)
		return answer, fmt.Errorf("status 500: %w", sinks.ErrUnknownOutcome)
	case 6:
		f.cover.hit(onHeld)
		later(f, span, q)
		return answer, fmt.Errorf("timed out: %w", sinks.ErrUnknownOutcome)
	case 7:
		f.cover.hit(onTwice)
		q.send(ctx)
		return q.send(ctx)
	default:
		f.cover.hit(onAgain)
		later(f, span, q)
		return q.send(ctx)
	}
}

// later sends a request after a while. Whatever is answered, nobody hears it.
func later[R any](f *faulty, span time.Duration, q sending[R]) {
	f.tasks.Go(func() {
		time.Sleep(span)
		q.send(context.Background())
	})
}

func (f *faulty) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{pointOf(u), []sinks.Key{u.Key}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Update(ctx, u) }})
}

func (f *faulty) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{"put " + nameOf(p.Item), []sinks.Key{p.Item.Key()}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Put(ctx, p) }})
}

func (f *faulty) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{fmt.Sprint("delete ", d.Key), []sinks.Key{d.Key}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Delete(ctx, d) }})
}

func (f *faulty) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = nameOf(it.Item())
	}
	point := "batchPut " + slices.Min(names)
	n := f.part(point, len(items), onPartPut)
	answer, err := around(ctx, f, sending[sinks.BatchResult]{point, keysOf(items), true,
		func(ctx context.Context) (sinks.BatchResult, error) { return f.Table.BatchPut(ctx, items[:n]) }})
	answer.Left = append(answer.Left, keysOf(items[n:])...)
	return answer, err
}

func (f *faulty) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	names := make([]string, len(g.Keys))
	for i, k := range g.Keys {
		names[i] = fmt.Sprint(k)
	}
	keys, point := g.Keys, "batchGet "+slices.Min(names)
	n := f.part(point, len(keys), onPartGet)
	g.Keys = keys[:n]
	answer, err := around(ctx, f, sending[sinks.BatchResult]{point, keys, false,
		func(ctx context.Context) (sinks.BatchResult, error) { return f.Table.BatchGet(ctx, g) }})
	answer.Left = append(answer.Left, keys[n:]...)
	return answer, err
}

// part is how many of a batch of n are taken: all of them, or at least one.
func (f *faulty) part(point string, n int, h happening) int {
	dice := f.dice("part of " + point)
	if n < 2 || dice.Float64() >= 2*f.rate {
		return n
	}
	f.cover.hit(h)
	return 1 + dice.IntN(n-1)
}

func (f *faulty) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	// The hours that are sealed are many in reality: what comes of them takes long enough for steps to be written meanwhile.
	if point := q.PK + q.From; strings.HasPrefix(q.From, sinks.UniquesPrefix) {
		defer func() { time.Sleep(time.Duration(f.dice("sealing "+point).IntN(3000)) * time.Millisecond) }()
	}
	return around(ctx, f, sending[sinks.Page]{fmt.Sprint("query ", q.PK, q.Prefix, q.After), nil, false,
		func(ctx context.Context) (sinks.Page, error) { return f.Table.Query(ctx, q) }})
}

func keysOf(items []sinks.Attrs) []sinks.Key {
	keys := make([]sinks.Key, len(items))
	for i, it := range items {
		keys[i] = it.Key()
	}
	return keys
}

// TestFaultsAreThoseOfTheRequest: which requests meet which fault does not depend on the order in which they come.
func TestFaultsAreThoseOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		met := func(order []int) (map[int]string, *coverage) {
			var tasks sync.WaitGroup
			answers, cover := make(map[int]string), newCoverage()
			f := newFaulty(discard{}, 7, "process", mix{rate: 0.5, latest: time.Minute}, cover, &tasks)
			for _, i := range order {
				for try := range 3 {
					_, err := f.Update(t.Context(), sinks.Update{Key: sinks.Key{PK: "SITE#s", SK: fmt.Sprint(i)}})
					answers[10*i+try] = fmt.Sprint(err)
				}
			}
			tasks.Wait()
			return answers, cover
		}
		order := rand.New(rand.NewPCG(1, 1)).Perm(100)
		one, coverOne := met(order)
		slices.Reverse(order)
		two, coverTwo := met(order)
		if !maps.Equal(one, two) || !maps.Equal(coverOne.count, coverTwo.count) {
			t.Errorf("in another order other requests met faults: %v and %v", coverOne, coverTwo)
		}
		if len(coverOne.count) < 10 {
			t.Errorf("of all faults they met only %v", coverOne)
		}
	})
}

// discard is a table that takes every update and keeps none.
type discard struct{ sinks.Table }

func (discard) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{}, nil
}
