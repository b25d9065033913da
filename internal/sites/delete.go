package sites

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrUnknown reports a site that was never counted and about which nothing was decided.
var ErrUnknown = errors.New("not known")

// RevisionError reports that somebody has decided about a site since the revision that the caller goes by.
type RevisionError struct {
	Site       string
	Have, Want int64 // revisions of the rules of sites, the site's last; 0: none
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("site %q has revision %d, not %d: it was changed by another command; nothing was changed: inspect it with "+
		"`footfall site show`, and repeat the command for revision %d if it is still wanted", e.Site, e.Have, e.Want, e.Have)
}

// checkRevision returns a *RevisionError if the site's last revision is not the one that the decision asks for.
func (d Decision) checkRevision(s decisionState) error {
	if have, want := s.revision(), d.IfRevision; want != nil && *want != have {
		return &RevisionError{d.Site, have, *want}
	}
	return nil
}

// Delete records that a site is there no more, as a revision of its rules: steps that name it reject the site's records. What is
// in the table stays until it expires, and queries answer as before. An unknown site is an error; one that was counted and never
// created may be deleted, too. It may be repeated: deleting a site that is deleted changes nothing.
func (d Decision) Delete(ctx context.Context) error {
	if err := (Definition{ID: d.Site}).Validate(); err != nil {
		return err
	}
	return d.decide(ctx, func(s decisionState) (*Rules, error) {
		if s.unmet {
			return nil, fmt.Errorf("site %q is %w: `footfall site list` lists all sites", d.Site, ErrUnknown)
		}
		if err := d.checkRevision(s); err != nil || s.rules.Deleted() {
			return s.rules, err
		}
		next := s.rules.Clone()
		next.DeletedAt = d.Now.UnixMilli()
		if s.rules == nil {
			next.CreatedAt = d.Now.UnixMilli()
		}
		return next, nil
	})
}

// back returns the rules of a deleted site that is created again. What had been decided about its shards and its zone stays,
// since what was counted stays: d may not ask for others. zone is what the
// site's entry fixes.
func (d Definition) back(held *Rules, zone Zone, now time.Time) (*Rules, error) {
	next := held.Clone()
	next.DeletedAt, next.CreatedAt = 0, now.UnixMilli()
	if diff := d.cutsFrom(next.In(zone)); diff != nil {
		return nil, &ConflictError{d.ID, diff}
	}
	c := Changes{Name: &d.Name, Owner: &d.Owner, Domains: &d.Domains, UserAgents: &d.UserAgents, Referrers: &d.Referrers, Days: d.Days}
	c.ExcludedPaths, c.ExcludedTypes = &d.ExcludedPaths, &d.ExcludedTypes
	if d.QueryParameters != nil { // A setting about personal data stays, as the retention does.
		c.QueryParameters = &d.QueryParameters
	}
	if d.EventsPerSecond > 0 { // So does the budget.
		c.EventsPerSecond = &d.EventsPerSecond
	}
	c.describe(next)
	return next, nil
}
