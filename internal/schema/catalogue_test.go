package schema_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// inventory is what was seen of the catalogue.
type inventory struct {
	t          *testing.T
	attributes map[[2]string]bool // type and attribute
	sizes      map[string][]int   // by type
	rules      map[string]*sites.Rules
	taken      map[sinks.Key]taken
}

// taken is an item as it was checked last.
type taken struct {
	sinks.Item
	of sinks.Match
}

// take checks every item against the catalogue.
func (v *inventory) take(items map[sinks.Key]sinks.Item) {
	for _, it := range items {
		if it[sinks.AttrEntity].Str() == sinks.EntitySite {
			s, err := sites.ParseRules(it[sinks.AttrRules].Str())
			if err != nil {
				v.t.Error(err)
			}
			v.rules[it[sinks.AttrSiteID].Str()] = s
		}
	}
	for key, it := range items {
		if was, ok := v.taken[key]; ok && maps.EqualFunc(it, was.Item, sinks.Value.Equal) {
			v.measure(was.of, it)
			continue
		}
		m, ok := sinks.Find(key, it, sinks.DefaultShards)
		if !ok {
			v.t.Errorf("no type of the catalogue lies at %q", key)
			continue
		}
		if m.Type.Entity != it[sinks.AttrEntity].Str() {
			v.t.Errorf("%q is of entity type %s, and was taken for %s", key, it[sinks.AttrEntity], m.Type.Name)
		}
		if spelled, whole := m.Spelled(); whole && spelled != key {
			v.t.Errorf("%q was read as what is spelled %q", key, spelled)
		}
		for name, value := range it {
			switch a, _, ok := m.Type.Attribute(name); {
			case !ok:
				v.t.Errorf("%s: attribute %q is not in the catalogue", m.Type.Name, name)
			case a.Kind != value.Kind() && a.Kind != sinks.None:
				v.t.Errorf("%s: attribute %q is of kind %d, the catalogue says %d", m.Type.Name, name, value.Kind(), a.Kind)
			default:
				v.attributes[[2]string{m.Type.Name, a.Name}] = true
			}
		}
		v.expiry(m, it)
		v.indexes(m, it)
		v.measure(m, it)
		v.taken[key] = taken{it, m}
		if size, most := it.Size(), m.Type.Size.Most; most > 0 && size > most {
			v.t.Errorf("%s of %d bytes, the catalogue says %d at most", m.Type.Name, size, most)
		}
		if x := schema.Explain(it, nil, sinks.DefaultShards, time.Now()); len(x.Notes) > 0 || x.Item != m.Type.Name {
			v.t.Errorf("the explanation of %q: %s, with the notes %q", key, x.Item, x.Notes)
		}
	}
}

// measure notes the size of an item.
func (v *inventory) measure(m sinks.Match, it sinks.Item) {
	if m.Type.Entity != sinks.EntityUniques || !lossy(m, it) { // New visitors of an hour that was quarantined may be in the journal.
		v.sizes[m.Type.Name] = append(v.sizes[m.Type.Name], it.Size())
	}
}

// lossy reports whether an item says that something of it is lost.
func lossy(m sinks.Match, it sinks.Item) bool {
	for name := range it {
		if _, tp, _ := m.Type.Attribute(name); name == sinks.AttrLost(tp) {
			return true
		}
	}
	return false
}

// expiry checks that the item expires when the catalogue says.
func (v *inventory) expiry(m sinks.Match, it sinks.Item) {
	e, ttl := m.Type.Expiry, it[sinks.AttrTTL]
	if e.From == "" {
		if ttl.Kind() != sinks.None {
			v.t.Errorf("%s expires, the catalogue says never", m.Type.Name)
		}
		return
	}
	site := m.Fields.Site
	if slices.Contains(m.Cut, "site") {
		site = cutSite
	}
	after := e.After
	if m.Type.Entity == sinks.EntitySession {
		after = func(it sinks.Item, _ sinks.Fields) int64 {
			s, err := state.SessionOf(it)
			if err != nil {
				v.t.Error(err)
			}
			return s.EndedAt
		}
		if s, err := state.SessionOf(it); err == nil && s.Events == 0 {
			return // Its state was lost, and when it ended.
		}
	}
	switch m.Type.Entity {
	case sinks.EntityVisitorSessions, sinks.EntityNewSessions: // The last of its sessions ends in the hour or later.
		after = func(_ sinks.Item, f sinks.Fields) int64 {
			return f.At - f.At%(24*time.Hour.Milliseconds()) + 2*24*time.Hour.Milliseconds()
		}
	}
	want := after(it, m.Fields)/1000 + int64(e.Fixed/time.Second)
	for _, name := range []string{e.Days, e.More} {
		if name == "" {
			continue
		}
		days := v.rules[site].DaysOf(name, schema.DefaultDays(name))
		if days < 0 {
			if ttl.Kind() != sinks.None {
				v.t.Errorf("%s of site %q expires, and is kept for ever", m.Type.Name, site)
			}
			return
		}
		want += days * 86_400
	}
	if ttl.Int() != want {
		v.t.Errorf("%s of site %q expires at %d, the catalogue says %d", m.Type.Name, site, ttl.Int(), want)
	}
}

