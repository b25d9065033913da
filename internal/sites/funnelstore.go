package sites

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/entered"
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
func (s StoredFunnel) Item() sinks.Item {
	it := entered.Head(sinks.Keys{}.Funnel(s.Site, s.ID), sinks.EntityFunnel, s.Site)
	it[sinks.AttrFunnelID], it[sinks.AttrName], it[sinks.AttrSteps] = sinks.Str(s.ID), sinks.Str(s.Name), sinks.Str(stepsJSON(s.Steps))
	it[sinks.AttrWindowMs], it[sinks.AttrStrict] = sinks.Int(s.Window.Milliseconds()), sinks.Int(0)
	if s.Strict {
		it[sinks.AttrStrict] = sinks.Int(1)
	}
	it[sinks.AttrVersion], it[sinks.AttrCreatedAt] = sinks.Int(s.Version), sinks.Int(s.CreatedAt.UnixMilli())
	it[sinks.AttrChangedAt], it[sinks.AttrChangedBy] = sinks.Int(s.ChangedAt.UnixMilli()), sinks.Str(s.ChangedBy)
	return it
}

// made says which version it is.
func (s StoredFunnel) made() string {
	return fmt.Sprintf("version %d, made by %s at %s", s.Version, s.ChangedBy, s.ChangedAt.Format(time.RFC3339))
}

var funnels = entered.Kind[StoredFunnel]{Name: "funnel", Command: "funnel", Key: sinks.Keys{}.Funnel, List: sinks.Keys{}.Funnels,
	Item: StoredFunnel.Item, Read: ReadFunnel, Remedy: "`footfall funnel update` changes a funnel",
	Differ: func(held, next StoredFunnel) string {
		diff := held.differences(next.Funnel)
		if diff == nil {
			return ""
		}
		return fmt.Sprintf("in %s, with other values: %s", held.made(), strings.Join(diff, "; "))
	}}

// UnknownFunnel is the error of a site that has no such funnel.
func UnknownFunnel(site, id string) error { return funnels.Unknown(site, id) }

// A FunnelStore writes the funnels of a table. Safe for concurrent use.
type FunnelStore entered.Writer

// FunnelConflictError reports that another change came first. Nothing was changed.
type FunnelConflictError struct {
	Held    StoredFunnel // as it is
	Version int64        // that was to be changed
}

func (e *FunnelConflictError) Error() string {
	return fmt.Sprintf("funnel %q of site %q is in %s, and not in version %d: nothing was changed; look at it with `footfall funnel show`, "+
		"and repeat the command if it is still what you want", e.Held.ID, e.Held.Site, e.Held.made(), e.Version)
}

// Create records a funnel of a site that is known: one that has events or was created. A funnel that is there with other values
// is an error; one that is there as d has it is not, so it may be repeated.
func (s *FunnelStore) Create(ctx context.Context, site string, d Funnel) (StoredFunnel, error) {
	if err := d.Validate(); err != nil {
		return StoredFunnel{}, err
	}
	now := entered.Instant(s.Now())
	return funnels.Create(ctx, s.Table, site, d.ID, StoredFunnel{Funnel: d, Site: site, Version: 1, CreatedAt: now, ChangedAt: now,
		ChangedBy: s.By})
}

// Update changes a funnel: change alters what the definition says, all but the id. If the funnel is in another version than
// ifVersion, or is changed in between, that is a *FunnelConflictError; 0: any version may be changed. A change that
// leaves it as it is writes nothing and meets no conflict, so Update may be repeated. A funnel that is not there is an
// *entered.UnknownError.
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
	if next.differences(held.Funnel) == nil {
		return held, nil
	}
	if ifVersion != 0 && ifVersion != held.Version {
		return StoredFunnel{}, &FunnelConflictError{Held: held, Version: ifVersion}
	}
	next.Version, next.ChangedAt, next.ChangedBy = held.Version+1, entered.Instant(s.Now()), s.By
	r, err := s.Table.Put(ctx, sinks.Put{Item: next.Item(), If: ofFunnelVersion(held)})
	if err != nil {
		return StoredFunnel{}, funnels.Failed("change", site, id, err)
	}
	if r.Refused {
		return StoredFunnel{}, conflict(site, id, held.Version, r.Item)
	}
	return next, nil
}

// Delete removes a funnel, and returns what it was. Conflicts are those of Update. A funnel that is not there is an
// *entered.UnknownError, also when an earlier call has removed it.
func (s *FunnelStore) Delete(ctx context.Context, site, id string, ifVersion int64) (StoredFunnel, error) {
	held, err := s.load(ctx, site, id)
	if err != nil {
		return StoredFunnel{}, err
	}
	if ifVersion != 0 && ifVersion != held.Version {
		return StoredFunnel{}, &FunnelConflictError{Held: held, Version: ifVersion}
	}
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: funnels.Key(site, id), If: ofFunnelVersion(held)})
	if err != nil {
		return StoredFunnel{}, funnels.Failed("delete", site, id, err)
	}
	if r.Refused {
		return StoredFunnel{}, conflict(site, id, held.Version, r.Item)
	}
	return held, nil
}

// ofFunnelVersion holds as long as the funnel was neither changed nor deleted and created again, which changes the instants.
func ofFunnelVersion(s StoredFunnel) []sinks.Cond {
	return []sinks.Cond{{Attr: sinks.AttrVersion, Op: sinks.Equal, Value: sinks.Int(s.Version)},
		{Attr: sinks.AttrCreatedAt, Op: sinks.Equal, Value: sinks.Int(s.CreatedAt.UnixMilli())}}
}

// conflict is what a refused write has met.
func conflict(site, id string, version int64, it sinks.Item) error {
	if it == nil {
		return fmt.Errorf("%w; it has been deleted since", UnknownFunnel(site, id))
	}
	held, err := ReadFunnel(it)
	if err != nil {
		return err
	}
	return &FunnelConflictError{Held: held, Version: version}
}

func (s *FunnelStore) load(ctx context.Context, site, id string) (StoredFunnel, error) {
	if err := entered.CheckSite(site); err != nil {
		return StoredFunnel{}, err
	}
	if err := entered.CheckID("funnel", id); err != nil {
		return StoredFunnel{}, err
	}
	return funnels.Get(ctx, s.Table, site, id)
}
