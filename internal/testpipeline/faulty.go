package testpipeline

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Attr is the value of an attribute that a request sets.
func Attr(list []sinks.Attr, name string) sinks.Value {
	for _, a := range list {
		if a.Name == name {
			return a.Value
		}
	}
	return sinks.Value{}
}

// ErrKilled ends a pipeline where it stands: it is neither a throttle nor an unknown outcome, so the process drops
// all it has and writes nothing more, as after kill -9.
var ErrKilled = errors.New("killed")

// Mix says how often a process's requests meet faults.
type Mix struct {
	Rate    float64       // share of requests that meet a fault
	Mortal  float64       // share of requests that kill the process
	Latest  time.Duration // a request is applied so long after it was given up at most
	Outages []Outage
}

// Outage is a span of time in which every request for the items of one partition key, or for a site's raw events, is throttled.
type Outage struct {
	From, To time.Time
	PK       string
	Raw      bool // PK is a site's, and its raw events are throttled
	Reason   string
	Happening
}

func (o *Outage) match(k sinks.Key) bool {
	if o.Raw {
		return strings.HasPrefix(k.PK, o.PK+"#") && strings.HasPrefix(k.SK, sinks.EventPrefix)
	}
	return k.PK == o.PK
}

// Faulty is a table between a process and the real one. It may refuse, lose answers, apply late, apply twice, take a
// part of a batch, or kill its process.
//
// What happens to a request is decided by what it is, not by when it comes: by the seed, the process, the verb, the
// item, the step or what else tells it from others, and how often it has been tried. A seed therefore has the same
// faults at the same points of the pipeline however goroutines are scheduled. Safe for concurrent use.
type Faulty struct {
	sinks.Table
	Mix
	seed    uint64
	process string
	cover   *Coverage
	tasks   *sync.WaitGroup // requests that are applied late

	KillAt    int  // the request that kills, counted from 1; 0: none
	KillAfter bool // it is applied first

	mu    sync.Mutex // covers all below
	tries map[string]int
	seen  int
	dead  bool
}

// NewFaulty puts faults before a table, for one process.
func NewFaulty(table sinks.Table, seed uint64, process string, m Mix, cover *Coverage, tasks *sync.WaitGroup) *Faulty {
	return &Faulty{Table: table, Mix: m, seed: seed, process: process, cover: cover, tasks: tasks, tries: make(map[string]int)}
}

// Unwrap returns the table that answers.
func (f *Faulty) Unwrap() sinks.Table { return f.Table }

// Die ends the process: no further request of it gets through.
func (f *Faulty) Die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

// KindOf returns what an update does: which change of a checkpoint, or a change of an item.
func KindOf(u sinks.Update) string {
	switch _, ok := TopicOf(u.Key.PK); {
	case !ok || strings.HasPrefix(u.Key.SK, "NEWSITES#"):
		return "item"
	case u.Return:
		return "acquire"
	case Attr(u.Set, "k").Kind() != sinks.None:
		return "intend"
	case Attr(u.Set, "ids").Kind() != sinks.None:
		return "learn"
	}
	return "finish"
}

// TopicOf returns the number of the topic whose chains have a partition key, in whichever generation; false: it is no such key.
func TopicOf(pk string) (topic int64, ok bool) {
	if keys := sinks.KeysOf(pk); keys.Generation > 1 {
		pk = strings.TrimPrefix(pk, fmt.Sprintf("G%d#", keys.Generation))
	}
	number, ok := strings.CutPrefix(pk, "CHAIN#")
	topic, err := strconv.ParseInt(number, 10, 64)
	return topic, ok && err == nil
}

// pointOf names an update.
func pointOf(u sinks.Update) string {
	step := Attr(u.Set, "k").Int()
	for _, c := range u.If {
		step += c.Value.Int() // The mark's, or the epoch and the step.
	}
	return fmt.Sprint(KindOf(u), " ", u.Key, " ", step)
}

// nameOf names an item. The key of an event without an id depends on the topic's id, which no two runs share.
func nameOf(it sinks.Item) string {
	if s := it["source"]; s.Kind() != sinks.None && it["id"].Kind() == sinks.None {
		return it.Key().PK + " " + s.Str()
	}
	return fmt.Sprint(it.Key())
}

// dice are what is drawn for the next try of the request at a point.
func (f *Faulty) dice(point string) *rand.Rand {
	f.mu.Lock()
	f.tries[point]++
	try := f.tries[point]
	f.mu.Unlock()
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%s/%d", f.seed, f.process, point, try)
	return rand.New(rand.NewPCG(h.Sum64(), f.seed))
}

// kill reports whether the process is dead, or dies at this request, and whether the request gets through before.
func (f *Faulty) kill(dice *rand.Rand, point string) (dead, before bool) {
	mortal := f.Mortal
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
	case f.KillAt > 0 && f.seen == f.KillAt:
		after = f.KillAfter
	default:
		return false, false
	}
	f.dead = true
	if after {
		f.cover.Hit(onKillAfter)
	} else {
		f.cover.Hit(onKill)
	}
	return true, after
}

