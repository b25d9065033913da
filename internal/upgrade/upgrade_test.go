package upgrade_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

var errCut = errors.New("cut short")

// watched is a table whose updates are seen: settings names those of the table's settings.
type watched struct {
	sinks.Table
	updates []string // keys of chains, or "settings"
	before  func(key string) error
}

func (w *watched) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	key := u.Key.PK + " " + u.Key.SK
	if u.Key == (sinks.Keys{}).TableSettings() {
		key = "settings"
	}
	w.updates = append(w.updates, key)
	if w.before != nil {
		if err := w.before(key); err != nil {
			return sinks.Result{}, err
		}
	}
	return w.Table.Update(ctx, u)
}

// earlierTable is a table of the earlier release with two topics; each lane of partition 0 was taken over, and has never flushed.
func earlierTable(t *testing.T, owner string) *watched {
	t.Helper()
	w := &watched{Table: testworld.Table(t)}
	_, err := sinks.EnsureTableSettings(t.Context(), w.Table, sinks.Keys{}, nil)
	if err == nil {
		_, err = w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(),
			Remove: []string{sinks.AttrFormat, sinks.AttrRelease}})
	}
	for _, topic := range []string{"events", "more"} {
		if err == nil {
			_, err = sinks.EnsureTopic(t.Context(), w.Table, sinks.Keys{}, topic)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for topic := range int64(2) {
		for _, lane := range checkpoint.Lanes {
			take(t, w.Table, sinks.TP{Topic: topic + 1}, lane, owner)
		}
	}
	return w
}

// take takes a lane over, and returns the format that its owner has read.
func take(t *testing.T, table sinks.Table, tp sinks.TP, lane, owner string) int {
	t.Helper()
	c, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), sinks.Keys{}.Checkpoint(tp, lane), checkpoint.Owner{Name: owner})
	if err != nil {
		t.Fatal(err)
	}
	return c.Format
}

// epochs are those of all lanes of both topics.
func epochs(t *testing.T, table sinks.Table) map[sinks.Key]int64 {
	t.Helper()
	all := make(map[sinks.Key]int64)
	for topic := range int64(2) {
		chains, err := checkpoint.LoadChains(t.Context(), table, sinks.Keys{}, topic+1)
		if err != nil {
			t.Fatal(err)
		}
		for id, c := range chains {
			all[sinks.Keys{}.Checkpoint(sinks.TP{Topic: topic + 1, Partition: id.Partition}, id.Lane)] = c.Head.Epoch
		}
	}
	return all
}

// TestEveryOwnerIsFencedBehindTheRaise: the format is raised first, and then every lane is fenced, also one of another topic, one that has
// never flushed, and one that is taken over while the format is being raised.
func TestEveryOwnerIsFencedBehindTheRaise(t *testing.T) {
	w := earlierTable(t, checkpoint.OwnerName())
	var before map[sinks.Key]int64
	w.before = func(key string) error {
		if key == "settings" && before == nil {
			format := take(t, w.Table, sinks.TP{Topic: 2, Partition: 7}, checkpoint.LaneStats, checkpoint.OwnerName())
			if format != sinks.FirstFormat {
				t.Errorf("before the format is raised an owner reads format %d", format)
			}
			before = epochs(t, w.Table)
		}
		return nil
	}
	s, err := upgrade.Finalize(t.Context(), w, false)
	if err != nil || !s.Finalized || s.Lanes != 5 || s.Format != sinks.LastFormat {
		t.Fatalf("Finalize = %+v, %v", s, err)
	}
	for key, epoch := range epochs(t, w.Table) {
		if epoch != before[key]+1 {
			t.Errorf("%s / %s has epoch %d, and had %d when the format was raised", key.PK, key.SK, epoch, before[key])
		}
	}
	if len(w.updates) != 7 || w.updates[0] != "settings" || w.updates[6] != "settings" {
		t.Errorf("updates: %q, want the settings', one of each lane, and the settings'", w.updates)
	}
	if format := take(t, w.Table, sinks.TP{Topic: 1}, checkpoint.LaneStats, checkpoint.OwnerName()); format != sinks.LastFormat {
		t.Errorf("the next owner reads format %d", format)
	}
	w.updates = nil
	if s, err := upgrade.Finalize(t.Context(), w, false); err != nil || !s.Finalized || w.updates != nil {
		t.Errorf("the second Finalize = %+v, %v, with updates %q; want none", s, err, w.updates)
	}
}

