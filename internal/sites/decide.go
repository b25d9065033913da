package sites

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// decisionState is what is known about a site when something is decided about it.
type decisionState struct {
	rules *Rules // its last ones; nil: nothing was decided
	unmet bool   // no pipeline can have counted it: it is not in the list of sites, or was claimed and has no revision
	shown int64  // the revision that its metadata is of; 0: it has none

	history []Revision // its revisions
}

// revision returns the site's last revision, 0 where it has none.
func (s decisionState) revision() int64 {
	if len(s.history) == 0 {
		return 0
	}
	return s.history[len(s.history)-1].Rev
}

// alterable returns the rules of a site for a change: it must be known, be there, and be of the revision that is wanted; nil: of
// any.
func (s decisionState) alterable(id string, want *int64, now time.Time) (*Rules, error) {
	if s.unmet {
		return nil, fmt.Errorf("site %q is not known: `footfall site create` makes one", id)
	}
	if err := s.checkRevision(id, want); err != nil {
		return nil, err
	}
	if s.rules.Deleted() {
		return nil, fmt.Errorf("site %q was deleted at %s: `footfall site create` brings it back", id, since(s.rules.DeletedAt))
	}
	next := s.rules.Clone()
	if s.rules == nil {
		next.CreatedAt = now.UnixMilli()
	}
	return next, nil
}

// maxConflicts is how often a decision is made anew since others were faster.
const maxConflicts = 20

// decide appends what change makes of a site's rules, and publishes it. Where somebody appends first, change is asked again
// with what holds then. Rules that change leaves as they are are published all the same: whoever appended them may have
// ended before he had.
//
// The first rules of a site that nobody can have counted hold always, whichever revision a step names. To that end the site is
// claimed in the list of sites first: a worker that meets a claimed site reads its rules before it counts, and where there are
// none yet it appends a revision without any, so that the log decides who was first.
func decide(ctx context.Context, t sinks.Table, keys sinks.Keys, id string, now time.Time, change func(decisionState) (*Rules,
	error)) error {
	var log *Log
	for range maxConflicts {
		var err error
		if log, err = ReadLog(ctx, t, keys, log); err != nil {
			return repeatable(err)
		}
		s, err := look(ctx, t, keys, log, id)
		if err != nil {
			return repeatable(err)
		}
		if s.shown > log.Rev() {
			// Somebody has appended it since the log was read. Else it is gone, and its number is not another's.
			if log, err = ReadLog(ctx, t, keys, log); err != nil {
				return repeatable(err)
			}
			if s.shown > log.Rev() {
				return fmt.Errorf("site %q: its metadata is of revision %d of the rules of sites, and the table has %d: was a revision deleted, "+
					"or the table restored? restore what belongs together; nothing was changed", id, s.shown, log.Rev())
			}
			continue
		}
		next, err := change(s)
		if err != nil {
			return errors.Join(err, repair(ctx, t, keys, log, id))
		}
		if s.rules != nil && next.String() == s.rules.String() {
			return repair(ctx, t, keys, log, id)
		}
		if s.unmet {
			claimed, err := sinks.ClaimSite(ctx, t, keys, id, now)
			if err != nil {
				return repeatable(err)
			}
			if !claimed {
				continue // A worker has just listed it.
			}
		}
		after, err := AppendLog(ctx, t, keys, log, Revision{At: now.UnixMilli(), Site: id, Rules: next, Always: s.unmet})
		if errors.Is(err, ErrBehind) {
			continue
		}
		if err != nil {
			return repeatable(err)
		}
		return repair(ctx, t, keys, after, id)
	}
	return fmt.Errorf("site %q: other commands changed site settings %d times in between; nothing was changed: repeat the command", id,
		maxConflicts)
}

// repair publishes the last rules of a site, if it has any. It does nothing where they are published.
func repair(ctx context.Context, t sinks.Table, keys sinks.Keys, log *Log, id string) error {
	return repeatable(PublishSite(ctx, t, keys, id, log.History(id)))
}

// look finds out what is known about a site.
func look(ctx context.Context, t sinks.Table, keys sinks.Keys, log *Log, id string) (s decisionState, err error) {
	if s.rules = log.At(log.Rev()).Site(id); s.rules.Empty() {
		s.rules = nil
	}
	s.history = log.History(id)
	key, metadata := keys.SiteEntry(id), keys.Metadata(id)
	found, err := sinks.Get(ctx, t, key, metadata)
	if err != nil {
		return s, fmt.Errorf("site %q: look it up in the list of sites: %w", id, err)
	}
	entry := found[key]
	s.unmet = len(log.History(id)) == 0 && (entry == nil || sinks.Claimed(entry))
	s.shown = found[metadata][sinks.AttrRev].Int()
	return s, nil
}
