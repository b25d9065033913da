package simulation_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The simulation. From one seed comes a small world: a cluster of brokers, a table, a few hundred records, and
// processes that come and go on both, under faults of the table, of the brokers and of the processes. At the end
// everything must be exact. The real pipeline runs, on a fake clock.
//
//	func simulate(t *testing.T, seed uint64) outcome
//
// runs one seed in a bubble of its own and returns what is wrong as data: outcome.problems has a line for each
// difference that verify found, for totals and failed events that do not match the log, for a process that ended as
// none should, and for a log that is not folded to its end. It does not fail t for them; t fails only where the world
// cannot be built.
//
// A seed fixes the records, the processes with their settings, when they begin and end, and what happens to brokers
// and requests (see faulty). It does not fix how goroutines are scheduled nor the pipeline's own jitter: a difference
// that depends on them may need a seed to be run some times over (-count).
//
//	process_test.go   how a process begins and ends
//	drain_test.go     the end: all faults over, the log is folded to its end
//	input_test.go     the records and the processes' settings
//	goals_test.go     goals of sites
//	ahead_test.go     chunks that are decoded ahead
//	groups_test.go    consumer groups that come to the table one after the other
//	damage_test.go    items that are damaged
//	broker_test.go    the brokers' faults
//	schemas_test.go   values that name schemas
//	batches_test.go   batches that clients do not read as a whole
//	operator_test.go  partitions that wait for an operator
//	oracle_test.go    what must hold at the end; where a new kind of item comes in
//	coverage_test.go  what must have happened
//	upgrade_test.go   a release that follows an earlier one
//	restored_test.go  the table is restored from a backup
//	rebuild_test.go   the table is rebuilt; rebuilt_test.go: what must hold then; onlooker_test.go: a reader at the same time
//	eye_test.go       how it is seen
//
// The table's faults and the processes' deaths are in internal/testpipeline/faulty.go.
var (
	simSeeds = flag.Int("seeds", 0, "how many seeds TestSimulation runs; 0: 4, or 200 in make test-all")
	simSeed  = flag.Uint64("seed", 0, "the one seed that TestSimulation runs; 0: as many as -seeds says, from 1")
	simFirst = flag.Bool("untilfound", false, "end TestSimulation at the first seed with differences, whatever else has happened by then")
)

// outcome is what a simulation came to.
type outcome struct {
	problems []string               // all that is wrong, a line each; none: every number is right
	compared map[string]int64       // items that were compared with the recount, by kind
	counted  int                    // records in the log
	cover    *testpipeline.Coverage // what happened
}

// enoughSeeds is from how many seeds on a run must have met everything that is listed.
const enoughSeeds = 100

// TestSimulation keeps the promises "exact" and "nothing vanishes" against every fault on the list, in any order.
func TestSimulation(t *testing.T) {
	seeds, first := *simSeeds, uint64(1)
	switch {
	case *simSeed > 0:
		seeds, first = 1, *simSeed
	case seeds > 0:
	default:
		seeds = slow.Of(t, 4, 200)
	}
	all := testpipeline.NewCoverage()
	compared := make(map[string]int64)
	records, failed := 0, 0
	var mu sync.Mutex // covers all, compared, records, failed
	var found atomic.Bool
	start := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for i := range uint64(seeds) {
			t.Run(fmt.Sprint(first+i), func(t *testing.T) {
				t.Parallel()
				if *simFirst && found.Load() {
					return
				}
				o := simulate(t, first+i, false)
				mu.Lock()
				defer mu.Unlock()
				for h, n := range o.cover.Count {
					all.Count[h] += n
				}
				for kind, n := range o.compared {
					compared[kind] += n
				}
				records += o.counted
				if len(o.problems) > 0 {
					found.Store(true)
					failed++
					t.Errorf("%d differences; again: go test ./pipeline/simulation -run '^TestSimulation$' -seed %d\n%s", len(o.problems), first+i,
						strings.Join(o.problems[:min(10, len(o.problems))], "\n"))
				}
			})
		}
	})
	took := time.Since(start)
	// Shown by make sim without -v, which lists every seed.
	fmt.Printf("%d seeds, %d with differences; %d records; items compared: %v; %.1f seeds/s on %d cores\n%v\n",
		seeds, failed, records, compared, float64(seeds)/took.Seconds(), runtime.GOMAXPROCS(0), all)
	if missed := all.Missed(); len(missed) > 0 {
		void := t.Logf
		if seeds >= enoughSeeds && !*simFirst {
			void = t.Errorf
		}
		void("never happened: %q", missed)
	}
}

