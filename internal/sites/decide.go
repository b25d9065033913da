package sites

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Decision is what all decisions about a site have in common.
type Decision struct {
	Table sinks.Table
	Keys  sinks.Keys
	Site  string
	Now   time.Time
	// IfRevision is the last revision that the site must have; otherwise the decision is a *RevisionError. With nil, any revision will
	// do: if others decide first, the decision is made on top of theirs.
	IfRevision *int64
}

// decisionState is what is known about a site when something is decided about it.
type decisionState struct {
	rules *Rules // its last ones; nil: nothing was decided
	unmet bool   // no pipeline can have counted it: it is not in the list of sites, or was claimed and has no revision
	shown int64  // the revision that its metadata is of; 0: it has none
	zone  Zone   // that its entry fixes

	history []Revision // its revisions
}

// revision returns the site's last revision, 0 where it has none.
func (s decisionState) revision() int64 {
	if len(s.history) == 0 {
		return 0
	}
	return s.history[len(s.history)-1].Rev
}

// alterable returns the rules of a site for a change: it must be known, exist, and have the revision that the decision asks for.
func (d Decision) alterable(s decisionState) (*Rules, error) {
	if s.unmet {
		return nil, fmt.Errorf("site %q is not known: check the id, or use `footfall site create`", d.Site)
	}
	if err := d.checkRevision(s); err != nil {
		return nil, err
	}
	if Gone(s.history) > 0 {
		return nil, fmt.Errorf("site %q was purged at %s: `footfall site create` begins it with nothing", d.Site, since(s.rules.DeletedAt))
	}
	if s.rules.Deleted() {
		return nil, fmt.Errorf("site %q was deleted at %s: `footfall site create` brings it back", d.Site, since(s.rules.DeletedAt))
	}
	next := s.rules.Clone()
	if s.rules == nil {
		next.CreatedAt = d.Now.UnixMilli()
	}
	return next, nil
}

// about adds the site to an error.
func (d Decision) about(err error) error {
	if err != nil {
		return fmt.Errorf("site %q: %w", d.Site, err)
	}
	return nil
}

// alter has change alter the rules of a site that exists.
func (d Decision) alter(ctx context.Context, change func(*Rules, decisionState) error) error {
	if d.Site == "" {
		return errors.New("the site's id is empty: name the siteId of its events")
	}
	return d.decide(ctx, func(s decisionState) (*Rules, error) {
		next, err := d.alterable(s)
		if err != nil {
			return nil, err
		}
		return next, change(next, s)
	})
}

// maxConflicts is how often a decision is made anew since others were faster.
const maxConflicts = 20

// decide appends what change makes of a site's rules, and publishes it: see append.
func (d Decision) decide(ctx context.Context, change func(decisionState) (*Rules, error)) error {
	return d.append(ctx, func(s decisionState) (*Revision, error) {
		next, err := change(s)
		if err != nil || s.rules != nil && next.String() == s.rules.String() {
			return nil, err
		}
		if err := d.mayExcludeTypes(ctx, next.ExcludedTypes); err != nil {
			return nil, err
		}
		return &Revision{At: d.Now.UnixMilli(), Site: d.Site, Rules: next, Always: s.unmet}, nil
	})
}

// append appends the revision that change returns, and publishes it; nil: none. Where somebody appends first, change is asked again
// with what holds then. Rules that change leaves as they are are published all the same: whoever appended them may have
// ended before he had.
//
// The first rules of a site that nobody can have counted hold always, whichever revision a step names. To that end the site is
// claimed in the list of sites first: a worker that meets a claimed site reads its rules before it counts, and where there are
// none yet it appends a revision without any, so that the log decides who was first.
func (d Decision) append(ctx context.Context, change func(decisionState) (*Revision, error)) error {
	t, keys, id := d.Table, d.Keys, d.Site
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
				return fmt.Errorf("site %q: its metadata is of revision %d of the site settings, and the table has %d: was a revision deleted, "+
					"or the table restored? restore what belongs together; nothing was changed", id, s.shown, log.Rev())
			}
			continue
		}
		next, err := change(s)
		if err != nil {
			return errors.Join(err, repair(ctx, t, keys, log, id))
		}
		if next == nil {
			return repair(ctx, t, keys, log, id)
		}
		if s.unmet {
			claimed, err := sinks.ClaimSite(ctx, t, keys, id, d.Now)
			if err != nil {
				return repeatable(err)
			}
			if !claimed {
				continue // A worker has just listed it.
			}
		}
		after, err := AppendLog(ctx, t, keys, log, *next)
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
	if entry[sinks.AttrGenerationZones].Kind() != sinks.None { // That of the live generation is in force.
		settings, _, err := sinks.LoadTableSettings(ctx, t, sinks.Keys{})
		if err != nil {
			return s, err
		}
		keys = settings.Generations.Keys()
	}
	s.zone, err = EntryZone(entry, keys)
	return s, err
}
