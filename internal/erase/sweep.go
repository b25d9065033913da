package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Requests in flight: shards that are read at a time, and writes of a page of one.
const (
	readers = 4
	writers = 8
)

// sweep deletes and changes what is found of the person. What it has counted before it was cut short is not counted again:
// it is not there any more.
func (r *run) sweep(ctx context.Context, p *progress, last bool) error {
	s := &sweeper{run: r, finder: r.finder(p.Rev, p.Erase.Until), progress: p, last: last}
	err := s.sweep(ctx)
	r.report.Later = s.finder.later
	return err
}

type sweeper struct {
	*run
	*finder
	*progress
	last bool

	mu sync.Mutex // covers progress.Touched
}

func (s *sweeper) sweep(ctx context.Context) error {
	if err := s.eachSession(ctx, s.session); err != nil {
		return err
	}
	if s.last && s.Person == sites.Visitor {
		if err := errors.Join(s.eachVisitor(ctx, s.visitor), s.eachArrival(ctx, s.arrival)); err != nil {
			return err
		}
	}
	if err := s.eachRecord(ctx, s.record); err != nil {
		return err
	}
	if err := s.annotations(ctx); err != nil {
		return err
	}
	if err := s.loadHeads(ctx); err != nil {
		return err
	}
	if err := s.eachPack(ctx, s.repack); err != nil {
		return err
	}
	if err := s.eachList(ctx, s.relist); err != nil {
		return err
	}
	if s.last && s.Erase.Breakdowns != nil {
		return s.breakdowns(ctx)
	}
	return nil
}

func (s *sweeper) touched(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Touched[kind]++
}

// annotations deletes those that name the person: people enter them, so they may.
func (s *sweeper) annotations(ctx context.Context) error {
	n, err := annotations.DeleteNaming(ctx, s.table, s.run.Site, s.ID)
	if n > 0 {
		s.mu.Lock()
		s.Touched[Annotations] += n
		s.mu.Unlock()
	}
	return err
}

// record deletes a raw event or a conversion.
func (s *sweeper) record(ctx context.Context, kind string, it sinks.Item) error {
	if _, err := s.table.Delete(ctx, sinks.Delete{Key: it.Key()}); err != nil {
		return err
	}
	s.touched(kind)
	return nil
}

// session takes from a session whose it is, and in the last sweep all else that it must lose.
func (s *sweeper) session(ctx context.Context, it sinks.Item) error {
	fresh := it[sinks.AttrErased].Kind() == sinks.None
	for {
		rev, err := s.first(it)
		if err != nil {
			return err
		}
		u, ok := unnameSession(it, rev)
		tp, err := partOf(it.Key())
		if err == nil && s.last && !s.heldBack(tp) && s.settled(tp, it) {
			u, ok, err = eraseSession(it, tp, rev)
		}
		if err != nil {
			return fmt.Errorf("session %s / %s: %w", it.Key().PK, it.Key().SK, err)
		}
		if !ok {
			return nil
		}
		answer, err := s.table.Update(ctx, u)
		if err != nil {
			return err
		}
		if !answer.Refused {
			if fresh {
				s.touched(Sessions)
			}
			return nil
		}
		if it = answer.Item; it == nil {
			return nil // Deleted since, by its time to live.
		}
	}
}

// first returns the revision of the first tombstone that holds for a session: steps that name it, or a later one, erase the session,
// and a redo of such a step must find that in the item, which no longer says whose the session was.
func (s *sweeper) first(it sinks.Item) (int64, error) {
	opened, err := openedAt(it)
	if err != nil {
		return 0, err
	}
	rev, known := s.Rev, s.log.At(s.log.Rev()).Erased(s.Revision.Site)
	whose := state.IdentityOf(it)
	for kind, id := range map[sites.Person]string{sites.Visitor: whose.Visitor, sites.User: whose.User} {
		if id != "" {
			hash := sites.HashPerson(s.hasher, kind, []byte(s.Revision.Site), []byte(id))
			if t, ok := known.At(kind, hash, opened); ok {
				rev = min(rev, t.Rev)
			}
		}
	}
	return rev, nil
}

// visitor deletes what a partition knows of the visitor's visits, unless a step that knows the tombstone has started them again.
func (s *sweeper) visitor(ctx context.Context, it sinks.Item) error {
	return s.deleteState(ctx, it, Visitors, func(it sinks.Item) (erased int64, err error) {
		state, err := state.DecodeVisitor(it[sinks.AttrCur].Bytes())
		if err != nil {
			return 0, sinks.Damaged(it.Key(), sinks.AttrCur, err)
		}
		return state.Erased, nil
	})
}

// arrival deletes where a partition counts the visitor as new, unless a step that knows the tombstone has started that over.
func (s *sweeper) arrival(ctx context.Context, it sinks.Item) error {
	return s.deleteState(ctx, it, Arrivals, func(it sinks.Item) (erased int64, err error) { return it[sinks.AttrErasedUntil].Int(), nil })
}

// deleteState deletes a state of the visitor, of a kind, unless it began after the tombstone: erasedOf returns up to when the visitor was
// erased as it began.
func (s *sweeper) deleteState(ctx context.Context, it sinks.Item, kind string, erasedOf func(sinks.Item) (int64, error)) error {
	for it != nil {
		tp, err := partOf(it.Key())
		if err != nil {
			return err
		}
		erased, err := erasedOf(it)
		if err != nil || erased >= s.Erase.Until || s.heldBack(tp) {
			return err
		}
		mark := sinks.AttrMark(checkpoint.LaneStats, tp)
		answer, err := s.table.Delete(ctx, sinks.Delete{Key: it.Key(), If: []sinks.Cond{{Attr: mark, Op: sinks.Equal, Value: it[mark]}}})
		if err != nil {
			return err
		}
		if !answer.Refused {
			s.touched(kind)
			return nil
		}
		it = answer.Item
	}
	return nil
}

// repeated reports whether a step may be done again, as the checkpoints were before the sweep.
func (s *sweeper) repeated(tp sinks.TP, step int64) bool {
	if s.gone(tp) {
		return false
	}
	head := s.heads[tp]
	return s.heldBack(tp) || step > head.Step || step == head.Step && !head.Done
}

// heldBack reports whether an older step of the chain may be done again, which needs the states that it began from.
func (s *sweeper) heldBack(tp sinks.TP) bool { return slices.Contains(s.held, tp) }

// settled reports whether the step that a session's item is marked with will not be done again, as the checkpoints were before the
// sweep. What such a step needs of the session before it is of events that name no person, or another.
func (s *sweeper) settled(tp sinks.TP, it sinks.Item) bool {
	head, mark := s.heads[tp], it[sinks.AttrMark(checkpoint.LaneStats, tp)].Int()
	return s.gone(tp) || mark < head.Step || mark == head.Step && head.Done
}
