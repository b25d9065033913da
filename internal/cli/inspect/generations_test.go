package inspect

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestGenerationsAreShownAndVerified: status and doctor say which generations of items a table has, and verify recounts the one that was
// rebuilt before and after it is live. A command that acts on partitions is told the generation.
func TestGenerationsAreShownAndVerified(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	says := func(want int, line string, texts ...string) {
		t.Helper()
		code, out, errs := clitest.Footfall(t, append(strings.Fields(line), "--data", dir)...)
		for _, text := range texts {
			if !strings.Contains(out+errs, text) {
				t.Errorf("%s says %q, stderr %q; want %q", line, out, errs, text)
			}
		}
		if code != want {
			t.Errorf("%s: exit code %d, want %d; stdout %q, stderr %q", line, code, want, out, errs)
		}
	}
	if _, out, _ := clitest.Footfall(t, "status", "--data", dir); strings.Contains(out, "eneration") {
		t.Errorf("status of a table with one generation speaks of generations: %q", out)
	}
	says(2, "verify --generation 2", "--generation 2: the table has 1 (live)")
	says(2, "verify --generation 1 --record", "leave one of them out")
	says(0, "rebuild --intervals-stats 1s --intervals-realtime 1s", "Generation 2 is not live, and is kept")
	says(0, "status", "Generation 2 of the items is being rebuilt beside generation 1, which is live")
	says(0, "status --generation 2 --json", `"generation": 2`, `"building": 2`, `"group": "footfall.rebuild-2"`)
	says(0, "verify --generation 2", "0 differences")
	says(0, "verify", "0 differences")
	says(2, "partition resume 0 --generation 3", "the table has 1 (live) and 2 (being rebuilt)")
	table, err := connect.Open(t.Context(), "sqlite://"+filepath.Join(dir, "footfall.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	park := func() {
		t.Helper()
		parked := checkpoint.Park{Reason: checkpoint.ParkedRead, Detail: "a test", Since: "2026-05-12T00:00:00Z"}
		_, err := table.Update(t.Context(), sinks.Update{Set: []sinks.Attr{parked.Attr()},
			Key: sinks.KeysOfGeneration(2).Checkpoint(sinks.TP{Topic: 2}, checkpoint.LaneStats)})
		if err != nil {
			t.Fatal(err)
		}
	}
	park()
	says(1, "status --generation 2", "footfall partition resume 0 --generation 2")
	says(1, "partition resume 0", "is not parked")
	says(0, "partition resume 0 --generation 2", "Partition 0 continues")

	has, err := rebuild.Look(t.Context(), table)
	if err == nil {
		err = rebuild.Follow(t.Context(), table, has)
	}
	if err == nil {
		err = rebuild.Flip(t.Context(), table, has)
	}
	if err != nil {
		t.Fatal(err)
	}
	says(0, "status", "Generation 2 of the items is live. Generation 1, which was live before, is kept until footfall rebuild drop.")
	_, out, errs := clitest.Footfall(t, "doctor", "--data", dir, "--json")
	if !strings.Contains(out, `"check": "table.generations"`) || !strings.Contains(out, "generation 1, which was live before, is kept") {
		t.Errorf("doctor says %s%s", out, errs)
	}
	says(0, "verify", "0 differences")
	says(0, "verify --generation 1", "0 differences")
	park()
	says(0, "partition resume 0", "Partition 0 continues")
}
