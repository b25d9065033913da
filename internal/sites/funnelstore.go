package sites

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// StoredFunnel is a funnel as the table has it.
type StoredFunnel struct {
	Funnel
	Site      string
	Version   int64     // 1, and one more with every change; a funnel that is created again after its deletion begins at 1
	CreatedAt time.Time // to the millisecond
	ChangedAt time.Time
	ChangedBy string // who made the version, for people
}

// ReadFunnel reads the item of a funnel.
func ReadFunnel(it sinks.Item) (s StoredFunnel, err error) {
	s = StoredFunnel{Site: it[sinks.AttrSiteID].Str(), Version: it[sinks.AttrVersion].Int(),
		CreatedAt: time.UnixMilli(it[sinks.AttrCreatedAt].Int()).UTC(), ChangedAt: time.UnixMilli(it[sinks.AttrChangedAt].Int()).UTC(),
		ChangedBy: it[sinks.AttrChangedBy].Str()}
	s.ID, s.Name = it[sinks.AttrFunnelID].Str(), it[sinks.AttrName].Str()
	s.Window, s.Strict = time.Duration(it[sinks.AttrWindowMs].Int())*time.Millisecond, it[sinks.AttrStrict].Int() == 1
	if s.Steps, err = ParseFunnelSteps(it[sinks.AttrSteps].Str()); err == nil {
		err = s.Validate()
	}
	if err != nil {
		return StoredFunnel{}, fmt.Errorf("funnel %q of site %q: %w; a newer release may have written it: use that one", s.ID, s.Site, err)
	}
	return s, nil
}

// Item is the item of a funnel.
func (s StoredFunnel) Item(keys sinks.Keys) sinks.Item {
	key := keys.Funnel(s.Site, s.ID)
	strict := int64(0)
	if s.Strict {
		strict = 1
	}
	return sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityFunnel), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrSiteID: sinks.Str(s.Site), sinks.AttrFunnelID: sinks.Str(s.ID), sinks.AttrName: sinks.Str(s.Name),
		sinks.AttrSteps: sinks.Str(stepsJSON(s.Steps)), sinks.AttrWindowMs: sinks.Int(s.Window.Milliseconds()),
		sinks.AttrStrict: sinks.Int(strict), sinks.AttrVersion: sinks.Int(s.Version),
		sinks.AttrCreatedAt: sinks.Int(s.CreatedAt.UnixMilli()), sinks.AttrChangedAt: sinks.Int(s.ChangedAt.UnixMilli()),
		sinks.AttrChangedBy: sinks.Str(s.ChangedBy),
	}
}

// A FunnelStore writes the funnels of a table. Safe for concurrent use.
type FunnelStore struct {
	Table sinks.Table
	Keys  sinks.Keys
	By    string           // who writes, for people
	Now   func() time.Time // tells when, for people
}

// FunnelNotFoundError reports that a site has no such funnel.
type FunnelNotFoundError struct{ Site, Funnel string }

func (e *FunnelNotFoundError) Error() string {
	return fmt.Sprintf("site %q has no funnel %q: `footfall funnel list` lists its funnels, `footfall funnel create` creates one", e.Site,
		e.Funnel)
}

// FunnelConflictError reports that another change came first, or that the funnel exists already. Nothing was changed.
type FunnelConflictError struct {
	Held        StoredFunnel // as it is
	Version     int64        // that was to be changed; 0: it was to be created
	Differences []string     // of a creation: "window: 30m0s holds, not 1h0m0s"
}

func (e *FunnelConflictError) Error() string {
	made := fmt.Sprintf("version %d, made by %s at %s", e.Held.Version, e.Held.ChangedBy, e.Held.ChangedAt.Format(time.RFC3339))
	if e.Version == 0 {
		return fmt.Sprintf("site %q already has a funnel %q, in %s, with other values: %s. Nothing was changed: "+
			"`footfall funnel update` changes a funnel", e.Held.Site, e.Held.ID, made, strings.Join(e.Differences, "; "))
	}
	return fmt.Sprintf("funnel %q of site %q is in %s, and not in version %d: nothing was changed; look at it with `footfall funnel show`, "+
		"and repeat the command if it is still what you want", e.Held.ID, e.Held.Site, made, e.Version)
}

