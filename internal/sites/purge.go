package sites

import (
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// A purge removes a site. It is a revision of the rules: records of the site that were counted under an earlier revision count no more when
// a later flush folds them again. Package purge then deletes what the table has of them. A site that is created again afterwards begins
// with nothing: it has the records of flushes under its new rules.

// Purged returns the revision of the last purge of a site as of the view; 0: there was none.
func (v View) Purged(site string) int64 {
	for _, c := range slices.Backward(v.log.History(site)) {
		if c.Purge && c.Rev <= v.Rev {
			return c.Rev
		}
	}
	return 0
}

// CountedAt returns the view of a step whose records another generation has counted under revision rev, or NoRules, and whose rules are of
// another revision. 0: the rules are of that revision, or the step repeats nothing.
func (v View) CountedAt(rev int64) View {
	v.then = rev
	return v
}

// Counted is the revision under which the view's records were counted first.
func (v View) Counted() int64 {
	if v.then == 0 {
		return v.Ruled()
	}
	return max(0, v.then)
}

// Gone returns the revision of the purge after which the site of a history was not created again; 0: the site was not purged, or it was
// created since.
func Gone(history []Revision) int64 {
	for _, c := range slices.Backward(history) {
		switch {
		case c.Purge:
			return c.Rev
		case !c.Rules.Deleted():
			return 0
		}
	}
	return 0
}

// SincePurge returns the part of a history that begins with the last purge; all of it if there was none.
func SincePurge(history []Revision) []Revision {
	i := len(history) - 1
	for i > 0 && !history[i].Purge {
		i--
	}
	return history[max(i, 0):]
}

// LastPurge returns the revision of the last purge of a history; 0: there was none.
func LastPurge(history []Revision) int64 {
	for _, c := range slices.Backward(history) {
		if c.Purge {
			return c.Rev
		}
	}
	return 0
}

// Purge appends the revision that purges a site, and returns its number. If the site was purged and not created again since, it returns
// that revision, if it is later than done. done is a purge of the site that is over; 0: none is. For an unknown site the error is
// ErrUnknown.
func (d Decision) Purge(ctx context.Context, done int64) (rev int64, err error) {
	if err := (Definition{ID: d.Site}).Validate(); err != nil {
		return 0, err
	}
	err = d.append(ctx, func(s decisionState) (*Revision, error) {
		if gone := Gone(s.history); gone > done {
			return nil, nil
		}
		if s.unmet {
			return nil, fmt.Errorf("site %q is %w: `footfall site list --deleted` lists all sites", d.Site, ErrUnknown)
		}
		if err := d.checkRevision(s); err != nil {
			return nil, err
		}
		at := d.Now.UnixMilli()
		return &Revision{At: at, Site: d.Site, Rules: &Rules{CreatedAt: at, DeletedAt: at}, Purge: true}, nil
	})
	if err != nil {
		return 0, err
	}
	log, err := ReadLog(ctx, d.Table, d.Keys, nil)
	if err != nil {
		return 0, repeatable(err)
	}
	if rev = Gone(log.History(d.Site)); rev == 0 {
		return 0, fmt.Errorf("site %q was created again at the same time: repeat the command to purge it", d.Site)
	}
	return rev, nil
}

// PurgingError reports a site that is being purged.
type PurgingError struct{ Site string }

func (e *PurgingError) Error() string {
	return fmt.Sprintf("site %q is being purged; nothing was changed: create it when `footfall site purge %s` is done", e.Site, e.Site)
}

// mayBegin returns an error unless a site that was purged by a revision may be created again: a *PurgingError until the purge is done,
// since the sweeps would delete what is counted. It is an error, too, while the table has two generations: chains of the other one may yet
// fold records from before the purge, and must find the site deleted.
func (d Decision) mayBegin(ctx context.Context, rev int64) error {
	key := d.Keys.Purge(rev)
	found, err := sinks.Get(ctx, d.Table, key)
	switch {
	case err != nil:
		return fmt.Errorf("site %q: read how far its purge has come: %w", d.Site, err)
	case found[key][sinks.AttrDoneAt].Int() == 0:
		return &PurgingError{d.Site}
	}
	_, has, err := sinks.CheckFormat(ctx, d.Table)
	if err == nil && has.Building+has.Former > 0 {
		err = fmt.Errorf("site %q was purged, and the table has two generations of items; nothing was changed: create the site again after "+
			"`footfall rebuild drop`", d.Site)
	}
	return err
}