// simulation is the life of one seed.
type simulation struct {
	*world
	outcome
	seed uint64
	dice *rand.Rand // of the driver's goroutine alone, so that what it draws depends on nothing that runs beside it

	partitions                 int32
	records                    []record // not yet published
	kip848                     bool
	static                     bool // members keep their names, and do not leave the group when they die
	transactional              bool
	duplicates                 checkpoint.Duplicates
	breakdowns, breakdownBytes int
	bots                       checkpoint.Bots
	longestVisit               time.Duration
	retention                  checkpoint.Retention
	sitesCounted               string
	newSites                   int64
	queries                    []string   // each process keeps one of them
	depths                     *rand.Rand // how far processes decode ahead
	packing                    *rand.Rand // some processes pack raw events, and others do not; nil: none does
	gone                       string     // a site that was deleted; "": none yet
	sealAfter                  time.Duration
	dawn                       time.Duration   // how long after bubbleStart it begins
	about                      time.Time       // the events' time
	creating                   bool            // the newcomer is to be created
	newcomers                  int             // records that are left when its first may come
	deciding, moving           bool            // rules of sites change during the run; their zones, too
	zoned                      *rand.Rand      // sites that were not created get one of its zones; nil: UTC
	rationing                  bool            // a site has a budget of events now and then
	crowding                   bool            // goals of sites are more than a session can reach
	batches                    bool            // some are larger than what processes decompress, or cannot be read
	rotten, trimming           bool            // batches are damaged for a while; records are deleted before they are folded
	decaying                   atomic.Bool     // batches are damaged at present
	floors                     [3]atomic.Int64 // by partition: records below the offset are hidden
	net                        *kfake.VirtualNetwork
	groups                     int // of strangers, so far
	damages                    simDamages
	faults                     mix
	past                       *past
	used                       []checkpoint.Settings // of all processes
	erasures                   simErasures
	upgrade                    simUpgrade
	rebuild                    simRebuild
	purge                      simPurge
	schemas                    *simSchemas // nil: no value names one
	copies                     *recorder   // of a table that is copied; nil: it is not
	of                         counted     // what is judged
	running                    []*simProcess
	ends                       map[int32]int64 // behind the last record of each partition

	patience context.Context // ends once a run cannot finish, so that erasures do not wait for it
	giveUp   context.CancelFunc

	calm  atomic.Bool // nothing more happens to the brokers
	tasks sync.WaitGroup

	mu        sync.Mutex // covers all below, and outcome.problems
	installed []installed
}

