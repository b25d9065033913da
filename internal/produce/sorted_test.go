package produce_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

var sortStart = time.Date(2026, 5, 12, 10, 0, 0, 0, time.UTC)

// sortedIDs reads a file sorted, and returns the ids of its events.
func sortedIDs(t *testing.T, text string, lines int) (ids []string, refused []produce.Refusal) {
	t.Helper()
	f := events(t, text)
	f.Sort(lines)
	records, refused := rest(t, f)
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids, refused
}

// A file of no more lines than are held is sorted as a whole. Lines of one time keep their order.
func TestFileIsSortedWithinItsWindow(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 14))
	type at struct{ id, minute int }
	var all []at
	for i := range 500 {
		all = append(all, at{i, dice.IntN(100)})
	}
	var text strings.Builder
	for _, x := range all {
		text.WriteString(line(fmt.Sprint(x.id), sortStart.Add(time.Duration(x.minute)*time.Minute)))
	}
	inOrder := slices.Clone(all)
	slices.SortStableFunc(inOrder, func(a, b at) int { return a.minute - b.minute })
	want := make([]string, len(inOrder))
	for i, x := range inOrder {
		want[i] = fmt.Sprint(x.id)
	}
	for _, lines := range []int{500, 100_000} {
		if got, _ := sortedIDs(t, text.String(), lines); !slices.Equal(got, want) {
			t.Errorf("holding %d lines: %v, want %v", lines, got, want)
		}
	}
}

func TestWindowOfLinesIsHeld(t *testing.T) {
	var text strings.Builder
	for _, minute := range []int{5, 4, 3, 2, 1, 9, 0} { // The last one is six lines too late.
		text.WriteString(line(fmt.Sprint(minute), sortStart.Add(time.Duration(minute)*time.Minute)))
	}
	for lines, want := range map[int]string{1: "[5 4 3 2 1 9 0]", 2: "[4 3 2 1 5 0 9]", 4: "[2 1 3 0 4 5 9]", 7: "[0 1 2 3 4 5 9]"} {
		if got, _ := sortedIDs(t, text.String(), lines); fmt.Sprint(got) != want {
			t.Errorf("holding %d lines: %v, want %v", lines, got, want)
		}
	}
}

// What cannot be a record is refused by its own number, wherever its line comes.
func TestSortedLinesKeepTheirNumbers(t *testing.T) {
	hour := func(h int) time.Time { return sortStart.Add(time.Duration(h) * time.Hour) }
	text := line("b", hour(2)) + "\nnonsense\n" + `{"type":"x","timestamp":` + fmt.Sprint(hour(3).UnixMilli()) + "}\n" + line("a", hour(1))
	ids, refused := sortedIDs(t, text, 10)
	if fmt.Sprint(ids) != "[a b]" || len(refused) != 2 || refused[0].Line != 3 || refused[1].Line != 4 {
		t.Errorf("ids %v, refused %v, want a and b, and lines 3 and 4", ids, refused)
	}
}

// What was read before reading failed is not lost.
func TestReadErrorComesAfterTheHeldLines(t *testing.T) {
	broken := errors.New("broken")
	text := line("b", sortStart.Add(time.Hour)) + line("a", sortStart)
	f, err := produce.NewFile(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), &produce.Events{})
	if err != nil {
		t.Fatal(err)
	}
	f.Sort(10)
	for _, want := range []string{"a", "b"} {
		if r, err := f.Next(); err != nil || r.ID != want {
			t.Errorf("%q, %v, want %q", r.ID, err, want)
		}
	}
	if _, err := f.Next(); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// shuffledLog is the real access log, sorted and in any order, as its text lines.
func shuffledLog(t *testing.T) (sorted, shuffled string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(realdata.Read(t, "access-log/apache_logs.gz")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return !strings.Contains(l, "/May/2015:") })
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(stampOf(a), stampOf(b)) })
	sorted = strings.Join(lines, "\n")
	// Lines of one second keep their order, as they do when they are sorted.
	seconds := make(map[string][]string)
	for _, l := range lines {
		seconds[stampOf(l)] = append(seconds[stampOf(l)], l)
	}
	dice := rand.New(rand.NewPCG(5, 14))
	dice.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for i, l := range lines {
		of := seconds[stampOf(l)]
		lines[i], seconds[stampOf(l)] = of[0], of[1:]
	}
	return sorted, strings.Join(lines, "\n")
}

