package schema_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// irreplaceable are the entities whose items cannot be replaced.
var irreplaceable = []string{sinks.EntityTable, sinks.EntityTopic, sinks.EntityHistory, sinks.EntityRules, sinks.EntityErasure,
	sinks.EntityPurge, sinks.EntityReplay, sinks.EntityLost, sinks.EntityDamaged, sinks.EntitySchema}

// unseen are the kinds that this test's commands do not write: see TestItemsOfCommandsAreDamagedInTurn.
var unseen = []string{sinks.EntityErasure, sinks.EntityPurge, sinks.EntityReplay, sinks.EntityLost, sinks.EntityDamaged,
	sinks.EntitySchema}

// wounded are the attributes that are damaged of items of a kind, if not the first. {tp} is the partition.
var wounded = map[string]string{
	"hour stats": "h{tp}", "session": sinks.AttrCur, "visitor": sinks.AttrCur, "checkpoint": "totals", "site list entry": "ws{tp}",
}

// ofKinds writes an item of each kind but unseen.
func (w *world) ofKinds() {
	w.create()
	w.funnels()
	w.tokens()
	w.recorded()
	w.goals()
	w.traffic()
	w.budget()
	w.fold()
	w.later(2 * time.Minute)
	w.packed = true
	w.fold() // Hours get journal entries.
	w.seal()
}

// later publishes more for the sites and visitors of both partitions.
func (w *world) later(after time.Duration) {
	for i := range 20 {
		at := after + time.Duration(i)*time.Second
		w.produce(0, w.event(blog, "page_view", at, "visitorId", fmt.Sprint("visitor-", i), "sessionId", fmt.Sprint("session-", i), "url",
			fmt.Sprint("/", i)),
			w.event(shop, "page_view", at, "visitorId", "v-1", "sessionId", "s-1", "url", "/cart"), w.event(shop, "page_view", at, "visitorId",
				"v-2", "url", "/"))
		w.produce(1, w.event(shop, "page_view", at, "visitorId", "v-5", "url", "/cart"), w.event(blog, "page_view", at, "visitorId", "v-6",
			"sessionId", "s-6"),
			w.event("busy", "page_view", at, "visitorId", "v-7", "sessionId", "s-7"))
	}
}

// wound damages an attribute of an item of the kind that is the partition's, or of a kind that partitions share. ok is false when there
// is none.
func (w *world) wound(kind string, partition int32) (key sinks.Key, attr string, ok bool) {
	w.t.Helper()
	items := w.items()
	for _, key := range slices.SortedFunc(maps.Keys(items), func(a, b sinks.Key) int {
		return strings.Compare(a.PK+" "+a.SK, b.PK+" "+
			b.SK)
	}) {
		it := items[key]
		m, ok := sinks.Find(key, it, sinks.DefaultShards)
		if !ok || m.Type.Name != kind || m.Fields.TP.Partition != partition || len(m.Cut) > 0 {
			continue
		}
		attr := strings.Replace(wounded[kind], "{tp}", sinks.TP{Topic: 1, Partition: partition}.String(), 1)
		for _, a := range m.Type.Attributes {
			if attr == "" && it[a.Name].Kind() != sinks.None {
				attr = a.Name
			}
		}
		if it[attr].Kind() == sinks.None {
			continue
		}
		w.woundItem(it, attr)
		return key, attr, true
	}
	return sinks.Key{}, "", false
}

// woundItem gives an attribute of an item a value of another type.
func (w *world) woundItem(it sinks.Item, attr string) {
	w.t.Helper()
	it = maps.Clone(it)
	if bad := sinks.Strings([]string{"damaged"}); it[attr].Kind() == bad.Kind() {
		it[attr] = sinks.Bytes([]byte("damaged"))
	} else {
		it[attr] = bad
	}
	if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
		w.t.Fatal(err)
	}
}

// done reports whether the stats chain of a partition has counted everything.
func (w *world) done(partition int32) bool {
	w.t.Helper()
	c, err := checkpoint.ReadHead(w.item(sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: partition}, checkpoint.LaneStats)))
	if err != nil {
		w.t.Fatal(err)
	}
	return c.Done && c.To-c.Base == w.end(partition)
}

