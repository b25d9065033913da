package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// People who look at the figures while a table is rebuilt. Their table takes its time, so that answers are under way when generations
// change. Each answer must be of one generation, which is live or was a moment ago.

// lookOn has two people ask one reader until the rebuild is over.
func (s *simulation) lookOn() {
	table := &onlooker{s.Table}
	reader := query.New(table, time.Now)
	for i := range 2 {
		dice := rand.New(rand.NewPCG(s.seed, uint64(20+i)))
		s.tasks.Go(func() {
			for s.patience.Err() == nil && !(s.calm.Load() && !s.rebuilding()) {
				s.ask(reader, dice)
				time.Sleep(time.Duration(dice.IntN(6000)) * time.Millisecond)
			}
		})
	}
}

// ask asks a question, and judges from which generations the answer was made.
func (s *simulation) ask(r *query.Reader, dice *rand.Rand) {
	seen := &sighting{dice: rand.New(rand.NewPCG(dice.Uint64(), 22)), generations: make(map[int]string)}
	ctx, asked := context.WithValue(s.patience, sightingKey{}, seen), time.Now()
	site, from, to := s.site(dice), bubbleStart.AddDate(0, 0, -7), bubbleStart.AddDate(0, 0, 7)
	var err error
	switch dice.IntN(5) {
	case 0:
		_, err = r.Stats(ctx, query.StatsParams{Site: site, From: from, To: to, By: query.Day, Consistent: true})
	case 1:
		_, err = r.Top(ctx, query.TopParams{Site: site, Dimension: "page", From: from, To: to, Consistent: true})
	case 2:
		_, err = r.SitesFigures(ctx, query.SitesFiguresParams{From: from, To: to})
	case 3:
		_, err = r.Uniques(ctx, query.UniquesParams{Site: site, From: from, To: to, Consistent: true})
	case 4:
		_, err = r.Realtime(ctx, query.RealtimeParams{Site: site})
	}
	if err != nil && s.patience.Err() == nil {
		s.problem("a reader: %v", err)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.generations) > 1 {
		s.problem("an answer is of several generations: %v", seen.generations)
	}
	for n := range seen.generations {
		if n > 1 {
			s.cover.Hit(onLooked)
		}
		if !s.Table.(*witness).lived(n, asked.Add(-liveFor), time.Now()) {
			s.problem("an answer of %v is of generation %d, which was not live then", time.Since(bubbleStart), n)
		}
	}
}

// liveFor is how long a reader may take a generation for the live one.
const liveFor = 5 * time.Second

func (s *simulation) site(dice *rand.Rand) string { return fmt.Sprint("site-", dice.IntN(2)) }

// sighting is what one question has asked of the table.
type sighting struct {
	mu          sync.Mutex     // covers all below
	dice        *rand.Rand     // how long requests take
	generations map[int]string // of items that were counted, with one of them
}

type sightingKey struct{}

// onlooker is the table of people who look on.
type onlooker struct{ sinks.Table }

// sharedItems begin the sort keys of what belongs to the table, beside what the first generation has counted.
var sharedItems = []string{"METADATA", sinks.GoalPrefix, "FUNNEL#", sinks.EventPrefix, sinks.PackPrefix}

// sharedLists begin the partition keys of what belongs to the table.
var sharedLists = []string{"PIPELINE", "RULES", "SITES#", "OWNER#"}

// note takes a request, which takes a while.
func (o *onlooker) note(ctx context.Context, pk, sk string) {
	seen, ok := ctx.Value(sightingKey{}).(*sighting)
	if !ok {
		return
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	begins := func(text string) func(string) bool { return func(p string) bool { return strings.HasPrefix(text, p) } }
	n := max(1, sinks.KeysOf(pk).Generation)
	if n == 1 && (slices.ContainsFunc(sharedLists, begins(pk)) || slices.ContainsFunc(sharedItems, begins(sk))) {
		return
	}
	seen.generations[n] = pk + " / " + sk
}

// dawdle waits for as long as a request of the context's question takes. What a store reads of chains is read under a mutex, and fake time
// does not pass while another question waits for that.
func (o *onlooker) dawdle(ctx context.Context, pk string) {
	if _, chain := testpipeline.TopicOf(pk); chain || strings.HasSuffix(pk, "PIPELINE") {
		return
	}
	if seen, ok := ctx.Value(sightingKey{}).(*sighting); ok {
		seen.mu.Lock()
		span := time.Duration(seen.dice.IntN(3000)) * time.Millisecond
		seen.mu.Unlock()
		time.Sleep(span)
	}
}

func (o *onlooker) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	o.dawdle(ctx, g.Keys[0].PK)
	for _, k := range g.Keys {
		o.note(ctx, k.PK, k.SK)
	}
	return o.Table.BatchGet(ctx, g)
}

func (o *onlooker) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	o.dawdle(ctx, q.PK)
	o.note(ctx, q.PK, q.Prefix+q.From)
	return o.Table.Query(ctx, q)
}
