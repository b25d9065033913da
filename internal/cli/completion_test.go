package cli

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

func TestShellCompletesNamesOfTheTable(t *testing.T) {
	url := clitest.TableURL(t)
	run := func(args ...string) {
		t.Helper()
		if code, _, errs := clitest.Footfall(t, append(args, "--table", url)...); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs)
		}
	}
	run("goal", "create", "shop", "bought", "--on", "page:/thanks", "--name", "Bought it")
	run("funnel", "create", "shop", "checkout", "--step", "page:/cart", "--step", "page:/thanks")
	run("site", "update", "shop", "--property", "plan", "--owner", "acme")
	for _, c := range []struct{ line, want, not string }{
		{"query stats |", "shop\n", "page\n"},
		{"verify --site |", "shop\n", ""},
		{"query top |", "shop\n", "page\n"},
		{"query top shop |", "property:plan\n", "shop\n"},
		{"query top --all-sites |", "referrer\n", "shop\n"},
		{"query stats --owner |", "acme\n", ""},
		{"query conversions shop |", "bought\tBought it\n", ""},
		{"goal delete shop |", "bought\tBought it\n", ""},
		{"funnel report shop |", "checkout\n", "bought"},
		{"query session shop |", ":4\n", "shop\n"},
		{"query stats shop --tz |", "UTC\n", ""},
		{"site update shop --zone |", "UTC\n", ""},
	} {
		line := append([]string{"__complete"}, strings.Fields(strings.TrimSuffix(c.line, "|"))...)
		flag := ""
		if last := line[len(line)-1]; strings.HasPrefix(last, "--") && last != "--all-sites" {
			line, flag = line[:len(line)-1], last
		}
		line = append(line, "--table", url)
		if flag != "" {
			line = append(line, flag)
		}
		code, out, errs := clitest.Footfall(t, append(line, "")...)
		if code != 0 || !strings.Contains(out, c.want) || c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%s: exit %d, %q, %s; want %q and not %q", c.line, code, out, errs, c.want, c.not)
		}
	}
}

// TestCompletionWithoutATableIsEmpty: a shell that completes is told no names, and no files of the folder.
func TestCompletionWithoutATableIsEmpty(t *testing.T) {
	code, out, _ := clitest.Footfall(t, "__complete", "query", "stats", "--table", "sqlite://"+t.TempDir()+"/none/footfall.db", "")
	if code != 0 || out != ":4\n" {
		t.Errorf("exit %d, %q, want the directive alone", code, out)
	}
}