// stampOf is the time of a line of the real log, whose days are all of one month.
func stampOf(line string) string {
	_, rest, _ := strings.Cut(line, "[")
	stamp, _, _ := strings.Cut(rest, "]")
	return stamp
}

// An access log that is sorted as it is read makes the very records, sessions among them, of the sorted log.
func TestSortedAccessLogHasTheSessionsOfASortedLog(t *testing.T) {
	slow.Unraced(t)
	sorted, shuffled := shuffledLog(t)
	read := func(text string, lines int) string {
		format, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"siteId=s"}, HashKey: []byte("0123456789abcdef"),
			CountAssets: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := produce.NewFile(strings.NewReader(text), format)
		if err != nil {
			t.Fatal(err)
		}
		if lines > 0 {
			f.Sort(lines)
		}
		var all bytes.Buffer
		for {
			r, err := f.Next()
			if _, refused := errors.AsType[*produce.Refusal](err); refused {
				continue
			}
			if err == io.EOF {
				return all.String()
			}
			if err != nil {
				t.Fatal(err)
			}
			all.Write(append(r.Value, '\n'))
		}
	}
	want := read(sorted, 0)
	if read(shuffled, 20_000) != want {
		t.Error("the records of the shuffled log, sorted, are not those of the sorted log")
	}
	if read(shuffled, 0) == want {
		t.Error("the shuffled log has the records of the sorted log already")
	}
}

// TestFileThatStepsBackByHoursIsWarnedAbout sends files, and looks for one warning where there is reason for it.
func TestFileThatStepsBackByHoursIsWarnedAbout(t *testing.T) {
	hours := func(all ...float64) string {
		var text strings.Builder
		for i, h := range all {
			text.WriteString(line(fmt.Sprint(i), sortStart.Add(time.Duration(h*float64(time.Hour)))))
		}
		return text.String()
	}
	for _, c := range []struct {
		name, text string
		sort       int
		want       string
		back       *produce.StepBack
	}{
		{"minutes", hours(0, 0.9, 0, 1.5, 1), 0, "", nil},
		{"an hour", hours(0, 1, 0, 3, 1), 0, "day.log, line 3, of 2026-05-12T10:00:00Z, is 1h0m0s earlier than a line sent before it. " +
			"Visits, and the rate that detects bots, depend on the order of the log: sort the file by time first, or use --sort",
			&produce.StepBack{Place: produce.Place{File: "day.log", Line: 5}, Seconds: 7200}},
		{"sorted", hours(0, 5, 3, 4, 1), 5, "", nil},
		{"too few lines held", hours(2, 5, 3, 4, 1), 3, "day.log, line 5, of 2026-05-12T11:00:00Z, is 2h0m0s earlier than a line sent before " +
			"it. Visits, and the rate that detects bots, depend on the order of the log, and --sort=3 holds too few lines: raise it, or sort " +
			"the file by time first", &produce.StepBack{Place: produce.Place{File: "day.log", Line: 5}, Seconds: 7200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
				f := produce.NewFiles([]produce.Input{{Name: "day.log", Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(c.text)), nil
				}, Format: &produce.Events{NeedTime: true}}})
				if c.sort > 0 {
					f.Sort(c.sort)
				}
				var heard []string
				j := produce.Job{File: f, Kafka: kafka, Topic: "events", RecordTime: produce.SendTime,
					Warn: func(text string) { heard = append(heard, text) }}
				s, err := j.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(heard, "; "); got != c.want || !slices.Equal(heard, s.Warnings) {
					t.Errorf("warned of %q, the summary has %q, want %q", got, s.Warnings, c.want)
				}
				if toText(s.StepBack) != toText(c.back) {
					t.Errorf("the summary has the step %s, want %s", toText(s.StepBack), toText(c.back))
				}
			})
		})
	}
}

func toText(x any) string {
	b, err := json.Marshal(x)
	return fmt.Sprint(string(b), err)
}
