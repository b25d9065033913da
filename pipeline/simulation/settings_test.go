package simulation_test

import (
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Settings in a simulation: those of the seed, and those of processes that have their own.

// simWindows are the windows of duplicates of most processes. A partition has a record every 1.5 to 6 seconds.
var simWindows = [2][4]checkpoint.Duplicates{
	{{}, {WindowMs: 24 * 3_600_000, Positions: 64}, {WindowMs: 60_000, Positions: 64}, checkpoint.DefaultDuplicates},
	{{}, {WindowMs: 90_000, Positions: 64}, {WindowMs: 15_000, Positions: 64}, {WindowMs: 120_000, Positions: 260}},
}

// simVisitGap is the gap of visits of most processes.
const simVisitGap = 30 * time.Minute

// own are the seed's settings.
func (s *simulation) own() checkpoint.Settings {
	own := checkpoint.DefaultSettings()
	own.Duplicates, own.Retention = s.duplicates, s.retention
	own.Breakdowns, own.BreakdownBytes, own.Bots = s.breakdowns, s.breakdownBytes, s.bots
	own.VisitGapMs, own.VisitLongestMs = simVisitGap.Milliseconds(), s.longestVisit.Milliseconds()
	own.Sites, own.NewSites = s.sitesCounted, s.newSites
	own.QueryParameters = s.queries[0]
	return own
}

// settings are those of a process: the seed's own most of the time.
func (s *simulation) settings(dice *rand.Rand) checkpoint.Settings {
	own := s.own()
	own.QueryParameters = s.queries[dice.IntN(len(s.queries))]
	if dice.IntN(5) > 0 {
		return own
	}
	switch dice.IntN(7) {
	case 6:
		own.Sites = []string{checkpoint.SitesAny, checkpoint.SitesRegistered}[dice.IntN(2)]
		own.NewSites = []int64{0, 1, 4}[dice.IntN(3)]
	case 0:
		own.LateMs = []int64{-1, time.Hour.Milliseconds(), 24 * time.Hour.Milliseconds()}[dice.IntN(3)]
	case 1:
		own.NonInteractive = [][]string{nil, {"click"}, {"click", "ping"}}[dice.IntN(3)]
	case 2:
		own.RawEvents = false
	case 3:
		if s.trimming {
			break
		}
		own.Duplicates = []checkpoint.Duplicates{testpipeline.Within(0), {WindowMs: 30_000, Positions: 16}, simWindows[0][2],
			simWindows[1][3]}[dice.IntN(4)]
	case 4:
		own.Breakdowns = []int{0, 2, 9}[dice.IntN(3)]
		own.BreakdownBytes = []int{1 << 10, 2 << 10, 5 << 10}[dice.IntN(3)]
	case 5:
		own.Bots = checkpoint.Bots{Lists: dice.IntN(2) == 0, Rate: []int64{0, 2, 6}[dice.IntN(3)]}
		own.VisitGapMs = []time.Duration{0, simVisitGap / 2, 2 * simVisitGap}[dice.IntN(3)].Milliseconds()
	}
	return own
}

// options are those of a process, beside its table.
func (s *simulation) options(dice *rand.Rand, name string) pipeline.Options {
	o := s.world.Options()
	o.ServerBalanced = s.kip848
	o.Settings = s.settings(dice)
	if s.zoned != nil { // Processes differ, as while a new configuration is rolled out.
		o.SiteZone = simZones[s.zoned.IntN(len(simZones))]
	}
	o.Settings.RawPacked = s.packs()
	s.readSomeSchemas(&o)
	if s.batches {
		o.Settings.BatchBytes = simBounds[dice.IntN(len(simBounds))]
	}
	o.StatsInterval = time.Duration(2+dice.IntN(7)) * time.Second
	o.RealtimeInterval = time.Duration(1+dice.IntN(4)) * time.Second
	if name[len(name)-1]%2 == 0 { // Without a draw: all else of a seed stays as it is.
		o.RealtimeMax = 4 * o.RealtimeInterval
	}
	o.Seal.Interval, o.Seal.After = time.Duration(200+dice.IntN(6000))*time.Millisecond, s.sealAfter
	switch dice.IntN(6) {
	case 0:
		o.Limits.StepItems = 20
	case 1:
		o.Limits = pipeline.Limits{StepItems: 40, QueueBytes: 6_000}
	case 2:
		o.Limits = pipeline.Limits{InFlight: 3, CacheBytes: 40_000, StepBytes: 12_000}
	case 3:
		o.StatsInterval = time.Minute
	}
	if dice.IntN(3) == 0 { // Ceilings of 1 %, or of so little that a process has hardly a state that no open step touches.
		part := []int{100, 10_000}[dice.IntN(2)]
		o.Limits.MemoryBytes, o.Limits.FetchedBytes = pipeline.DefaultLimits.MemoryBytes/part, pipeline.DefaultLimits.FetchedBytes/part
	}
	switch dice.IntN(5) { // Simulated hours are too small for the journal to pay.
	case 0:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 7}
	case 1:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 1 << 30}
	case 2:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 2, Share: 1}
	}
	o.ChunksAhead = s.ahead(&o.Limits)
	if s.static {
		o.InstanceID = name
	}
	return o
}
