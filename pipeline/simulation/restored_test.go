package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// Copies in a simulation: a backup has each item as it was at an instant of its own within copySpan. After the time of faults the backup is
// restored into another table, with another id. An operator resumes it, with commands that are killed, before members start.

// copySpan is how long a copy takes.
const copySpan = 120 * time.Second

// TestRestoredCopies keeps the promise "exact" for tables that are restored from a backup.
func TestRestoredCopies(t *testing.T) {
	seeds, first := *simSeeds, uint64(1)
	switch {
	case *simSeed > 0:
		seeds, first = 1, *simSeed
	case seeds == 0:
		seeds = slow.Of(t, 2, 60)
	}
	all := testpipeline.NewCoverage()
	var mu sync.Mutex // covers all
	t.Run("seeds", func(t *testing.T) {
		for i := range uint64(seeds) {
			t.Run(fmt.Sprint(first+i), func(t *testing.T) {
				t.Parallel()
				o := simulate(t, first+i, true)
				mu.Lock()
				defer mu.Unlock()
				for h, n := range o.cover.Count {
					all.Count[h] += n
				}
				if len(o.problems) > 0 {
					t.Errorf("%d differences; again: go test ./pipeline/simulation -run '^TestRestoredCopies$' -seed %d\n%s", len(o.problems), first+i,
						strings.Join(o.problems[:min(10, len(o.problems))], "\n"))
				}
			})
		}
	})
	for _, h := range []happening{onTorn, onResumeCut, onDecisionsLost, onDeletedAgain} {
		fmt.Printf("%d copies; %s: %d\n", seeds, h, all.Count[h])
		if seeds >= 60 && all.Count[h] == 0 {
			t.Errorf("never happened: %q", h)
		}
	}
}

// Not listed: a simulation without copies never meets these.
const (
	onTorn          happening = "copy: items are of later flushes than their checkpoint"
	onResumeCut     happening = "copy: the command that resumes it is cut short"
	onDecisionsLost happening = "copy: a decision is lost, and later ones with it"
	onOtherShard    happening = "copy: a raw event is in another shard, by a lost decision"
	onDeletedAgain  happening = "copy: an erasure or a purge is repeated"
)

// version is an item from an instant on.
type version struct {
	at   time.Time
	item sinks.Item // nil: it was deleted
}

// recorder keeps all versions of the items of a table.
type recorder struct {
	sinks.Table
	dice *rand.Rand

	restored bool              // the copy is in use
	shards   map[string]string // as decided in the original, by site

	mu       sync.Mutex // is held over each write, and covers what follows
	versions map[sinks.Key][]version
	removed  bool            // decisions were removed of the copy
	lacks    map[string]bool // sites; the copy lacks a decision about them
	again    map[int64]bool  // revisions of erasures and purges that must be repeated
}

// mended notes what a command has said of the copy.
func (r *recorder) mended(m rebuild.Mended) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removed = r.removed || len(m.Removed) > 0
	for _, c := range m.Again {
		r.again[c.Rev] = true
	}
}

func recording(table sinks.Table, seed uint64) *recorder {
	r := &recorder{Table: table, dice: rand.New(rand.NewPCG(seed, 21)), versions: make(map[sinks.Key][]version),
		lacks: make(map[string]bool), again: make(map[int64]bool)}
	pk, prefix := sinks.Keys{}.Topics()
	for _, q := range []sinks.Query{{PK: pk, Prefix: prefix}, {PK: pk, Prefix: sinks.Keys{}.TableSettings().SK}} {
		for it, err := range sinks.Items(context.Background(), table, q) {
			if err != nil {
				panic(err) // Of a table in memory.
			}
			if it.Key() == (sinks.Keys{}).TableSettings() {
				it[sinks.AttrTableID] = sinks.Str("original")
				if _, err := table.Put(context.Background(), sinks.Put{Item: it}); err != nil {
					panic(err)
				}
			}
			r.versions[it.Key()] = []version{{time.Time{}, it}}
		}
	}
	return r
}

func (r *recorder) Identity(context.Context) (tableid.Identity, error) {
	return tableid.Identity{ID: "original"}, nil
}

