package tables

import (
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/testenv"
)

// eachTable runs a test on a table of each kind that does not exist yet.
func eachTable(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, "sqlite://"+filepath.Join(t.TempDir(), "footfall.db"))
	})
	t.Run("TestReal", func(t *testing.T) {
		testenv.SetAWS(t)
		test(t, "dynamodb://footfall-"+rand.Text())
	})
}

func TestTableIsCreatedDescribedAndDeleted(t *testing.T) {
	eachTable(t, func(t *testing.T, url string) {
		for _, text := range []string{"is created and ready", "already exists and is ready"} { // Running it again is safe.
			if code, out, errs := clitest.Footfall(t, "table", "create", "--table", url); code != 0 || !strings.Contains(out, text) {
				t.Fatalf("create: exit code %d, stdout %q, stderr %q", code, out, errs)
			}
		}
		code, out, errs := clitest.Footfall(t, "table", "describe", "--table", url)
		if code != 0 || !strings.Contains(out, "ACTIVE") || !strings.Contains(out, "GSI1") || strings.Contains(out, "Difference") {
			t.Errorf("describe: exit code %d, stderr %q, stdout\n%s", code, errs, out)
		}
		code, out, errs = clitest.Footfall(t, "table", "describe", "--table", url, "--output", "json")
		var d struct {
			Status               string
			TTL                  bool
			Indexes, Differences []string
		}
		if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil {
			t.Fatalf("describe: exit code %d, stderr %q, %v in\n%s", code, errs, err, out)
		}
		if d.Status != "ACTIVE" || !d.TTL || !slices.Equal(d.Indexes, []string{"GSI1"}) || d.Differences == nil ||
			len(d.Differences) > 0 {
			t.Errorf("describe says %+v", d)
		}
		if code, out, errs := clitest.Footfall(t, "table", "delete", "--table", url); code != 2 || !strings.Contains(errs, "--yes") {
			t.Errorf("delete without --yes: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
		if code, out, errs := clitest.Footfall(t, "table", "delete", "--table", url, "--yes"); code != 0 || !strings.Contains(out, "is gone") {
			t.Errorf("delete: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
		if code, _, errs := clitest.Footfall(t, "table", "delete", "--table", url, "--yes"); code != 1 ||
			!strings.Contains(errs, "does not exist: nothing was deleted") {
			t.Errorf("second delete: exit code %d, stderr %q", code, errs)
		}
		if code, _, errs := clitest.Footfall(t, "table", "describe", "--table", url); code != 1 ||
			!strings.Contains(errs, "footfall table create --table "+url) {
			t.Errorf("describe of nothing: exit code %d, stderr %q", code, errs)
		}
	})
}

func TestRealTableCreateSaysWhatDiffers(t *testing.T) {
	testenv.SetAWS(t)
	url := "dynamodb://footfall-" + rand.Text()
	create := []string{"table", "create", "--table", url}
	if code, _, errs := clitest.Footfall(t, append(create, "--read-capacity", "3", "--write-capacity", "4")...); code != 0 {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	code, out, errs := clitest.Footfall(t, append(create, "--dynamodb-stream")...)
	for _, want := range []string{"billing is by provisioned capacity, 3 read and 4 write units; asked for is on demand",
		"the stream of new and old images is off; asked for is on"} {
		if code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, stdout %q, want 1 and %q in %q", code, out, want, errs)
		}
	}
	if code, out, _ := clitest.Footfall(t, "table", "describe", "--table", url); code != 0 ||
		!strings.Contains(out, "provisioned, 3 read and 4 write units a second") {
		t.Errorf("describe: exit code %d, stdout\n%s", code, out)
	}
}

func TestTableCreateRefusesWhatContradictsItself(t *testing.T) {
	for args, want := range map[string]string{
		"--read-capacity=3":                     "--read-capacity 3 --write-capacity 0: give both",
		"--write-capacity=3":                    "--read-capacity 0 --write-capacity 3: give both",
		"--read-capacity=-1 --write-capacity=5": "--read-capacity -1 --write-capacity 5: give both",
		"--read-capacity=0 --write-capacity=0":  "--read-capacity 0: choose 1 or more, or leave it out",
		"--warm-write-units=0":                  "--warm-write-units 0: choose 1 or more, or leave it out",
		"--warm-write-units=3":                  "--warm-write-units 3: choose 4000 or more",
		"--table-class=cold":                    `--table-class "cold": choose standard or infrequent-access`,
	} {
		code, _, errs := clitest.Footfall(t, append([]string{"table", "create", "--table", "dynamodb://never"}, strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, stderr %q, want 2 and %q", args, code, errs, want)
		}
	}
}

func TestTableUpdateDoesWhatIsLeft(t *testing.T) {
	eachTable(t, func(t *testing.T, url string) {
		if code, _, errs := clitest.Footfall(t, "table", "update", "--table", url); code != 1 ||
			!strings.Contains(errs, "footfall table create --table "+
				url) {
			t.Errorf("update of nothing: exit code %d, stderr %q", code, errs)
		}
		if code, _, errs := clitest.Footfall(t, "table", "create", "--table", url); code != 0 {
			t.Fatalf("create: exit code %d, stderr %q", code, errs)
		}
		if code, out, errs := clitest.Footfall(t, "table", "update", "--table", url); code != 0 || !strings.Contains(out, "nothing to do") {
			t.Errorf("update of a table as it should be: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
		update := func(args ...string) (a AlteredTable) {
			t.Helper()
			code, out, errs := clitest.Footfall(t, append([]string{"table", "update", "--table", url, "--read-capacity", "3",
				"--write-capacity", "4",
				"--output", "json"}, args...)...)
			if err := json.Unmarshal([]byte(out), &a); code != 0 || err != nil || a.Done == nil || a.Without == nil {
				t.Fatalf("update %v: exit code %d, stderr %q, %v in\n%s", args, code, errs, err, out)
			}
			return a
		}
		billed := strings.HasPrefix(url, "dynamodb://")
		if a := update("--dry-run"); !a.DryRun || (len(a.Done) == 1) != billed || (len(a.Without) == 0) != billed {
			t.Errorf("dry run: %+v", a)
		}
		if a := update("--max-read-capacity", "30", "--max-write-capacity", "40"); (len(a.Done) == 1) != billed || len(a.Without) != 1 {
			t.Errorf("update with auto scaling, of which there is none: %+v", a)
		}
		if a := update(); len(a.Done) != 0 {
			t.Errorf("the same update again: %+v", a)
		}
	})
}

func TestTableUpdateRefusesWhatContradictsItself(t *testing.T) {
	for want, args := range map[string][]string{
		"--on-demand and capacities":          {"--on-demand", "--read-capacity", "1", "--write-capacity", "1"},
		"give both, 1 or more":                {"--read-capacity", "1"},
		"--write-capacity 0: choose 1":        {"--write-capacity", "0"},
		"auto scaling begins at":              {"--max-write-capacity", "5"},
		"--max-read-capacity 0 --max-write-c": {"--read-capacity", "1", "--write-capacity", "1", "--max-write-capacity", "5"},
		"--utilization is a target":           {"--utilization", "60"},
		"--utilization 95: choose 20 to 90": {"--read-capacity", "1", "--write-capacity", "1", "--max-write-capacity", "5",
			"--max-read-capacity", "5", "--utilization", "95"},
		`--output "csv"`: {"--output", "csv"},
	} {
		code, _, errs := clitest.Footfall(t, append([]string{"table", "update", "--table", "dynamodb://never"}, args...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, stderr %q, want 2 and %q", args, code, errs, want)
		}
	}
}