func simulate(t *testing.T, seed uint64, copied bool) outcome {
	dice := rand.New(rand.NewPCG(seed, 5))
	s := &simulation{seed: seed, dice: dice, partitions: 1 + dice.Int32N(3), of: counted{topic: 1}}
	s.cover = testpipeline.NewCoverage()
	s.retention = checkpoint.DefaultSettings().Retention
	s.past = &past{cover: s.cover, tell: s.tell, problem: s.problem, takeovers: make(map[string][2]int64),
		putFirst:    make(map[sinks.Key]string),
		conversions: make(map[sinks.Key]string)}
	// The records' own time is the clock's; or so far ahead that no realtime minute expires before the end; or behind it
	// by so much that minutes, or under a retention of a day hours, expire while they are written.
	ahead := []time.Duration{0, 12 * time.Hour, 12 * time.Hour, -12 * time.Minute, -25 * time.Hour}[dice.IntN(5)]
	if ahead < -24*time.Hour {
		s.retention = checkpoint.Retention{RawDays: 1, SessionDays: 90, HourDays: 1, DayDays: 1}
	}
	if dice.IntN(2) == 0 { // Midnight comes while it goes on.
		s.dawn = 24*time.Hour - time.Duration(dice.IntN(200))*time.Second
		if seed%3 == 0 { // That of a Sunday.
			s.dawn += 24 * time.Hour
		}
	}
	s.about, s.deciding, s.moving = bubbleStart.Add(s.dawn+ahead), dice.IntN(3) > 0, dice.IntN(2) == 0
	s.records = input(dice, s.partitions, s.about)
	s.rationing = throngs(seed, s.records)
	s.misdate(dice)
	s.newcomers = len(s.records) - newcomer(dice, s.records) + dice.IntN(41) - 20
	s.creating = dice.IntN(4) > 0
	s.kip848, s.transactional = dice.IntN(3) == 0, dice.IntN(3) == 0
	// Not with KIP-848: there kfake never expires the session of a static member that has left.
	s.static = dice.IntN(3) == 0 && !s.kip848
	s.duplicates = simWindows[seed%2][dice.IntN(4)]
	s.breakdowns = []int{2, 5, 5, 512}[dice.IntN(4)]
	s.breakdownBytes = []int{1 << 10, 3 << 10, sketch.MaxBreakdownBytes}[dice.IntN(3)]
	s.queries = [][]string{{simQueries[2]}, {simQueries[1]}, simQueries}[dice.IntN(3)]
	s.bots = checkpoint.Bots{Lists: dice.IntN(4) > 0, Rate: []int64{0, 4, 8, 300}[dice.IntN(4)]}
	// Days and months are sealed while they go on: no time passes that would end them. But for those that are cut otherwise
	// while they do, as no decision may cut what is sealed in the world.
	s.sealAfter = []time.Duration{-72 * time.Hour, -1000 * time.Hour}[dice.IntN(2)]
	if s.moving {
		s.sealAfter = 10_000 * time.Hour
	}
	s.crowding = dice.IntN(4) == 0
	s.rationing = s.rationing && !s.crowding // Events beyond a budget reach no goals.
	s.sitesCounted = []string{checkpoint.SitesAny, checkpoint.SitesAny, checkpoint.SitesRegistered}[dice.IntN(3)]
	s.newSites = []int64{0, 1, 2, 4, 1000}[dice.IntN(5)]
	s.longestVisit = []time.Duration{time.Hour, 3 * time.Hour, 24 * time.Hour}[dice.IntN(3)]
	if s.erasures.wanted = dice.IntN(3) == 0; s.erasures.wanted {
		s.erasures.reports = make(map[erased]erase.Report)
		anonymous(dice, s.records)
		if seed%2 == 0 {
			s.breakdowns = 512 // Few rows of one visitor last where there are few.
		}
	}
	if s.duplicates.Positions == 64 && !s.transactional && dice.IntN(4) == 0 { // Markers of transactions take offsets, too.
		again(dice, s.records, dice.Int32N(s.partitions), s.duplicates.Positions)
	}
	s.batches = dice.IntN(6) == 0
	s.faults = mix{
		Rate:   []float64{0.01, 0.05, 0.05, 0.15}[dice.IntN(4)],
		Latest: []time.Duration{5 * time.Second, 2 * time.Minute, 10 * time.Minute}[dice.IntN(3)],
	}
	if seed%5 < 2 { // Not drawn from the same dice, so that seeds stay as they were.
		s.zoned = rand.New(rand.NewPCG(seed, 14))
	}
	s.depths = rand.New(rand.NewPCG(seed, 16))
	if seed%4 > 0 {
		s.packing = rand.New(rand.NewPCG(seed, 15))
	}
	s.damages = simDamages{wanted: seed%3 == 0 && !copied, done: make(map[part]wound)} // Not drawn, so that seeds stay as they were.
	if s.rotten = dice.IntN(10) == 0 && !copied; s.rotten {
		rot(dice, s.records)
	} else if s.trimming = dice.IntN(8) == 0 && !s.batches && !copied; s.trimming { // A gap could end within an unreadable batch.
		s.duplicates = testpipeline.Within(0) // Without the whole window in the log, owners may disagree on what repeats an event.
	}
	if readsSchemas(seed) {
		s.frame()
	}
	testpipeline.InBubble(t, simBrokers, s.partitions, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		s.world, s.net = w, net
		s.patience, s.giveUp = context.WithCancel(context.Background())
		defer s.giveUp()
		w.Pass(s.dawn)
		if copied {
			s.copies = recording(w.Table, dice.Uint64())
			w.Table = s.copies
		}
		w.Table = &witness{Table: w.Table, s: s, moved: make(map[sinks.Key]time.Time)}
		if seed%2 == 1 && !copied {
			s.upgrade.dice = rand.New(rand.NewPCG(seed, 17))
			testpipeline.MakeEarlier(t, w.Table)
		}
		if !s.erasures.wanted && !s.damages.wanted && !s.rotten && !s.trimming {
			s.mayRebuild()
		}
		s.mayPurge()
		s.unstick()
		if s.trimming {
			s.hide()
		}
		s.run()
		if copied {
			s.resume()
		}
		s.end()
	})
	return s.outcome
}

