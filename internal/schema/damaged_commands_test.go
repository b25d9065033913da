package schema_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// The items of erasures, replays and quarantines are damaged in turn. Chains do not read them, and both partitions count on. Such an item
// cannot be replaced: it says what a command has done, and no other item does.
func TestItemsOfCommandsAreDamagedInTurn(t *testing.T) {
	kinds := [][2]string{{sinks.EntityErasure, "touched"}, {sinks.EntityReplay, "next"}, {sinks.EntityLost, "t"},
		{sinks.EntityDamaged, "at"}}
	for _, kind := range kinds[:slow.Of(t, 1, len(kinds))] {
		entity, attr := kind[0], kind[1]
		t.Run(entity, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(t *testing.T, w *world) {
				w.ofKinds()
				w.replay()
				w.erase()
				session, cur, ok := w.wound("session", 0)
				if !ok {
					t.Fatal("there is no session")
				}
				if _, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: topic, Table: w.table, Key: session}); err != nil {
					t.Fatalf("%s of %v: QuarantineItem = %v", cur, session, err)
				}
				key := w.woundAttr(entity, attr)
				w.later(4 * time.Minute)
				drain := w.run()
				w.pass(3 * time.Minute)
				drain()
				for p := range int32(2) {
					if !w.done(p) {
						t.Errorf("%s of %v is damaged: partition %d does not count on", attr, key, p)
					}
				}
				if _, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: topic, Table: w.table, Key: key}); !errors.Is(err,
					quarantine.ErrIrreplaceable) {
					t.Errorf("%s of %v: QuarantineItem = %v, want %v", attr, key, err, quarantine.ErrIrreplaceable)
				}
				if entity != sinks.EntityErasure {
					return
				}
				_, err := erase.Run(t.Context(), erase.Options{Table: w.table, Site: shop, Person: sites.Visitor, ID: "v-1"})
				if err == nil || !strings.Contains(err.Error(), "what it touched") {
					t.Errorf("the erasure, run again = %v, want that it says what it cannot read", err)
				}
			})
		})
	}
}

// woundAttr damages an attribute of an item of an entity.
func (w *world) woundAttr(entity, attr string) sinks.Key {
	w.t.Helper()
	for key, it := range w.items() {
		m, ok := sinks.Find(key, it, sinks.DefaultShards)
		if !ok || m.Type.Entity != entity || it[attr].Kind() == sinks.None {
			continue
		}
		w.woundItem(it, attr)
		return key
	}
	w.t.Fatalf("no %s has the attribute %s", entity, attr)
	return sinks.Key{}
}
