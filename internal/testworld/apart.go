package testworld

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// Apart returns a table within a table: its items lie under partition keys that begin with a name, and it sees no others. Many tests share
// a table of DynamoDB Local this way; each table of its own would begin another search for expired items, which tests have in mind.
func Apart(table sinks.Table, name string) sinks.Table { return apart{table, name + "|"} }

type apart struct {
	inner  sinks.Table
	prefix string
}

// partitionKeys are the attributes that hold partition keys.
var partitionKeys = []string{sinks.AttrPK, sinks.AttrGSI1PK}

func (a apart) into(k sinks.Key) sinks.Key { return sinks.Key{PK: a.prefix + k.PK, SK: k.SK} }

func (a apart) intoItem(it sinks.Item) sinks.Item {
	it = maps.Clone(it)
	for _, name := range partitionKeys {
		if pk := it[name]; pk.Kind() == sinks.String {
			it[name] = sinks.Str(a.prefix + pk.Str())
		}
	}
	return it
}

func (a apart) intoAttrs(attrs []sinks.Attr) []sinks.Attr {
	attrs = slices.Clone(attrs)
	for i, at := range attrs {
		if slices.Contains(partitionKeys, at.Name) {
			attrs[i].Value = sinks.Str(a.prefix + at.Value.Str())
		}
	}
	return attrs
}

func (a apart) from(it sinks.Item) sinks.Item {
	for _, name := range partitionKeys {
		if pk := it[name]; pk.Kind() == sinks.String {
			it[name] = sinks.Str(strings.TrimPrefix(pk.Str(), a.prefix))
		}
	}
	return it
}

func (a apart) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	u.Key, u.Set = a.into(u.Key), a.intoAttrs(u.Set)
	r, err := a.inner.Update(ctx, u)
	r.Item = a.from(r.Item)
	return r, err
}

func (a apart) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	p.Item = a.intoItem(p.Item)
	r, err := a.inner.Put(ctx, p)
	r.Item = a.from(r.Item)
	return r, err
}

func (a apart) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	d.Key = a.into(d.Key)
	r, err := a.inner.Delete(ctx, d)
	r.Item = a.from(r.Item)
	return r, err
}

func (a apart) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	named := make([]sinks.Attrs, len(items))
	for i, it := range items {
		named[i] = a.intoAttrs(it)
	}
	r, err := a.inner.BatchPut(ctx, named)
	return a.fromBatch(r), err
}

func (a apart) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	g.Keys = slices.Clone(g.Keys)
	for i, k := range g.Keys {
		g.Keys[i] = a.into(k)
	}
	r, err := a.inner.BatchGet(ctx, g)
	return a.fromBatch(r), err
}

func (a apart) fromBatch(r sinks.BatchResult) sinks.BatchResult {
	items := make(map[sinks.Key]sinks.Item, len(r.Items))
	for _, it := range r.Items {
		it = a.from(it)
		items[it.Key()] = it
	}
	r.Items, r.Left = items, slices.Clone(r.Left)
	for i, k := range r.Left {
		r.Left[i].PK = strings.TrimPrefix(k.PK, a.prefix)
	}
	return r
}

func (a apart) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	q.PK = a.prefix + q.PK
	page, err := a.inner.Query(ctx, q)
	for i, it := range page.Items {
		page.Items[i] = a.from(it)
	}
	return page, err
}
