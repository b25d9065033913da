package testpipeline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// EarlierRelease is a table as a process of the earlier release uses it. Such a process knows the first format alone, and its name as an
// owner does not say which release it is of.
type EarlierRelease struct{ sinks.Table }

func (e EarlierRelease) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	u.Set = slices.Clone(u.Set)
	for i, a := range u.Set {
		if a.Name == checkpoint.AttrOwner {
			u.Set[i].Value = sinks.Str(strings.TrimSuffix(a.Value.Str(), "/"+sinks.FormatRelease(sinks.LastFormat)))
		}
	}
	return e.Table.Update(ctx, u)
}

func (e EarlierRelease) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := e.Table.Put(ctx, p)
	r.Item = e.settings(r.Item)
	return r, err
}

func (e EarlierRelease) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := e.Table.BatchGet(ctx, g)
	for key, it := range r.Items {
		r.Items[key] = e.settings(it)
	}
	return r, err
}

// settings are the table's settings with a format that the process does not know, once it is raised; any other item is as it is.
func (e EarlierRelease) settings(it sinks.Item) sinks.Item {
	if it == nil || it.Key() != (sinks.Keys{}).TableSettings() || it[sinks.AttrFormat].Kind() == sinks.None {
		return it
	}
	it = maps.Clone(it)
	it[sinks.AttrFormat] = sinks.Int(sinks.LastFormat + 1)
	return it
}

// MakeEarlier makes a table one that the earlier release has made: its settings name no format.
func MakeEarlier(t testing.TB, table sinks.Table) {
	t.Helper()
	_, err := table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(), Remove: []string{sinks.AttrFormat, sinks.AttrRelease}})
	if err != nil {
		t.Fatal(err)
	}
}
