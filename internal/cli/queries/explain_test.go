package queries

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/sinks"
)

// explained runs footfall query explain with a text on standard input.
func explained(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{In: strings.NewReader(in), Out: &stdout, Err: &stderr}
	code = clitest.Execute(t.Context(), a, append([]string{"query", "explain"}, args...))
	return stdout.String(), stderr.String(), code
}

func TestExplainReadsTheTable(t *testing.T) {
	url := clitest.TableURL(t)
	out, errs, code := explained(t, "", "SITES#15", "shop", "--table", url)
	if code != 0 || !strings.Contains(out, "SITES#15 / shop: site list entry") {
		t.Errorf("exit %d, out %q, err %q; want the entry of the site", code, out, errs)
	}
	out, errs, code = explained(t, "", "SITE#nobody%23", "STATS#hour#2026-05-12T14", "--table", url)
	const want = `there is no item at "SITE#nobody%23" / "STATS#hour#2026-05-12T14": ` +
		`it would be of the type hour stats, site "nobody#", hour "2026-05-12T14"`
	if code != 1 || out != "" || !strings.Contains(errs, want) {
		t.Errorf("exit %d, out %q, err %q; want exit 1, and what there would be", code, out, errs)
	}
}

func TestExplainPrintsASitesOwnDays(t *testing.T) {
	url := clitest.TableURL(t)
	if code, _, errs := clitest.Footfall(t, "site", "create", "south", "--zone", "Australia/Adelaide", "--table", url); code != 0 {
		t.Fatalf("exit %d, err %q", code, errs)
	}
	table := clitest.Must(connect.Open(t.Context(), url))
	key := sinks.Keys{}.DayStats("south", time.Date(2026, 10, 4, 0, 0, 0, 0, time.UTC).UnixMilli())
	if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK),
		sinks.AttrSK: sinks.Str(key.SK)}}); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "[2026-10-03T14:30:00Z, 2026-10-04T13:30:00Z)"
	if out, errs, code := explained(t, "", "SITE#south", "STATS#day#2026-10-04", "--table", url); code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit %d, out %q, err %q; want the day %s", code, out, errs, want)
	}
}

func TestExplainTakesItemsFromElsewhere(t *testing.T) {
	const item = `{"Item":{"pk":{"S":"SITE#shop"},"sk":{"S":"STATS#day#2026-05-12"},"_et":{"S":"Stats"},"v":{"N":"1"},` +
		`"events":{"N":"3"},"ws1_17":{"N":"42"}}}`
	first, errs, code := explained(t, item, "--item", "-", "--output", "json")
	var x schema.Explanation
	mark := schema.Mark{Lane: "stats", Topic: 1, Partition: 17, Step: 42}
	if err := json.Unmarshal([]byte(first), &x); code != 0 || err != nil || x.Item != "day stats" || len(x.Marks) != 1 || x.Marks[0] != mark {
		t.Fatalf("exit %d, %v, out %s, err %q; want day stats that hold step 42", code, err, first, errs)
	}
	if again, errs, code := explained(t, first, "--item", "-", "--output", "json"); code != 0 || again != first {
		t.Errorf("exit %d, out %s, err %q; want what was printed to read back", code, again, errs)
	}
	file := filepath.Join(t.TempDir(), "item.json")
	if err := os.WriteFile(file, []byte(item), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := explained(t, "", "--item", file)
	if code != 0 || !strings.Contains(out, "partition 17 of topic 1, lane stats: up to flush 42") {
		t.Errorf("exit %d, out %q, err %q; want the item of the file", code, out, errs)
	}
	out, errs, code = explained(t, "[]", "--item", "-")
	if code != 1 || out != "" || !strings.Contains(errs, "the item in standard input: it is not one JSON object") {
		t.Errorf("exit %d, out %q, err %q; want exit 1 and why", code, out, errs)
	}
}

func TestExplainThatCannotBeAskedIsAUsageError(t *testing.T) {
	url := clitest.TableURL(t)
	for says, args := range map[string][]string{
		"write footfall query explain PK SK": {"SITE#shop"},
		"the item of --item names its own":   {"--item", "-", "SITE#shop", "METADATA"},
		"choose table or json":               {"SITE#shop", "METADATA", "--output", "csv"},
		"sk: missing":                        {"SITE#shop", "", "--table", url},
		"keys have 1024 at most":             {"SITE#shop", strings.Repeat("x", 1025), "--table", url},
	} {
		if out, errs, code := explained(t, "", args...); code != 2 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%.40q: exit %d, out %q, err %q; want exit 2 and an error that says %q", args, code, out, errs, says)
		}
	}
	if _, out, _ := clitest.Footfall(t, "__complete", "query", "explain", "--output", ""); !strings.HasPrefix(out, "table\njson\n:") {
		t.Errorf("the completion of --output is %q, want table and json", out)
	}
}
