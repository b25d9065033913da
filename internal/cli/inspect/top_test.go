package inspect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

func TestTopShowsPartitionsAndUnits(t *testing.T) {
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	spends := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-01T00:05:00Z","sites":[{"site":"a","writeUnits":3000,"readUnits":600}]}`)
	}))
	t.Cleanup(spends.Close)
	code, out, errs := clitest.Footfall(t, "top", "--data", dir, "--looks", "2", "--interval", "100ms",
		"--metrics-url", spends.URL, "--metrics-url", "http://127.0.0.1:1")
	if code != 0 {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	for _, want := range []string{"4 partitions, lag 0 records; none is stopped.",
		"10.0 write units and 2.0 read units a second, $0.023 an hour on demand (1 process)", // 10 of $0.625 and 2 of $0.125 a million
		"http://127.0.0.1:1: ", "PARTITION  LANE", "IN/S  COUNTED/S"} {
		if strings.Count(out, want) != 2 {
			t.Errorf("%q is not in both looks:\n%s", want, out)
		}
	}
	if row := regexp.MustCompile(`(?m)^ *3 +stats +complete +0\.0 +- +0 `); len(row.FindAllString(out, -1)) != 1 {
		t.Errorf("no rate of partition 3 in the second look alone:\n%s", out)
	}
	for _, args := range [][]string{{"--looks", "-1"}, {"--interval", "1ms"}, {"--metrics-url", "worker-1"}} {
		if code, _, errs := clitest.Footfall(t, append([]string{"top", "--data", dir}, args...)...); code != command.CodeUsage ||
			!strings.Contains(errs, args[0]) {
			t.Errorf("top %s: exit code %d, stderr %q", args, code, errs)
		}
	}
}

func TestErrorsAreALineOfTheScreen(t *testing.T) {
	for columns, want := range map[int]string{0: "no answer: one two three", 14: "\x1b[Hno answer: on…"} {
		text := map[int]string{0: "no answer: one\n\ttwo  three", 14: "\x1b[Hno answer: one\ntwo"}[columns]
		if got := oneLine(text, columns); got != want {
			t.Errorf("%q in %d columns: %q, want %q", text, columns, got, want)
		}
	}
}

func TestRatesAreOfTheLastTwoMinutes(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	look := func(s int, end, counted int64, flushed int) StatusAnswer {
		v := laneStatus{ChainView: checkpoint.ChainView{Lane: checkpoint.LaneStats, LogEnd: end, Totals: checkpoint.Totals{Counted: counted},
			FlushedAt: new(at(flushed)), TopicID: "t"}}
		return StatusAnswer{AskedAt: at(s), Checkpoints: []laneStatus{v}}
	}
	var r rates
	for _, c := range []struct {
		look        StatusAnswer
		in, counted string
	}{
		{look(0, 1000, 900, -10), "-", "-"},
		{look(10, 1100, 900, -10), "10.0", "-"},
		{look(60, 1600, 1600, 60), "10.0", "10.0"},
		{look(130, 1600, 1600, 60), "4.2", "10.0"},   // since the look of 10 s
		{look(250, 1600, 1600, 60), "0.0", "-"},      // since that of 130 s
		{StatusAnswer{AskedAt: at(260)}, "-", "-"},   // the topic is gone
		{look(300, 9000, 9000, 300), "43.5", "30.8"}, // and here again
	} {
		r.add(c.look)
		if len(c.look.Checkpoints) == 0 {
			continue
		}
		if in, counted := r.of(c.look.Checkpoints[0], c.look.AskedAt); in != c.in || counted != c.counted {
			t.Errorf("%s: %s in and %s counted a second, want %s and %s", c.look.AskedAt, in, counted, c.in, c.counted)
		}
	}
	other := r[len(r)-1]
	other.AskedAt, other.Checkpoints = at(310), slices.Clone(other.Checkpoints)
	other.Checkpoints[0].TopicID, other.Checkpoints[0].LogEnd = "u", 10
	r.add(other)
	if in, counted := r.of(other.Checkpoints[0], other.AskedAt); in != "-" || counted != "-" {
		t.Errorf("of a topic that was created again: %s in and %s counted, want none", in, counted)
	}
}