func (s *simulation) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// right reports whether no problem has been found yet.
func (s *simulation) right() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.problems) == 0
}

// tell shows what a process logs where one seed is looked at: go test -v -seed.
func (s *simulation) tell(process, line string) {
	if *simSeed > 0 && testing.Verbose() {
		s.T.Logf("%v %s: %s", time.Since(bubbleStart), process, line)
	}
}

func (s *simulation) group() string { return s.world.Options().Group }

// pause lets some time pass.
func (s *simulation) pause(most time.Duration) {
	s.Pass(time.Duration(s.dice.Float64() * float64(most)))
}

// run is the time of faults: rounds of processes that begin, work and end in many ways.
func (s *simulation) run() {
	for range s.dice.IntN(4) {
		s.rule(s.someSite(), s.aim)
	}
	s.register()
	s.ownSpam()
	for range s.dice.IntN(3) {
		s.rule(s.someSite(), s.countNew)
	}
	if s.rationing {
		s.ration()
	}
	for range s.dice.IntN(3) {
		s.decide()
	}
	if !s.moving && s.dice.IntN(2) == 0 {
		s.settle()
	}
	rounds := 3 + s.dice.IntN(3)
	share := len(s.records) / rounds
	for round := range rounds {
		s.trouble(s.dice.IntN(6), 40*time.Second)
		s.outage()
		for member := range 1 + s.dice.IntN(3) {
			s.begin(testpipeline.ProcessName(round, member), s.dice.IntN(3) == 0)
			s.publish(s.dice.IntN(share/3 + 1))
			s.pause(8 * time.Second)
		}
		for range 1 + s.dice.IntN(5) {
			s.publish(s.dice.IntN(share/2 + 1))
			if s.rotten {
				s.decaying.Store(s.dice.IntN(3) > 0)
			}
			if s.trimming && s.dice.IntN(3) == 0 {
				s.trim()
			}
			if s.dice.IntN(2) == 0 {
				s.operate()
			}
			if s.batches && s.dice.IntN(3) == 0 {
				s.swell()
			}
			if s.batches && s.dice.IntN(4) == 0 {
				s.spoil()
			}
			if s.deciding && s.dice.IntN(3) == 0 {
				s.decide()
			}
			if s.rationing && s.deciding && s.dice.IntN(3) == 0 {
				s.ration()
			}
			if s.erasures.wanted && s.dice.IntN(2) == 0 {
				s.erase()
			}
			if s.dice.IntN(3) == 0 {
				s.command()
			}
			if s.damages.wanted && s.dice.IntN(2) == 0 {
				s.damage()
			}
			if d := s.upgrade.dice; d != nil && d.IntN(6) == 0 {
				s.finalize()
			}
			if s.schemas != nil {
				s.schemas.turn()
			}
			s.rebuildNow()
			s.purgeNow()
			s.pause(9 * time.Second)
		}
		staying := s.running[:0:0]
		for _, p := range s.running {
			if !s.finish(p) {
				staying = append(staying, p)
			}
		}
		s.running = staying
	}
	for _, p := range s.running {
		p.table.Die()
		p.stop()
	}
}

// outage has one site, all chains, or one site's raw events throttled for a while, now and then.
func (s *simulation) outage() {
	if s.dice.IntN(3) > 0 {
		return
	}
	from := time.Now().Add(time.Duration(s.dice.IntN(20)) * time.Second)
	to := from.Add(time.Duration(5+s.dice.IntN(150)) * time.Second)
	writes := testpipeline.Throttles[true]
	o := testpipeline.Outage{From: from, To: to, PK: sinks.Keys{}.Site("site-0"), Reason: writes[s.dice.IntN(len(writes))],
		Happening: onOutage}
	switch s.dice.IntN(4) {
	case 0:
		o.PK = sinks.Keys{}.Site("site-1")
	case 2:
		o.Raw = true
	case 1:
		o.PK, _ = sinks.Keys{}.Checkpoints(1)
		o.Happening = onChainsOut
	}
	s.faults.Outages = append(s.faults.Outages, o)
}
