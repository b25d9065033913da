package simulation_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Upgrades in a simulation: the table of some seeds is in the first format, and processes of the earlier release, which knows no other,
// come and go beside the others. An operator finalizes the upgrade at some time, perhaps cut short, or never.

// simUpgrade is what becomes of a table in the first format.
type simUpgrade struct {
	dice      *rand.Rand // nil: the table is in the latest format
	begun     bool       // an operator has tried to raise the format: processes of the earlier release may find it raised
	finalized bool
	fenced    map[checkpoint.ChainID]int64 // the last step of each chain by then
}

// ownSpam makes a host on the list of spam referrers one of a site's, now and then: the releases disagree about what it refers.
func (s *simulation) ownSpam() {
	if d := s.upgrade.dice; d != nil && d.IntN(2) == 0 {
		s.rule("site-0", func(r *sites.Rules) { r.Domains = []string{"semalt.com"} })
	}
}

// released is the table as a process sees it: of this release, or of the earlier one.
func (s *simulation) released() sinks.Table {
	if d := s.upgrade.dice; d == nil || d.IntN(2) == 0 {
		return s.Table
	}
	s.cover.Hit(onEarlier)
	return testpipeline.EarlierRelease{Table: s.Table}
}

// finalize raises the format of the table. Members of the earlier release are in its way, and are fenced if it is forced; one that is cut
// short is repeated by the next.
func (s *simulation) finalize() {
	u := &s.upgrade
	table, force := s.Table, u.dice.IntN(2) == 0
	if u.dice.IntN(3) == 0 {
		table = &cutUpdates{cutShort{Table: table, at: 1 + u.dice.IntN(3), applied: u.dice.IntN(2) == 0}}
	}
	before, err := upgrade.Look(context.Background(), s.Table)
	if err != nil {
		s.problem("look at the upgrade: %v", err)
		return
	}
	u.begun = u.begun || force || len(before.Earlier) == 0
	_, err = upgrade.Finalize(context.Background(), table, force)
	switch found, earlier := errors.AsType[*upgrade.EarlierError](err); {
	case earlier:
		s.cover.Hit(onEarlierNamed)
		if force || !strings.Contains(found.Error(), found.Owners[0].Owner) {
			s.problem("finalize: %v", err)
		}
	case errors.Is(err, errKilled):
		s.cover.Hit(onFinalizeCut)
	case err != nil:
		s.problem("finalize: %v", err)
	default:
		s.cover.Hit(onFinalized)
		if len(before.Earlier) > 0 {
			s.cover.Hit(onEarlierFenced)
		}
		if !u.finalized {
			u.finalized, u.fenced = true, make(map[checkpoint.ChainID]int64)
			for id, c := range s.chains() {
				u.fenced[id] = c.Head.Step
			}
		}
	}
}

func (s *simulation) chains() checkpoint.ChainStates {
	of := s.live()
	all, err := checkpoint.LoadChains(context.Background(), s.Table, of.keys, of.topic)
	s.must(err)
	return all
}

// judgeUpgrade finds flushes that were begun in the first format after it was over.
func (s *simulation) judgeUpgrade() {
	for id, c := range s.chains() {
		settings, err := checkpoint.ParseValues(c.Head.Ver)
		passes := func(h checkpoint.History) bool { return h.Step == c.Head.Step && h.Gap != nil }
		if c.Head.Step == 0 || c.Head.Step == s.upgrade.fenced[id] || slices.ContainsFunc(c.History, passes) {
			continue // A step that passes a gap folds nothing, and has the settings of the one before.
		}
		want := checkpoint.FoldVersion
		if s.upgrade.dice != nil && !s.upgrade.finalized {
			if want = sinks.FirstFold; s.upgrade.begun { // Cut short: chains may have been taken over since.
				continue
			}
		}
		if settings.Rules != 0 { // A rebuild repeats what was folded before.
			continue
		}
		if err != nil || settings.Fold != want {
			s.problem("partition %d, lane %s: flush %d has fold version %d, want %d (finalized: %v), %v", id.Partition, id.Lane, c.Head.Step,
				settings.Fold, want, s.upgrade.finalized, err)
		}
	}
}

// cutUpdates is cutShort for updates.
type cutUpdates struct{ cutShort }

func (c *cutUpdates) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	return c.write(func() (sinks.Result, error) { return c.Table.Update(ctx, u) })
}
