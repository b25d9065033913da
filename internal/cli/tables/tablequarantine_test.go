package tables

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// TestQuarantineSaysWhatIsLost quarantines a session whose state cannot be read, once and again, and tries it with a readable one.
func TestQuarantineSaysWhatIsLost(t *testing.T) {
	for generation, copied := range map[int]string{1: "DAMAGED#", 2: "G2#DAMAGED#"} {
		testQuarantine(t, sinks.KeysOfGeneration(generation), copied)
	}
}

// testQuarantine does so in the live generation of a table.
func testQuarantine(t *testing.T, live sinks.Keys, copied string) {
	t.Helper()
	url := clitest.TableURL(t)
	table, err := sqlite.Open(strings.TrimPrefix(url, "sqlite://"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	if live.Generation > 1 {
		if _, err := table.Update(t.Context(), sinks.Update{Key: live.TableSettings(), Set: []sinks.Attr{
			{Name: sinks.AttrGeneration, Value: sinks.Int(2)}, {Name: sinks.AttrGenerations, Value: sinks.Int(2)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sinks.EnsureTopic(t.Context(), table, live, "events"); err != nil {
		t.Fatal(err)
	}
	entry, tp := sinks.Keys{}.SiteEntry("shop"), sinks.TP{Topic: 1, Partition: 3}
	key := live.Session("shop", "s-1", tp, sinks.DefaultShards)
	checkpoint := live.Checkpoint(sinks.TP{Topic: 1, Partition: 4}, "stats")
	if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntitySession), sinks.AttrCur: sinks.Bytes([]byte("damaged")), sinks.AttrPrev: sinks.Str("damaged"),
		sinks.AttrMark("stats", tp): sinks.Int(7)}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pk, sk string
		code   int
		want   []string
	}{
		{key.PK, key.SK, 0, []string{"The session was quarantined: cur, prev could not be read. Copy: " + copied,
			"Lost: what partition 3, lane stats had folded into it before position 0."}},
		{key.PK, key.SK, 0, []string{"The item was quarantined before."}},
		{key.PK, key.SK + "0", 0, []string{"There is no such item"}},
		{checkpoint.PK, checkpoint.SK, 1, []string{checkpoint.PK + " / " + checkpoint.SK + ": there is no checkpoint under this key"}},
		{entry.PK, entry.SK, 1, []string{"there is nothing to quarantine"}},
		{"SITE", "x", 1, []string{"SITE / x: footfall writes no item under such a key"}},
	} {
		code, out, errs := clitest.Footfall(t, "table", "quarantine", c.pk, c.sk, "--table", url, "--topic", "events")
		for _, want := range c.want {
			if code != c.code || !strings.Contains(out+errs, want) {
				t.Errorf("table quarantine %s %s: exit code %d, stdout %q, stderr %q; want %d and %q", c.pk, c.sk, code, out, errs, c.code, want)
			}
		}
	}
	if code, out, errs := clitest.Footfall(t, "table", "quarantine", key.PK, "--table", url); code != command.CodeUsage || out != "" {
		t.Errorf("without a sort key: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}
