package entered

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/footfall/footfall/sinks"
)

// A Writer writes to a table. Safe for concurrent use.
type Writer struct {
	Table sinks.Table
	By    string // who writes, for people
	Now   func() time.Time
}

// Instant returns an instant as items have it: in whole milliseconds.
func Instant(at time.Time) time.Time { return time.UnixMilli(at.UnixMilli()).UTC() }

// A Kind is a kind of what people enter. T is one of them, with its site.
type Kind[T any] struct {
	Name    string // as messages say it, such as segment
	Command string // of footfall, with the commands list and delete
	Max     int    // that a site has at most; 0: unlimited
	Key     func(site, id string) sinks.Key
	// List selects those of a site: query the partition key with the prefix.
	List func(site string) (pk, prefix string)
	Item func(T) sinks.Item
	Read func(sinks.Item) (T, error)
	// Differ says how the one that has the id already differs from one that is to be created, as in "with other filters"; "": it is the same.
	// nil: no two have the same id.
	Differ func(held, next T) string
	Remedy string // where they differ
}

// UnknownError reports that a site has none with an id.
type UnknownError struct{ Kind, Command, Site, ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("site %q has no %s %q: `footfall %s list` lists its %ss", e.Site, e.Kind, e.ID, e.Command, e.Kind)
}

// FullError reports that a site has as many as it may have.
type FullError struct {
	Kind, Command, Site string
	Max                 int
}

func (e *FullError) Error() string {
	return fmt.Sprintf("site %q has %d %ss, which is as many as a site may have: delete some; `footfall %s list` lists them", e.Site, e.Max,
		e.Kind, e.Command)
}

// Head has the attributes that every item has. site "": it is of none.
func Head(key sinks.Key, entity, site string) sinks.Item {
	it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(entity),
		sinks.AttrSchema: sinks.Int(sinks.SchemaVersion)}
	if site != "" {
		it[sinks.AttrSiteID] = sinks.Str(site)
	}
	return it
}

// Create keeps next, of a site that is known. If it is there already, nothing is written, so Create may be repeated; if it is there with
// other values, that is an error. One more than Max is a *FullError; calls at the same time may exceed the bound by as many as they are.
func (k *Kind[T]) Create(ctx context.Context, t sinks.Table, site, id string, next T) (held T, err error) {
	if err := CheckKnown(ctx, t, site); err != nil {
		return held, err
	}
	if err := k.checkRoom(ctx, t, site, id); err != nil {
		return held, err
	}
	r, err := t.Put(ctx, sinks.Put{Item: k.Item(next), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return held, k.Failed("create", site, id, err)
	}
	if !r.Refused {
		return next, nil
	}
	held, err = k.Read(r.Item)
	if err == nil && k.Differ != nil {
		if how := k.Differ(held, next); how != "" {
			err = fmt.Errorf("site %q has the %s %q already, %s. Nothing was changed: %s", site, k.Name, id, how, k.Remedy)
		}
	}
	return held, err
}

// checkRoom returns a *FullError if one more is too many.
func (k *Kind[T]) checkRoom(ctx context.Context, t sinks.Table, site, id string) error {
	if k.Max == 0 {
		return nil
	}
	n, key := 0, k.Key(site, id)
	for it, err := range k.Items(ctx, t, site, true) {
		if err != nil {
			return err
		}
		if it.Key() == key {
			return nil
		}
		n++
	}
	if n >= k.Max {
		return &FullError{k.Name, k.Command, site, k.Max}
	}
	return nil
}

// Get returns one as it is now. One that is not there is an *UnknownError.
func (k *Kind[T]) Get(ctx context.Context, t sinks.Table, site, id string) (one T, err error) {
	key := k.Key(site, id)
	found, err := sinks.Get(ctx, t, key)
	switch {
	case err != nil:
		return one, k.Failed("read", site, id, err)
	case found[key] == nil:
		return one, k.Unknown(site, id)
	}
	return k.Read(found[key])
}

// Of returns those of a site in the order of their keys. One that cannot be read is an error.
func (k *Kind[T]) Of(ctx context.Context, t sinks.Table, site string, consistent bool) iter.Seq2[T, error] {
	return Read(k.Items(ctx, t, site, consistent), k.Read)
}

// Read reads items. The first that cannot be read ends it.
func Read[T any](items iter.Seq2[sinks.Item, error], read func(sinks.Item) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for it, err := range items {
			var one T
			if err == nil {
				one, err = read(it)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// Items returns the items of a site, also those that cannot be read.
func (k *Kind[T]) Items(ctx context.Context, t sinks.Table, site string, consistent bool) iter.Seq2[sinks.Item, error] {
	pk, prefix := k.List(site)
	return func(yield func(sinks.Item, error) bool) {
		for it, err := range sinks.Items(ctx, t, sinks.Query{PK: pk, Prefix: prefix, Consistent: consistent}) {
			if err != nil {
				err = fmt.Errorf("%ss of site %q: %w", k.Name, site, err)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// Delete removes one. One that is not there is an *UnknownError, also when an earlier call has removed it.
func (k *Kind[T]) Delete(ctx context.Context, t sinks.Table, site, id string) error {
	r, err := t.Delete(ctx, sinks.Delete{Key: k.Key(site, id), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
	switch {
	case err != nil:
		return k.Failed("delete", site, id, err)
	case r.Refused:
		return k.Unknown(site, id)
	}
	return nil
}

// DeleteAll removes the items of a site that are chosen, and says how many. Repeating it is safe. chosen nil: all are.
func (k *Kind[T]) DeleteAll(ctx context.Context, t sinks.Table, site string, chosen func(sinks.Item) bool) (n int64, err error) {
	for it, err := range k.Items(ctx, t, site, true) {
		if err == nil && chosen != nil && !chosen(it) {
			continue
		}
		if err == nil {
			_, err = t.Delete(ctx, sinks.Delete{Key: it.Key()})
		}
		if err != nil {
			return n, fmt.Errorf("delete %ss of site %q: %w", k.Name, site, err)
		}
		n++
	}
	return n, nil
}

// Unknown is the error of one that is not there.
func (k *Kind[T]) Unknown(site, id string) error { return &UnknownError{k.Name, k.Command, site, id} }

// Failed is the error of a request: what was being done, and that it may be repeated where that is so.
func (k *Kind[T]) Failed(what, site, id string, err error) error {
	if sinks.Retryable(err) {
		return fmt.Errorf("%s %s %q of site %q: %w: run the command again; repeating it is safe", what, k.Name, id, site, err)
	}
	return fmt.Errorf("%s %s %q of site %q: %w", what, k.Name, id, site, err)
}
