package main

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

	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify"
)

// TestGapIsShownAndAccepted loses records of a directory, lets footfall dev stop at the gap, and does what `status`
// prints. Then dev continues.
func TestGapIsShownAndAccepted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	dir := countedDirectory(t)
	loseRecords(t, dir, 0)
	os.Remove(filepath.Join(dir, devFileName))
	running := startChild(t, "dev", "--data", dir, "--rate", "1000", "--plain")
	eventually(t, "dev has opened the directory, which status would open itself", func() bool {
		_, err := readDevFile(dir)
		return err == nil
	})
	eventually(t, "both lanes are at the gap", func() bool {
		_, shown, _ := footfall(t, "status", "--data", dir)
		return strings.Count(shown, "footfall partition accept-gap 0 --lane") == 2
	})
	gap := passed(t, dir)[0]

	code, shown, errs := footfall(t, "status", "--data", dir)
	if code != codeUnwell || !strings.Contains(shown, "Problem: partition 0, lane stats: stopped at a data gap") {
		t.Errorf("status at a gap: exit code %d, stdout %q; want %d and the problem", code, shown, codeUnwell)
	}
	commands := regexp.MustCompile(`footfall (partition accept-gap 0 --lane \w+ --flush \d+)`).FindAllStringSubmatch(shown, -1)
	if len(commands) != 2 {
		t.Fatalf("status names %d commands, want one for each lane of partition 0:\n%s%s", len(commands), shown, errs)
	}
	for _, command := range commands {
		args := append(strings.Fields(command[1]), "--data", dir)
		if code, out, errs := footfall(t, args...); code != 0 || !strings.Contains(out, "continues after the gap: expired") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command[1], code, out, errs)
		}
		if code, _, errs := footfall(t, args...); code != 1 || !strings.Contains(errs, "status") {
			t.Errorf("%s, again: exit code %d, stderr %q", command[1], code, errs)
		}
	}
	eventually(t, "the gap is behind both lanes", func() bool { return passed(t, dir)[0] > gap+5 })
	running.interrupt(t)
	_, shown, _ = footfall(t, "status", "--data", dir, "--partition", "0", "--history")
	if strings.Count(shown, "gap accepted") != 2 || strings.Contains(shown, "has a data gap") {
		t.Errorf("status --history does not show two accepted gaps:\n%s", shown)
	}
	for _, output := range []string{"table", "json"} {
		code, out, errs := footfall(t, "status", "--data", dir, "--partition", "99", "--output", output)
		if code != codeUsage || out != "" || !strings.Contains(errs, "--partition 99: ") || !strings.Contains(errs, "choose from 0, 1, 2, 3") {
			t.Errorf("status of a partition that there is not: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
	}
	caughtUp(t, dir)
	// Nothing differs. How much of so small a table the gap leaves to be compared, which the exit code says too, is chance.
	if code, out, errs := footfall(t, "verify", "--data", dir); code != 0 && code != verify.ExitLeftOut ||
		strings.Count(out, "gap: partition 0") != 2 {
		t.Errorf("verify: exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
}

// loseRecords publishes records that are no events to a partition of a directory that nobody has open, and deletes all
// but the last.
func loseRecords(t *testing.T, dir string, partition int32) {
	t.Helper()
	broker := must(embedded.Open(dir))
	defer broker.Close()
	client := must(kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DefaultProduceTopic(devTopic)))
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
	offsets.AddOffset(devTopic, partition, last, -1)
	if _, err := kadm.NewClient(client).DeleteRecords(t.Context(), offsets); err != nil {
		t.Fatal(err)
	}
}

func TestStatusUsage(t *testing.T) {
	refused(t, "",
		wrongUsage{"status --output csv", "choose table, json or ndjson"},
		wrongUsage{"status --max-lag soon", "write a number of records, as in 10000, or a duration, as in 5m"},
		wrongUsage{"status --max-lag -1", "write a number of records"},
		wrongUsage{"status --max-flush-age 0s", "write a duration above 0"},
		wrongUsage{"status --watch=1ms", "write a duration of 100ms or more"},
		wrongUsage{"partition accept-gap", "write footfall partition accept-gap PARTITION"},
		wrongUsage{"partition accept-gap 0", "--lane is missing"},
		wrongUsage{"partition accept-gap 0 --lane stats", "--flush is missing"},
		wrongUsage{"partition accept-gap 0 --lane x --flush 1", "choose stats or realtime"},
		wrongUsage{"partition accept-gap all --lane stats --flush 1", "not a partition"},
	)
}

func TestPartitionUsage(t *testing.T) {
	refused(t, "partition",
		wrongUsage{"resume x", "not a partition"},
		wrongUsage{"resume -- -1", "not a partition"},
		wrongUsage{"skip 0", "--from-offset is missing"},
		wrongUsage{"skip 0 --from-offset 4", "--to-offset is missing"},
		wrongUsage{"skip 0 --from-offset 4 --to-offset 4", "less than"},
	)
}

// TestTheJSONOfStatusIsDocumented: each field of status --json and doctor --json is in a table of docs json, and each name there is a
// field.
func TestTheJSONOfStatusIsDocumented(t *testing.T) {
	for of, answer := range map[string]any{"status": statusAnswer{}, "doctor": doctor.Report{}} {
		_, table, _ := strings.Cut(show.JSONFields+"\n", "| field of `"+of+"` | meaning |\n|---|---|\n")
		table, _, found := strings.Cut(table, "\n\n")
		if !found {
			t.Errorf("%s has no table of its fields", of)
		}
		fields := jsonFields(reflect.TypeOf(answer), "", nil)
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
