package sinks

import (
	"slices"
	"testing"
)

// rarely are the entities whose items are written once, or by people.
var rarely = []string{EntityTable, EntityTopic, EntityHistory, EntityLost, EntityDamaged, EntityNewSites, EntityReplay, EntityRules,
	EntityErasure, EntityPurge, EntitySiteEntry, EntitySite, EntityGoal, EntityFunnel, EntityToken, EntityVerification,
	EntityAnnotation, EntitySegment, EntityAlert, EntityFinding}

func TestEntityOfFindsTheEntityOfEachKey(t *testing.T) {
	for _, item := range Catalogue() {
		for _, generation := range []int{1, 3} {
			for _, f := range samples {
				want := item.Entity
				if slices.Contains(rarely, want) {
					want = ""
				}
				if key := item.Key(Keys{Generation: generation}, f); EntityOf(key) != want {
					t.Errorf("EntityOf(%v) = %q, want %q of %s", key, EntityOf(key), want, item.Name)
				}
			}
		}
	}
}