// TestFinalizeThatIsCutShortIsFinished: whichever update is the last, the next run fences every lane. Until then status says so.
func TestFinalizeThatIsCutShortIsFinished(t *testing.T) {
	for at := 1; ; at++ {
		w := earlierTable(t, checkpoint.OwnerName())
		left := at
		w.before = func(string) error {
			if left--; left < 0 {
				return errCut
			}
			return nil
		}
		_, err := upgrade.Finalize(t.Context(), w, false)
		if err == nil {
			if at != 6 { // The settings twice, and four lanes.
				t.Errorf("it was not cut short at update %d", at)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("Finalize = %v", err)
		}
		w.before = nil
		if s, err := upgrade.Look(t.Context(), w); err != nil || s.Finalized || s.Format != sinks.LastFormat {
			t.Errorf("Look after update %d = %+v, %v, want the latest format, not finalized", at, s, err)
		}
		before := epochs(t, w.Table)
		if s, err := upgrade.Finalize(t.Context(), w, false); err != nil || !s.Finalized {
			t.Errorf("Finalize again after update %d = %+v, %v", at, s, err)
		}
		for key, epoch := range epochs(t, w.Table) {
			if epoch <= before[key] {
				t.Errorf("after update %d the next run has not fenced %s / %s", at, key.PK, key.SK)
			}
		}
	}
}

// TestOwnersOfAnEarlierReleaseAreNamed: they keep the format as it is, unless they are to be fenced.
func TestOwnersOfAnEarlierReleaseAreNamed(t *testing.T) {
	w := earlierTable(t, "host/17/234567")
	s, err := upgrade.Finalize(t.Context(), w, false)
	if earlier, ok := errors.AsType[*upgrade.EarlierError](err); !ok || len(earlier.Owners) != 4 || s.Format != sinks.FirstFormat ||
		!strings.Contains(err.Error(), "4 lanes") || !strings.Contains(err.Error(), "host/17/234567") || w.updates != nil {
		t.Errorf("Finalize = %+v, %v, with updates %q", s, err, w.updates)
	}
	s, err = upgrade.Finalize(t.Context(), w, true)
	if err != nil || !s.Finalized || len(s.Earlier) != 0 {
		t.Errorf("Finalize by force = %+v, %v", s, err)
	}
}

// TestUnusedTableIsNotUpgraded: the first pipeline makes it in the latest format.
func TestUnusedTableIsNotUpgraded(t *testing.T) {
	table := testworld.Table(t)
	_, looked := upgrade.Look(t.Context(), table)
	_, finalized := upgrade.Finalize(t.Context(), table, true)
	if !errors.Is(looked, upgrade.ErrUnused) || !errors.Is(finalized, upgrade.ErrUnused) {
		t.Errorf("Look = %v, Finalize = %v, want ErrUnused", looked, finalized)
	}
}

// TestFormatIsReadBehindTheTakeover: an owner whose takeover comes after the format was raised reads the new one, however close they are.
func TestFormatIsReadBehindTheTakeover(t *testing.T) {
	w := earlierTable(t, checkpoint.OwnerName())
	w.before = func(key string) error {
		if strings.HasPrefix(key, "CHAIN#") && !slices.Contains(w.updates, "settings") {
			w.updates = append(w.updates, "settings")
			_, err := upgrade.Finalize(t.Context(), w.Table, false)
			return err
		}
		return nil
	}
	if format := take(t, w, sinks.TP{Topic: 1}, checkpoint.LaneStats, checkpoint.OwnerName()); format != sinks.LastFormat {
		t.Errorf("an owner that came after finalize reads format %d", format)
	}
}