// Create records a funnel of a site that is known: one that has events or was created. A funnel that is there with other values
// is a *ConflictError; one that is there as d has it is not, so it may be repeated.
func (s *FunnelStore) Create(ctx context.Context, site string, d Funnel) (StoredFunnel, error) {
	if err := d.Validate(); err != nil {
		return StoredFunnel{}, err
	}
	if err := s.known(ctx, site); err != nil {
		return StoredFunnel{}, err
	}
	now := s.now()
	next := StoredFunnel{Funnel: d, Site: site, Version: 1, CreatedAt: now, ChangedAt: now, ChangedBy: s.By}
	r, err := s.Table.Put(ctx, sinks.Put{Item: next.Item(s.Keys), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return StoredFunnel{}, s.failed("create", site, d.ID, err)
	}
	if !r.Refused {
		return next, nil
	}
	held, err := ReadFunnel(r.Item)
	if err != nil {
		return StoredFunnel{}, err
	}
	if diff := held.differences(d); diff != nil {
		return StoredFunnel{}, &FunnelConflictError{Held: held, Differences: diff}
	}
	return held, nil
}

// Update changes a funnel: change alters what the definition says, all but the id. If the funnel is in another version than
// ifVersion, or is changed in between, that is a *ConflictError; 0: any version may be changed. A change that
// leaves it as it is writes nothing and meets no conflict, so Update may be repeated. A funnel that is not there is a *NotFoundError.
func (s *FunnelStore) Update(ctx context.Context, site, id string, ifVersion int64, change func(*Funnel)) (StoredFunnel, error) {
	held, err := s.load(ctx, site, id)
	if err != nil {
		return StoredFunnel{}, err
	}
	next := held
	change(&next.Funnel)
	next.ID = held.ID
	if err := next.Validate(); err != nil {
		return StoredFunnel{}, err
	}
	if next.Funnel.equal(held.Funnel) {
		return held, nil
	}
	if ifVersion != 0 && ifVersion != held.Version {
		return StoredFunnel{}, &FunnelConflictError{Held: held, Version: ifVersion}
	}
	next.Version, next.ChangedAt, next.ChangedBy = held.Version+1, s.now(), s.By
	r, err := s.Table.Put(ctx, sinks.Put{Item: next.Item(s.Keys), If: ofFunnelVersion(held)})
	if err != nil {
		return StoredFunnel{}, s.failed("change", site, id, err)
	}
	if r.Refused {
		return StoredFunnel{}, s.conflict(site, id, held.Version, r.Item)
	}
	return next, nil
}

// Delete removes a funnel, and returns what it was. Conflicts are those of Update. A funnel that is not there is a *NotFoundError,
// also when an earlier call has removed it.
func (s *FunnelStore) Delete(ctx context.Context, site, id string, ifVersion int64) (StoredFunnel, error) {
	held, err := s.load(ctx, site, id)
	if err != nil {
		return StoredFunnel{}, err
	}
	if ifVersion != 0 && ifVersion != held.Version {
		return StoredFunnel{}, &FunnelConflictError{Held: held, Version: ifVersion}
	}
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: s.Keys.Funnel(site, id), If: ofFunnelVersion(held)})
	if err != nil {
		return StoredFunnel{}, s.failed("delete", site, id, err)
	}
	if r.Refused {
		return StoredFunnel{}, s.conflict(site, id, held.Version, r.Item)
	}
	return held, nil
}

// ofFunnelVersion holds as long as the funnel was neither changed nor deleted and created again, which changes the instants.
func ofFunnelVersion(s StoredFunnel) []sinks.Cond {
	return []sinks.Cond{{Attr: sinks.AttrVersion, Op: sinks.Equal, Value: sinks.Int(s.Version)},
		{Attr: sinks.AttrCreatedAt, Op: sinks.Equal, Value: sinks.Int(s.CreatedAt.UnixMilli())}}
}

// conflict is what a refused write has met.
func (s *FunnelStore) conflict(site, id string, version int64, it sinks.Item) error {
	if it == nil {
		return fmt.Errorf("%w; it has been deleted since", &FunnelNotFoundError{site, id})
	}
	held, err := ReadFunnel(it)
	if err != nil {
		return err
	}
	return &FunnelConflictError{Held: held, Version: version}
}

func (s *FunnelStore) load(ctx context.Context, site, id string) (StoredFunnel, error) {
	if err := checkSite(site); err != nil {
		return StoredFunnel{}, err
	}
	if err := CheckFunnelID(id); err != nil {
		return StoredFunnel{}, err
	}
	key := s.Keys.Funnel(site, id)
	found, err := sinks.Get(ctx, s.Table, key)
	if err != nil {
		return StoredFunnel{}, s.failed("read", site, id, err)
	}
	if found[key] == nil {
		return StoredFunnel{}, &FunnelNotFoundError{site, id}
	}
	return ReadFunnel(found[key])
}

// known refuses a site that is not known: a funnel of a misspelled site would never count anything.
func (s *FunnelStore) known(ctx context.Context, site string) error {
	return CheckKnown(ctx, s.Table, s.Keys, site)
}

// CheckKnown returns an error for a site that has no counted events and was not created: its id may be misspelled.
func CheckKnown(ctx context.Context, t sinks.Table, keys sinks.Keys, site string) error {
	if err := checkSite(site); err != nil {
		return err
	}
	found, err := sinks.Get(ctx, t, keys.SiteEntry(site), keys.Metadata(site))
	if err != nil {
		return fmt.Errorf("site %q: look it up: %w", site, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("site %q is not known: it has no counted events and was not created: check the id, or use `footfall site create`", site)
	}
	return nil
}

// failed says what was being done, and that it may be repeated where that is so.
func (s *FunnelStore) failed(what, site, id string, err error) error {
	if sinks.Retryable(err) {
		return fmt.Errorf("%s funnel %q of site %q: %w: run the command again; repeating it is safe", what, id, site, err)
	}
	return fmt.Errorf("%s funnel %q of site %q: %w", what, id, site, err)
}

func (s *FunnelStore) now() time.Time { return time.UnixMilli(s.Now().UnixMilli()).UTC() }
