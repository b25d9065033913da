package inspect

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
)

// TestGapIsShownAndAccepted loses records of a directory, lets footfall dev stop at the gap, and does what `status`
// prints. Then dev continues.
func TestGapIsShownAndAccepted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	loseRecords(t, dir, 0)
	os.Remove(filepath.Join(dir, command.DevFileName))
	running := clitest.StartChild(t, "dev", "--data", dir, "--rate", "100", "--plain") // A busy machine counts it all.
	clitest.Eventually(t, "dev has opened the directory, which status would open itself", func() bool {
		_, err := command.ReadDevFile(dir)
		return err == nil
	})
	clitest.Eventually(t, "both lanes are at the gap", func() bool {
		_, shown, _ := clitest.Footfall(t, "status", "--data", dir)
		return strings.Count(shown, "footfall partition accept-gap 0 --lane") == 2
	})
	gap := clitest.Passed(t, dir)[0]

	code, shown, errs := clitest.Footfall(t, "status", "--data", dir)
	if code != command.CodeUnwell || !strings.Contains(shown, "Problem: partition 0, lane stats: stopped at a data gap") {
		t.Errorf("status at a gap: exit code %d, stdout %q; want %d and the problem", code, shown, command.CodeUnwell)
	}
	commands := regexp.MustCompile(`footfall (partition accept-gap 0 --lane \w+ --flush \d+)`).FindAllStringSubmatch(shown, -1)
	if len(commands) != 2 {
		t.Fatalf("status names %d commands, want one for each lane of partition 0:\n%s%s", len(commands), shown, errs)
	}
	for _, command := range commands {
		args := append(strings.Fields(command[1]), "--data", dir)
		if code, out, errs := clitest.Footfall(t, args...); code != 0 || !strings.Contains(out, "continues after the gap: expired") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command[1], code, out, errs)
		}
		if code, _, errs := clitest.Footfall(t, args...); code != 1 || !strings.Contains(errs, "status") {
			t.Errorf("%s, again: exit code %d, stderr %q", command[1], code, errs)
		}
	}
	clitest.Eventually(t, "the gap is behind both lanes", func() bool { return clitest.Passed(t, dir)[0] > gap+5 })
	running.Interrupt(t)
	_, shown, _ = clitest.Footfall(t, "status", "--data", dir, "--partition", "0", "--history")
	if strings.Count(shown, "gap accepted") != 2 || strings.Contains(shown, "has a data gap") {
		t.Errorf("status --history does not show two accepted gaps:\n%s", shown)
	}
	if taken := regexp.MustCompile(`(?s)TAKEN OVER .* REPEATS .*\n20\S+ \S+ +0 +\d+ +(-|stats|realtime|stats, realtime) +\S+/\d+/`); !taken.MatchString(shown) {
		t.Errorf("status --history does not show the takeovers of partition 0:\n%s", shown)
	}
	if strings.Count(shown, `"batchBytes"`) != 1 || !strings.Contains(shown, "settings as of partition 0, lane stats, flush 1\n") {
		t.Errorf("status --history repeats settings:\n%s", shown)
	}
	var answer StatusAnswer
	clitest.AskedJSON(t, &answer, "status", "--data", dir, "--output", "json")
	if !slices.ContainsFunc(answer.Takeovers, func(of takeover) bool { return of.Partition == 3 && of.Epoch > 0 && of.Owner != "" }) {
		t.Errorf("the JSON does not have the takeovers of partition 3: %+v", answer.Takeovers)
	}
	for _, output := range []string{"table", "json"} {
		code, out, errs := clitest.Footfall(t, "status", "--data", dir, "--partition", "99", "--output", output)
		if code != command.CodeUsage || out != "" || !strings.Contains(errs, "--partition 99: ") ||
			!strings.Contains(errs, "choose from 0, 1, 2, 3") {
			t.Errorf("status of a partition that there is not: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
	}
	clitest.CaughtUp(t, dir)
	// Nothing differs. How much of so small a table the gap leaves to be compared, which the exit code says too, is chance.
	if code, out, errs := clitest.Footfall(t, "verify", "--data", dir); code != 0 && code != finding.ExitLeftOut ||
		strings.Count(out, "gap: partition 0") != 2 {
		t.Errorf("verify: exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
}

// loseRecords publishes records that are no events to a partition of a directory that nobody has open, and deletes all
// but the last.
func loseRecords(t *testing.T, dir string, partition int32) {
	t.Helper()
	broker := clitest.Must(embedded.Open(dir))
	defer broker.Close()
	client := clitest.Must(kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DefaultProduceTopic(command.DevTopic)))
	defer client.Close()
	last := int64(0)
	for range 5 {
		r, err := client.ProduceSync(t.Context(), &kgo.Record{Partition: partition, Value: []byte("lost")}).First()
		if err != nil {
			t.Fatal(err)
		}
		last = r.Offset
	}
	offsets := make(kadm.Offsets)
	offsets.AddOffset(command.DevTopic, partition, last, -1)
	if _, err := kadm.NewClient(client).DeleteRecords(t.Context(), offsets); err != nil {
		t.Fatal(err)
	}
}

func TestStatusUsage(t *testing.T) {
	clitest.Refused(t, "",
		clitest.WrongUsage{Args: "status --output csv", Says: "choose table, json or ndjson"},
		clitest.WrongUsage{Args: "status --max-lag soon", Says: "write a number of records, as in 10000, or a duration, as in 5m"},
		clitest.WrongUsage{Args: "status --max-lag -1", Says: "write a number of records"},
		clitest.WrongUsage{Args: "status --max-flush-age 0s", Says: "write a duration above 0"},
		clitest.WrongUsage{Args: "status --watch=1ms", Says: "write a duration of 100ms or more"},
		clitest.WrongUsage{Args: "partition accept-gap", Says: "write footfall partition accept-gap PARTITION"},
		clitest.WrongUsage{Args: "partition accept-gap 0", Says: "--lane is missing"},
		clitest.WrongUsage{Args: "partition accept-gap 0 --lane stats", Says: "--flush is missing"},
		clitest.WrongUsage{Args: "partition accept-gap 0 --lane x --flush 1", Says: "choose stats or realtime"},
		clitest.WrongUsage{Args: "partition accept-gap all --lane stats --flush 1", Says: "not a partition"},
	)
}

func TestPartitionUsage(t *testing.T) {
	clitest.Refused(t, "partition",
		clitest.WrongUsage{Args: "resume x", Says: "not a partition"},
		clitest.WrongUsage{Args: "resume -- -1", Says: "not a partition"},
		clitest.WrongUsage{Args: "skip 0", Says: "--from-offset is missing"},
		clitest.WrongUsage{Args: "skip 0 --from-offset 4", Says: "--to-offset is missing"},
		clitest.WrongUsage{Args: "skip 0 --from-offset 4 --to-offset 4", Says: "less than"},
	)
}

// TestTheJSONOfStatusIsDocumented: each field of status --json and doctor --json is in a table of docs json, and each name there is a
// field.
func TestTheJSONOfStatusIsDocumented(t *testing.T) {
	for of, answer := range map[string]any{"status": StatusAnswer{}, "doctor": doctor.Report{}} {
		_, table, _ := strings.Cut(show.JSONFields+"\n", "| field of `"+of+"` | meaning |\n|---|---|\n")
		table, _, found := strings.Cut(table, "\n\n")
		if !found {
			t.Errorf("%s has no table of its fields", of)
		}
		fields := clitest.JSONFields(reflect.TypeOf(answer), "", nil)
		for row := range strings.Lines(table) {
			names, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
			for name := range strings.SplitSeq(names, ", ") {
				name = strings.Trim(name, "`")
				prefix, group := strings.CutSuffix(name, "*")
				before := len(fields)
				fields = slices.DeleteFunc(fields, func(f string) bool { return f == name || group && strings.HasPrefix(f, prefix) })
				if len(fields) == before {
					t.Errorf("%s has no field %s, which is in the table", of, name)
				}
			}
		}
		if len(fields) > 0 {
			t.Errorf("fields of %s that are not in the table: %q", of, fields)
		}
	}
}
