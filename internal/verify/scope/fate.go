package scope

import (
	"context"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/event"
)

// SweptRows returns whose rows erasures must have dropped from hours, and whose they may have: those that are not done.
func (v *Rulebook) SweptRows(site string) (must, may sites.DropIndex) {
	var done, begun []sites.Drop
	for _, d := range v.Rules.At(v.Rules.Rev()).Erased(site).Drops() {
		if v.swept[d.Rev] {
			done = append(done, d)
		} else {
			begun = append(begun, d)
		}
	}
	return sites.IndexDrops(done), sites.IndexDrops(begun)
}

// Entombed returns whether a person has a tombstone at an event time, and its revision.
func (v *Rulebook) Entombed(known sites.Erased, kind sites.Person, site, id string, t int64) (rev int64, ok bool) {
	if id == "" || known.None() {
		return 0, false
	}
	x, ok := known.At(kind, sites.HashPerson(v.Hasher, kind, []byte(site), []byte(id)), t)
	return x.Rev, ok
}

// FindErasure finds whether a record is erased, and the alias that its visitor then has.
func (v *Rulebook) FindErasure(r *count.Record) {
	r.Gone, r.Alias = false, ""
	if r.Erased.None() {
		return
	}
	e, site := r.Event, string(r.Event.SiteID)
	_, user := v.Entombed(r.Erased, sites.User, site, string(e.UserID), e.Timestamp)
	_, visitor := v.Entombed(r.Erased, sites.Visitor, site, string(e.VisitorID), e.Timestamp)
	r.Gone = user || visitor
	if visitor {
		r.Alias = sites.HashPerson(v.Hasher, sites.Visitor, e.SiteID, e.VisitorID).Alias()
	}
}

// Unnamed reports whether an event has neither a visitor nor a user.
func Unnamed(e *event.Event) bool { return e.VisitorID == nil && e.UserID == nil }

// Forgotten returns up to which event time the record's visitor is erased, 0 for not at all.
func (v *Rulebook) Forgotten(r *count.Record) int64 {
	if r.Erased.None() {
		return 0
	}
	return r.Erased.Until(sites.Visitor, sites.HashPerson(v.Hasher, sites.Visitor, r.Event.SiteID, r.Event.VisitorID))
}

// LoadErasures notes which erasures are done.
func (v *Rulebook) LoadErasures(ctx context.Context) error {
	v.swept = make(map[int64]bool)
	all, err := erase.List(ctx, v.Opts.Table, v.Opts.Site)
	for _, e := range all {
		v.swept[e.Revision] = e.Over()
	}
	return err
}

// Fate is what may have become of something that is a person's.
type Fate uint8

const (
	Stays      Fate = iota // there is no tombstone
	IsSwept                // it may be there or not
	MustBeGone             // it must not be there
)

// FateOf is what may have become of a person's data that a tombstone of this revision names, if there is one.
func (v *Rulebook) FateOf(rev int64, entombed bool) Fate {
	switch {
	case !entombed:
		return Stays
	case v.swept[rev]:
		return MustBeGone
	}
	return IsSwept
}

// FateOfPerson returns the fate of what names a visitor and a user, by all tombstones.
func (v *Rulebook) FateOfPerson(site, visitor, user string, t int64) Fate {
	known := v.Rules.At(v.Rules.Rev()).Erased(site)
	rev, ok := v.Entombed(known, sites.Visitor, site, visitor, t)
	f := v.FateOf(rev, ok)
	rev, ok = v.Entombed(known, sites.User, site, user, t)
	return max(f, v.FateOf(rev, ok))
}

// FateOfVisits returns the fate of a visitor's visits before the visitor's last tombstone.
func (v *Rulebook) FateOfVisits(site string, id string, x *count.Visitor) Fate {
	known := v.Rules.At(v.Rules.Rev()).Erased(site)
	if x == nil || known.None() {
		return Stays
	}
	hash := sites.HashPerson(v.Hasher, sites.Visitor, []byte(site), []byte(id))
	until := known.Until(sites.Visitor, hash)
	if until <= x.Erased {
		return Stays
	}
	last, _ := known.At(sites.Visitor, hash, until)
	return v.FateOf(last.Rev, true)
}
