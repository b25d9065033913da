package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// A site is purged while a simulation runs, by commands that are killed. It may be created again when that is done, and some of the log is
// published once more. Nothing may be left of what was counted before.

// simPurge is the purge of a simulation.
type simPurge struct {
	dice *rand.Rand // nil: there is none
	site string     // that was purged; "": none was yet

	mu      sync.Mutex // covers all below
	running bool
	report  purge.Report
	created bool // again
}

// mayPurge draws whether a site is purged.
func (s *simulation) mayPurge() {
	dice := rand.New(rand.NewPCG(s.seed, 20))
	if dice.IntN(3) == 0 && !s.damages.wanted && !s.rotten && !s.trimming {
		s.purge.dice = dice
	}
}

// purgeNow begins to purge a site, now or at one of the next times.
func (s *simulation) purgeNow() {
	p := &s.purge
	if p.dice == nil || p.site != "" || p.dice.IntN(5) > 0 {
		return
	}
	p.site, p.running = fmt.Sprint("site-", p.dice.IntN(2)), true
	faults := s.faults // Outages come to it.
	s.tasks.Go(func() {
		report, created := s.purgeToTheEnd(p.dice, faults, p.site)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running, p.report, p.created = false, report, created
	})
}

// purging reports whether a site is being purged, or created again.
func (s *simulation) purging() bool {
	s.purge.mu.Lock()
	defer s.purge.mu.Unlock()
	return s.purge.running
}

// purgeToTheEnd runs commands until the site is purged, and perhaps creates it again.
func (s *simulation) purgeToTheEnd(dice *rand.Rand, faults mix, site string) (report purge.Report, created bool) {
	for attempt := 0; !report.Over(); attempt++ {
		o := purge.Options{Table: s.Table, Site: site, Grace: faults.Latest + 2*time.Minute}
		if !s.calm.Load() {
			m := faults
			m.Mortal = 1.0 / float64(20+dice.IntN(600))
			o.Table = testpipeline.NewFaulty(s.Table, s.seed, fmt.Sprint("purger-", attempt), m, s.cover, &s.tasks)
		}
		var err error
		report, err = purge.Run(s.patience, o)
		switch {
		case s.patience.Err() != nil, errors.Is(err, sites.ErrUnknown):
			return purge.Report{}, false
		case errors.Is(err, errKilled):
			s.cover.Hit(onPurgeCut)
			time.Sleep(time.Duration(dice.IntN(30_000)) * time.Millisecond)
		case err != nil && strings.Contains(err.Error(), "footfall upgrade finalize"):
			if s.calm.Load() { // It is not finalized any more.
				return purge.Report{}, false
			}
			time.Sleep(time.Duration(dice.IntN(30_000)) * time.Millisecond)
		case err != nil:
			s.problem("purge %s: %v", site, err)
			return report, false
		case !report.Over(): // A former generation has an open flush.
			return report, false
		}
	}
	s.cover.Hit(onPurged)
	if dice.IntN(3) == 0 || s.generations().Last > 1 {
		return report, false
	}
	switch err := sites.Create(s.patience, s.Table, sinks.Keys{}, sites.Definition{ID: site}, time.Now()); {
	case err == nil:
		s.cover.Hit(onCreatedAgain)
		return report, true
	case s.generations().Last == 1 && s.patience.Err() == nil:
		s.problem("create %s again: %v", site, err)
	}
	return report, false
}

// judgePurged looks for what is left of a site that was purged and not created again.
func (s *simulation) judgePurged() {
	p := &s.purge
	if !p.report.Over() || p.created {
		return
	}
	left, err := purge.Count(context.Background(), purge.Options{Table: s.Table, Site: p.site})
	if err != nil || left.Items > 0 {
		s.problem("%s was purged, and %d items are left, %v", p.site, left.Items, err)
	}
}