// Each kind of item is damaged in turn. The other partition counts on; once the item is quarantined both do, and verify finds
// nothing that differs, and names what is lost.
func TestEachKindOfItemIsDamagedInTurn(t *testing.T) {
	var kinds []sinks.ItemType
	for _, item := range sinks.Catalogue() {
		if !slices.Contains(unseen, item.Entity) && !slices.Contains(irreplaceable, item.Entity) {
			kinds = append(kinds, item)
		}
	}
	n := slow.Of(t, 4, len(kinds))
	for i := range n {
		item := kinds[i*len(kinds)/n]
		t.Run(item.Name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(t *testing.T, w *world) {
				w.ofKinds()
				other := int32(1)
				key, attr, ok := w.wound(item.Name, 0)
				if !ok {
					other = 0
					if key, attr, ok = w.wound(item.Name, 1); !ok {
						t.Fatalf("there is no %s", item.Name)
					}
				}
				w.later(4 * time.Minute)
				drain := w.run()
				w.pass(3 * time.Minute)
				if item.Name != "day stats" && !w.done(other) { // Partitions share the sums of a day.
					t.Errorf("%s of %v is damaged: the other partition does not count on", attr, key)
				}
				for n := range 2 { // It may be repeated.
					if done, err := w.setAside(key); err != nil && (n == 0 || !errors.Is(err, quarantine.ErrReadable)) && !w.quarantined(key) {
						t.Errorf("%s of %v: QuarantineItem = %+v, %v", attr, key, done, err)
					}
				}
				w.pass(3 * time.Minute)
				drain()
				for p := range int32(2) {
					if !w.done(p) {
						t.Errorf("%s of %v is quarantined: partition %d does not count on", attr, key, p)
					}
				}
				r, err := verify.Run(t.Context(), verify.Options{Kafka: w.kafka(), Topic: topic, Table: w.table})
				if err != nil {
					t.Fatal(err)
				}
				if named := slices.ContainsFunc(r.Lost, func(l finding.Lost) bool { return l.PK == key.PK && l.SK == key.SK }); r.ExitCode() != 0 ||
					!named {
					var b strings.Builder
					if err := r.WriteText(&b); err != nil {
						t.Fatal(err)
					}
					t.Errorf("%s of %v is quarantined, named as lost: %v; verify:\n%s", attr, key, named, b.String())
				}
			})
		})
	}
}

func TestIrreplaceableItemsAreNotSetAside(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.ofKinds()
		whole := w.items()
		for _, item := range sinks.Catalogue() {
			if slices.Contains(unseen, item.Entity) || !slices.Contains(irreplaceable, item.Entity) {
				continue
			}
			key, attr, ok := w.wound(item.Name, 0)
			if !ok {
				key, attr, ok = w.wound(item.Name, 1)
			}
			if !ok {
				t.Fatalf("there is no %s", item.Name)
			}
			if done, err := w.setAside(key); !errors.Is(err, quarantine.ErrIrreplaceable) {
				t.Errorf("%s of %v: QuarantineItem = %+v, %v, want %v", attr, key, done, err, quarantine.ErrIrreplaceable)
			}
			if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: whole[key]}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// setAside quarantines an item.
func (w *world) setAside(key sinks.Key) (quarantine.Result, error) {
	return quarantine.Item(w.t.Context(), quarantine.Decision{Topic: topic, Table: w.table, Key: key})
}

// quarantined reports whether the item is marked as one with a lost span, or was removed.
func (w *world) quarantined(key sinks.Key) bool {
	it := w.items()[key]
	for name := range it {
		if tp, err := sinks.ParseTP(strings.TrimPrefix(name, "l")); err == nil && name == sinks.AttrLost(tp) {
			return true
		}
	}
	return it == nil
}

// end is the end offset of a partition.
func (w *world) end(partition int32) int64 {
	w.t.Helper()
	ends, err := kadm.NewClient(w.client).ListEndOffsets(w.t.Context(), topic)
	if err != nil {
		w.t.Fatal(err)
	}
	o, _ := ends.Lookup(topic, partition)
	return o.Offset
}