func (f *Faulty) throttle(reason string) error {
	f.cover.Hit(onThrottled[reason])
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
func around[R any](ctx context.Context, f *Faulty, q sending[R]) (answer R, err error) {
	dice := f.dice(q.point)
	if dead, before := f.kill(dice, q.point); dead {
		if before {
			q.send(ctx)
		}
		return answer, ErrKilled
	}
	for _, o := range f.Outages {
		if now := time.Now(); now.After(o.From) && now.Before(o.To) && slices.ContainsFunc(q.keys, o.match) {
			f.cover.Hit(o.Happening)
			return answer, f.throttle(o.Reason)
		}
	}
	if f.Rate > 0 && (strings.HasPrefix(q.point, "intend") || strings.HasPrefix(q.point, "finish")) && dice.IntN(8) == 0 {
		f.cover.Hit(onCheckpointAgain) // It may meet its process at any point of the steps that follow.
		later(f, time.Duration(dice.Float64()*float64(20*time.Second)), q)
		return q.send(ctx)
	}
	if dice.Float64() >= f.Rate {
		return q.send(ctx)
	}
	span := time.Duration(dice.Float64() * float64(f.Latest))
	faults := 9
	if !q.writes {
		faults = 4 // The others are about what is written.
	}
	switch dice.IntN(faults) {
	case 0, 1:
		reasons := Throttles[q.writes]
		return answer, f.throttle(reasons[dice.IntN(len(reasons))])
	case 2:
		f.cover.Hit(onRefused)
		return answer, fmt.Errorf("connection refused: %w", sinks.ErrUnknownOutcome)
	case 3:
		f.cover.Hit(onSlow)
		time.Sleep(min(span/60, 10*time.Second))
		return q.send(ctx)
	case 4:
		f.cover.Hit(onLostAnswer)
		q.send(ctx)
		return answer, fmt.Errorf("connection reset: %w", sinks.ErrUnknownOutcome)
	case 5:
		f.cover.Hit(onApplied500)
		q.send(ctx)
		return answer, fmt.Errorf("status 500: %w", sinks.ErrUnknownOutcome)
	case 6:
		f.cover.Hit(onHeld)
		later(f, span, q)
		return answer, fmt.Errorf("timed out: %w", sinks.ErrUnknownOutcome)
	case 7:
		f.cover.Hit(onTwice)
		q.send(ctx)
		return q.send(ctx)
	default:
		f.cover.Hit(onAgain)
		later(f, span, q)
		return q.send(ctx)
	}
}

// later sends a request after a while. Whatever is answered, nobody hears it.
func later[R any](f *Faulty, span time.Duration, q sending[R]) {
	f.tasks.Go(func() {
		time.Sleep(span)
		q.send(context.Background())
	})
}

func (f *Faulty) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{pointOf(u), []sinks.Key{u.Key}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Update(ctx, u) }})
}

func (f *Faulty) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{"put " + nameOf(p.Item), []sinks.Key{p.Item.Key()}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Put(ctx, p) }})
}

func (f *Faulty) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	return around(ctx, f, sending[sinks.Result]{fmt.Sprint("delete ", d.Key), []sinks.Key{d.Key}, true,
		func(ctx context.Context) (sinks.Result, error) { return f.Table.Delete(ctx, d) }})
}

func (f *Faulty) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = nameOf(it.Item())
	}
	point := "batchPut " + slices.Min(names)
	n := f.part(point, len(items), onPartPut)
	answer, err := around(ctx, f, sending[sinks.BatchResult]{point, KeysOf(items), true,
		func(ctx context.Context) (sinks.BatchResult, error) { return f.Table.BatchPut(ctx, items[:n]) }})
	answer.Left = append(answer.Left, KeysOf(items[n:])...)
	return answer, err
}

func (f *Faulty) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
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
func (f *Faulty) part(point string, n int, h Happening) int {
	dice := f.dice("part of " + point)
	if n < 2 || dice.Float64() >= 2*f.Rate {
		return n
	}
	f.cover.Hit(h)
	return 1 + dice.IntN(n-1)
}

func (f *Faulty) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	// The hours that are sealed are many in reality: what comes of them takes long enough for steps to be written meanwhile.
	if point := q.PK + q.From; strings.HasPrefix(q.From, sinks.UniquesPrefix) {
		defer func() { time.Sleep(time.Duration(f.dice("sealing "+point).IntN(3000)) * time.Millisecond) }()
	}
	return around(ctx, f, sending[sinks.Page]{fmt.Sprint("query ", q.PK, q.Prefix, q.After), nil, false,
		func(ctx context.Context) (sinks.Page, error) { return f.Table.Query(ctx, q) }})
}

// KeysOf are the keys of items.
func KeysOf(items []sinks.Attrs) []sinks.Key {
	keys := make([]sinks.Key, len(items))
	for i, it := range items {
		keys[i] = it.Key()
	}
	return keys
}

// ProcessName names a process within its seed, the same in every run.
func ProcessName(round, member int) string { return fmt.Sprintf("p%d-%d", round, member) }