// indexes checks that the item's keys in indexes are as the catalogue spells them.
func (v *inventory) indexes(m sinks.Match, it sinks.Item) {
	for index, names := range map[sinks.Index][2]string{
		sinks.GSI1: {sinks.AttrGSI1PK, sinks.AttrGSI1SK},
	} {
		if it[names[0]].Kind() == sinks.None {
			continue
		}
		pk, sk, ok := m.Type.IndexTemplates(index)
		if !ok {
			v.t.Errorf("%s is in index %d, the catalogue says it is not", m.Type.Name, index)
			continue
		}
		for i, template := range []sinks.Template{pk, sk} {
			if begins, ok := template.Begins(it[names[i]].Str()); !ok || begins != template {
				v.t.Errorf("%s: %s is %s, the catalogue says %s", m.Type.Name, names[i], it[names[i]], template)
			}
		}
	}
}

// complete checks that everything in the catalogue was seen, and written as it says.
func (v *inventory) complete(ways map[written]bool) {
	claimed := make(map[written]bool)
	for _, item := range sinks.Catalogue() {
		if len(v.sizes[item.Name]) == 0 {
			v.t.Errorf("no %s was written", item.Name)
			continue
		}
		for _, a := range slices.Concat(item.Attributes, item.Common()) {
			if !v.attributes[[2]string{item.Name, a.Name}] {
				v.t.Errorf("no %s has the attribute %q", item.Name, a.Name)
			}
			for _, how := range a.How {
				claimed[written{item.Name, a.Name, how}] = true
			}
		}
		sizes := slices.Sorted(slices.Values(v.sizes[item.Name]))
		if median := sizes[len(sizes)/2]; median > 2*item.Size.Typical || median < item.Size.Typical/2 {
			v.t.Errorf("half of %d items of the type %s have %d bytes or less, the catalogue says that %d is typical",
				len(sizes), item.Name, median, item.Size.Typical)
		}
		for _, a := range item.Common() {
			if a.How == nil { // Written with the item, however that is.
				maps.DeleteFunc(ways, func(w written, _ bool) bool { return w.item == item.Name && w.attribute == a.Name })
			}
		}
	}
	for w := range claimed {
		if !ways[w] {
			v.t.Errorf("%s: the catalogue says that %q is written by %s, which nobody did", w.item, w.attribute, w.how)
		}
	}
	for w := range ways {
		if !claimed[w] {
			v.t.Errorf("%s: %q was written by %s, which the catalogue does not say", w.item, w.attribute, w.how)
		}
	}
}

// Every item that a real pipeline, its operators and the creation of a site write is in the catalogue, with every attribute,
// its type, its way of being written, and when it expires; and nothing is in the catalogue that nobody writes.
func TestCatalogueIsWhatIsWritten(t *testing.T) {
	slow.Unraced(t)
	inWorld(t, nil, func(t *testing.T, w *world) {
		v := &inventory{t: t, attributes: make(map[[2]string]bool), sizes: make(map[string][]int),
			rules: make(map[string]*sites.Rules), taken: make(map[sinks.Key]taken)}
		w.create()
		w.funnels()
		w.tokens()
		w.recorded()
		w.goals()
		w.traffic()
		w.budget()
		w.fold()
		v.take(w.items())
		w.damage()
		v.take(w.items())
		drain := w.gap()
		v.take(w.items())
		w.accept()
		drain()
		pass := w.park()
		v.take(w.items())
		pass()
		w.replay()
		w.renamed, w.packed = "-renamed", true
		w.produce(1, w.event("packed.example", "page_view", 55*time.Second, "visitorId", "v-9", "url", "/"))
		w.fold()
		w.shelf = testpipeline.NewShelf(7)
		w.later(time.Minute)
		w.fold()
		w.seal()
		v.take(w.items())
		w.erase()
		v.take(w.items())
		w.rebuilt()
		w.upgrade()
		w.merge()
		v.take(w.items())
		v.complete(w.table.ways())
	})
}