// note notes what a write has made of items.
func (r *recorder) note(keys ...sinks.Key) {
	for part := range slices.Chunk(keys, sinks.MaxBatchGet) {
		found, err := r.Table.BatchGet(context.Background(), sinks.BatchGet{Keys: part, Consistent: true})
		if err != nil {
			return // The test is over.
		}
		for _, key := range part {
			r.versions[key] = append(r.versions[key], version{time.Now(), found.Items[key]})
		}
	}
}

func (r *recorder) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.note(u.Key)
	return r.Table.Update(ctx, u)
}

func (r *recorder) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.note(p.Item.Key())
	return r.Table.Put(ctx, p)
}

func (r *recorder) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.note(d.Key)
	return r.Table.Delete(ctx, d)
}

func (r *recorder) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var keys []sinks.Key
	for _, it := range items {
		keys = append(keys, it.Key())
	}
	defer r.note(keys...)
	return r.Table.BatchPut(ctx, items)
}

// restored is a table that was made of a backup.
type restored struct{ sinks.Table }

func (restored) Identity(context.Context) (tableid.Identity, error) {
	return tableid.Identity{ID: "copy", Restored: true}, nil
}

// copied makes a table of a backup that was made at some time.
func (s *simulation) copied() sinks.Table {
	r := s.copies
	r.mu.Lock()
	defer r.mu.Unlock()
	var first, last time.Time
	for _, list := range r.versions {
		for _, v := range list {
			if !v.at.IsZero() && (first.IsZero() || v.at.Before(first)) {
				first = v.at
			}
			if v.at.After(last) {
				last = v.at
			}
		}
	}
	begun := first.Add(time.Duration(r.dice.Int64N(int64(last.Sub(first)))))
	table := restored{testworld.Table(s.T)}
	steps, marks := make(map[string]int64), make(map[string]int64)
	for _, key := range slices.SortedFunc(maps.Keys(r.versions), sinks.Key.Compare) {
		at := begun.Add(time.Duration(r.dice.Int64N(int64(copySpan))))
		var it sinks.Item
		for _, v := range r.versions[key] {
			if !v.at.After(at) {
				it = v.item
			}
		}
		if it == nil {
			continue
		}
		for name, v := range it {
			if strings.HasPrefix(name, "w") && v.Kind() == sinks.Number {
				marks[name] = max(marks[name], v.Int())
			}
		}
		if it[sinks.AttrEntity].Str() == sinks.EntityCheckpoint {
			mark, _ := markOf(key)
			steps[mark] = it["k"].Int()
		}
		if _, err := table.Put(context.Background(), sinks.Put{Item: it}); err != nil {
			s.T.Fatal(err)
		}
	}
	for mark, step := range steps {
		if marks[mark] > step {
			s.cover.Hit(onTorn)
		}
	}
	return table
}

// repeat has the operator repeat the erasures and purges that the command has named. What the copy does not know of is not judged.
func (s *simulation) repeat() {
	log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	s.must(err)
	for who, report := range s.erasures.reports {
		has := func(c sites.Revision) bool { return c.Rev == report.Revision && c.Erase != nil }
		if !slices.ContainsFunc(log.History(who.site), has) || sites.Gone(log.History(who.site)) > 0 {
			delete(s.erasures.reports, who)
		} else if s.copies.again[report.Revision] {
			s.cover.Hit(onDeletedAgain)
			s.erasures.running++
			s.tasks.Go(func() {
				report, ok := s.eraseToTheEnd(rand.New(rand.NewPCG(s.seed, 23)), s.faults, who, *report.Until)
				s.erasures.mu.Lock()
				defer s.erasures.mu.Unlock()
				if s.erasures.running--; ok {
					s.erasures.reports[who] = report
				}
			})
		}
	}
	p := &s.purge
	rev := sites.Gone(log.History(p.site))
	if p.report, p.created = (purge.Report{}), false; rev == 0 || !s.copies.again[rev] {
		return
	}
	p.running = true
	s.cover.Hit(onDeletedAgain)
	s.tasks.Go(func() {
		report, created := s.purgeToTheEnd(p.dice, s.faults, p.site)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running, p.report, p.created = false, report, created
	})
}

