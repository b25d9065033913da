package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/query"
)

func some[T any](v T) *T { return &v }

func sample() Snapshot {
	return Snapshot{At: time.Date(2026, 5, 12, 14, 3, 7, 0, time.UTC), Lag: 12, PerSecond: 101.25, Sites: []Site{
		{ID: "shop.example", Figures: query.Figures{PageViews: 1200, Events: 1875, Sessions: 412, BounceRate: some(0.4345),
			UniqueVisitors: some(uint64(301))}, Current: 48, PerSecond: 99},
		{ID: "a site with a name that is far too long to be shown", Figures: query.Figures{Events: 3, UniqueVisitors: some(uint64(1))}},
		{ID: "bücher\x1b[2J\n", Figures: query.Figures{Events: 1, PageViews: 1, Sessions: 1, BounceRate: some(1.0)}, PerSecond: 2.25},
	}}
}

func TestSnapshotAsLines(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b, 0); err != nil {
		t.Fatal(err)
	}
	unknown := sample()
	unknown.Lag, unknown.Unread = -1, true
	if err := unknown.Write(&b, 0); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/lines.txt", b.String())
}

func TestScreen(t *testing.T) {
	s := &screen{o: Options{Notes: []string{"Kafka at 127.0.0.1:19092"}}, snapshot: sample(), width: 120, height: 40}
	golden.Check(t, "testdata/screen.txt", ansi.Strip(s.text())+"\n")
}

func TestScreenFitsItsWindow(t *testing.T) {
	for _, width := range []int{1, 20, 80, 200} {
		for _, height := range []int{1, 5, 8, 9, 24} {
			s := &screen{o: Options{Notes: []string{"a", "b"}}, snapshot: sample(), width: width, height: height,
				err: errors.New("no table\nand no broker")}
			lines := strings.Split(s.text(), "\n")
			if len(lines) > height {
				t.Errorf("%d lines in a window of %d by %d", len(lines), width, height)
			}
			for _, line := range lines {
				if w := lipgloss.Width(line); w > width {
					t.Errorf("a line of width %d in a window of %d by %d: %q", w, width, height, line)
				}
			}
		}
	}
}

func TestIdsCannotWriteElsewhere(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b, 0); err != nil {
		t.Fatal(err)
	}
	s := &screen{snapshot: sample(), width: 120, height: 40}
	for _, text := range []string{b.String(), s.text()} {
		if strings.Contains(text, "\x1b[2J") || !strings.Contains(text, `"bücher\x1b[2J\n"`) {
			t.Errorf("an id with control characters is shown as it is:\n%q", text)
		}
	}
}

func TestRatesAreOfTheLastSeconds(t *testing.T) {
	var c Collector
	start := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	at := func(second int, events int64) float64 {
		s := Snapshot{At: start.Add(time.Duration(second) * time.Second), Sites: []Site{{ID: "a", Figures: query.Figures{Events: events}}}}
		c.rates(&s)
		if s.PerSecond != s.Sites[0].PerSecond {
			t.Errorf("after %d s: %v events/s of all sites, %v of the only one", second, s.PerSecond, s.Sites[0].PerSecond)
		}
		return s.Sites[0].PerSecond
	}
	for _, c := range []struct {
		second int
		events int64
		want   float64
	}{
		{0, 1000, 0},   // Nothing to compare with.
		{1, 1100, 100}, // Since the first.
		{2, 1100, 50},
		{10, 2000, 100},
		{11, 2000, 90}, // From second 1 on.
		{12, 2000, 90},
		{30, 1000, 0}, // An hour has left the range.
	} {
		if got := at(c.second, c.events); got != c.want {
			t.Errorf("after %d s: %v events/s, want %v", c.second, got, c.want)
		}
	}
}

func TestLinesGoOnUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		n := 0
		ctx, cancel := context.WithCancel(t.Context())
		err := Lines(ctx, Options{Every: 2 * time.Second, Notes: []string{"note"}, Out: &b, Collect: func(context.Context) (Snapshot, error) {
			if n++; n == 3 {
				cancel()
			}
			return sample(), nil
		}})
		if out := b.String(); err != nil || !strings.HasPrefix(out, "note\n") || strings.Count(out, "shop.example") != 2 {
			t.Errorf("Lines = %v, and wrote:\n%s\nwant nil, a note and two snapshots", err, out)
		}
		failed := errors.New("no table")
		err = Lines(t.Context(), Options{Every: time.Second, Out: io.Discard, Collect: func(context.Context) (Snapshot,
			error) {
			return Snapshot{}, failed
		}})
		if err != failed {
			t.Errorf("Lines of what cannot be read = %v, want %v", err, failed)
		}
	})
}

func TestScreenEndsWithItsContextOrAKey(t *testing.T) {
	for _, c := range []struct{ name, key string }{{"context", ""}, {"q", "q"}, {"Ctrl-C", "\x03"}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			keys, press := io.Pipe()
			defer press.Close()
			shown := make(chan struct{}, 1)
			done := make(chan error, 1)
			go func() {
				done <- Screen(ctx, Options{Every: time.Millisecond, In: keys, Out: io.Discard, Collect: func(context.Context) (Snapshot, error) {
					select {
					case shown <- struct{}{}:
					default:
					}
					return Snapshot{}, errors.New("no table yet") // Shown, and tried again.
				}})
			}()
			<-shown
			<-shown
			if c.key == "" {
				cancel()
			} else if _, err := fmt.Fprint(press, c.key); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil || (c.key != "" && ctx.Err() != nil) {
				t.Errorf("Screen = %v, context %v", err, ctx.Err())
			}
		})
	}
}

// TestNarrowTerminalLeavesColumnsOut: every number that is shown is whole, at any width.
func TestNarrowTerminalLeavesColumnsOut(t *testing.T) {
	whole := map[string]bool{}
	for _, row := range sample().rows() {
		for _, cell := range row[1:] {
			whole[cell] = true
		}
	}
	last := len(columns)
	for width := 130; width >= 30; width-- {
		names, rows := fit(sample().rows(), width)
		if len(names) > last || len(names) < 2 || names[0] != "site" || names[1] != "page views" {
			t.Fatalf("%d columns show %q, after %d of them", width, names, last)
		}
		last = len(names)
		sum := -2
		for _, w := range widthsOf(append([][]string{names}, rows...)) {
			sum += w + 2
		}
		if sum > width {
			t.Errorf("%d columns: a table of %d", width, sum)
		}
		for _, row := range rows {
			for i, cell := range row[1:] {
				if !whole[cell] {
					t.Errorf("%d columns: %s is %q, which is cut", width, names[i+1], cell)
				}
			}
		}
	}
	if last != 2 {
		t.Errorf("30 columns show %d columns of the table, want the site and its page views", last)
	}
}
