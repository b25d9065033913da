//go:build planted

package pipeline_test

import (
	"testing"

	"github.com/footfall/footfall/internal/plant"
)

func TestExpiredSessionTakenForPresentIsNoticed(t *testing.T) {
	plant.ExpiredTakenForPresent = true
	defer func() { plant.ExpiredTakenForPresent = false }()
	if expiredSession(t, true) == nil {
		t.Error("an item that the store had deleted is not whole, and that is not noticed")
	}
}

func TestJournalDeletedBeforeItsMergeIsNoticed(t *testing.T) {
	plant.LateDeletedEarly = true
	defer func() { plant.LateDeletedEarly = false }()
	problems := mergeCutShort(t)
	if len(problems) < 2 { // One for the deleted entries, and one for what is missing.
		t.Errorf("the journal was deleted before its hour's item was written: found %q", problems)
	}
}

func TestVisitorsBeyondTheBudgetUnseenIsNoticed(t *testing.T) {
	plant.OverBudgetUnseen = true
	defer func() { plant.OverBudgetUnseen = false }()
	if visitorsBeyondTheBudget(t) == nil {
		t.Error("visitors of events beyond the budget are lost, and that is not noticed")
	}
}

func TestStrippedEntryTakenForEmptyIsNoticed(t *testing.T) {
	plant.StrippedTaken = true
	defer func() { plant.StrippedTaken = false }()
	if strippedBetweenReads(t) == nil {
		t.Error("an owner counts on without what was merged under it, and that is not noticed")
	}
}

func TestSweptHourWithoutItsJournalIsNoticed(t *testing.T) {
	plant.SweptUnread = true
	defer func() { plant.SweptUnread = false }()
	if mergedAfterSweep(t) == nil {
		t.Error("a part lacks the visitors of entries that an erasure has merged, and that is not noticed")
	}
}