// resume restores a backup, and has an operator resume it.
func (s *simulation) resume() {
	s.giveUp()
	s.tasks.Wait() // Late requests reach the original.
	s.patience, s.giveUp = context.WithCancel(context.Background())
	defer func(original []*simProcess) { // They leave their group, for which brokers may have to come back.
		for _, p := range original {
			<-p.ended
		}
	}(s.running)
	s.copies.shards = s.shardings()
	s.running, s.rebuild.begun, s.copies.restored = nil, false, true
	decided, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	s.must(err)
	s.world.Table = &witness{Table: s.copied(), s: s, moved: make(map[sinks.Key]time.Time)}
	decided.Sites(func(site string) {
		for _, c := range decided.History(site) {
			s.copies.lacks[site] = s.copies.lacks[site] || s.world.Item(sinks.Keys{}.Rules(c.Rev)) == nil
		}
	})
	s.refusesCopy(new(*tableid.CopyError))
	if s.schemas != nil {
		s.schemas.answer()
	}
	dice := s.copies.dice
	faults := s.faults
	faults.Outages = nil
	for attempt := 1; ; attempt++ {
		if attempt > 60 {
			s.calm.Store(true)
		}
		s.publish(dice.IntN(20))
		_, err := s.runJob(rand.New(rand.NewPCG(dice.Uint64(), 22)), s.resumeOptions(dice), faults, attempt)
		if err == nil || errors.Is(err, rebuild.ErrNoCopy) && attempt > 1 { // A run before was cut short at its end.
			break
		}
		s.cover.Hit(onResumeCut)
		if s.tell("resume", err.Error()); attempt > 70 {
			s.problem("the copy is not resumed: %v", err)
			return
		}
		if s.generations().Restoring {
			s.refusesCopy(new(*sinks.RestoringError))
		}
		time.Sleep(time.Duration(dice.IntN(8000)) * time.Millisecond)
	}
	s.tasks.Wait()
	if has := s.generations(); has.Restoring || has.Former > 0 || has.Building > 0 || has.Live != has.Last {
		s.problem("resumed: generations %+v", has)
	}
	if s.copies.removed {
		s.cover.Hit(onDecisionsLost)
	}
	s.repeat()
}

// resumeOptions are those of the pipeline of a command that resumes a copy.
func (s *simulation) resumeOptions(dice *rand.Rand) pipeline.Options {
	o := s.world.Options()
	o.ServerBalanced, o.Settings = s.kip848, s.own()
	o.Settings.RawPacked = s.packing != nil && dice.IntN(2) == 0
	s.readSchemas(&o)
	o.StatsInterval = time.Duration(1+dice.IntN(8)) * time.Second
	o.RealtimeInterval = time.Duration(1+dice.IntN(4)) * time.Second
	o.Seal.Interval, o.Seal.After = time.Duration(1+dice.IntN(6))*time.Second, s.sealAfter
	s.used = append(s.used, o.Settings)
	return o
}

// refusesCopy finds a member that counts into a copy, and a reader that answers of it.
func (s *simulation) refusesCopy(as any) {
	p, err := pipeline.New(s.world.With(s.Table, s.seed))
	s.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Run(ctx); !errors.As(err, as) {
		s.problem("a member of a copy: %v, want %T", err, as)
	}
	if _, err := query.New(s.Table, time.Now).Sites(ctx, query.SitesParams{}); !errors.As(err, as) {
		s.problem("a reader of a copy: %v, want %T", err, as)
	}
}

// beforeCopy reports whether a difference is a raw event that was written under decisions of its site which the copy lacks: it may lie in
// another shard than it does now. Readers return it once.
func (s *simulation) beforeCopy(d finding.Difference) bool {
	if s.copies == nil || d.Kind != finding.KindEvent || d.Attribute != finding.Whole || d.Recount != finding.Absent {
		return false
	}
	s.cover.Hit(onOtherShard)
	site, _ := sinks.SiteOf(sinks.Key{PK: d.PK, SK: d.SK})
	return s.copies.shards[site] != s.shardings()[site]
}

// shardings are what is decided about the shards of sites.
func (s *simulation) shardings() map[string]string {
	log, err := sites.ReadLog(context.Background(), s.Table, sinks.Keys{}, nil)
	s.must(err)
	all := make(map[string]string)
	log.Sites(func(site string) {
		if r := log.At(log.Rev()).Site(site); r != nil && len(r.Shards) > 0 {
			all[site] = string(mustJSON(r.Shards))
		}
	})
	return all
}
