package adopt_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
)

// TestSwitchToAnotherRegion: another Region has a mirror that began later and lacks the last records, a table that members count it into,
// and a copy of the first Region's table, of before. If the first Region is gone, what the mirror lacks is lost, and no more; the copy is
// refused beside the mirror. If its cluster can still be read, the copy is counted again from there, continues in the mirror, and has all.
func TestSwitchToAnotherRegion(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, first, mirror *testpipeline.World) {
		const skipped = 50 // records of a partition
		items := first.Table
		first.Table = testpipeline.Identified{Table: items, ID: "original"}
		all := events(700, time.Now())
		first.Folded(first.Options(), all[:300])
		first.Produce(all[300:500]...)
		copying{skip: skipped}.copyTo(t, first, mirror)
		first.Produce(all[500:600]...)

		standby := other(t, mirror)
		standby.Folded(standby.Options(), nil)
		standby.Recounted()
		if n := records(standby); n != 500-partitions*skipped {
			t.Errorf("the standby table has %d records, want those of the mirror, %d", n, 500-partitions*skipped)
		}

		first.Table = testpipeline.Identified{Table: items, ID: "copy"}
		job := rebuild.Job{Pipeline: first.Options(), Log: slog.New(slog.DiscardHandler)}
		former := job.Pipeline.Kafka
		job.Pipeline.Kafka = mirror.Kafka()
		if _, err := job.Resume(t.Context()); err == nil || !strings.Contains(err.Error(), "run footfall topic adopt. If that is gone") {
			t.Errorf("Resume beside the mirror = %v", err)
		}
		if has, err := rebuild.Look(t.Context(), first.Table); err != nil || has.Restoring {
			t.Errorf("it has changed the settings: %+v, %v", has, err)
		}

		job.Pipeline.Kafka = former
		if _, err := job.Resume(t.Context()); err != nil {
			t.Fatalf("Resume beside the first topic: %v", err)
		}
		mirror.Produce(all[500:600]...)
		adopted(t, first, mirror)
		mirror.Table, mirror.Recreated = first.Table, true
		mirror.Folded(mirror.Options(), all[600:])
		mirror.Recounted()
		first.Produce(all[600:]...)
		if have, want := answers(t, items), answers(t, control(t, first, first.Options())); !slices.Equal(have, want) {
			t.Errorf("the table has\n%s\nand one of the first topic alone\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
	})
}
