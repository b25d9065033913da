package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// cameFrom is a page view of a session, minutes after the start by event time. from is its campaign and its referrer.
func cameFrom(session string, minute int, from, country string) record {
	e := map[string]any{"siteId": "s", "type": "page_view", "timestamp": bubbleStart.Add(time.Duration(minute) * time.Minute).UnixMilli(),
		"visitorId": "v", "sessionId": session, "id": fmt.Sprint(session, minute, from),
		"url": "https://x.example/p?utm_campaign=" + from, "referrer": "https://" + from + ".example/"}
	if country != "" {
		e["country"] = country
	}
	return record{Key: "k", At: bubbleStart, Value: mustJSON(e)}
}

// TestRedoTakesSessionsFromTheRowsTheyLeft: a process dies at any request of a step that finds earlier events of sessions, so that their
// items say where they came from by now and breakdowns have them where they came from before, or the other way round.
func TestRedoTakesSessionsFromTheRowsTheyLeft(t *testing.T) {
	t.Parallel()
	records := []record{
		cameFrom("a", -10, "first", "NL"), cameFrom("b", -10, "first", ""), cameFrom("c", -200, "first", "NL"), cameFrom("d", -5, "first", "BE"),
		// The second step: earlier in the hour, in the hour before, later, at the same time, and twice earlier.
		cameFrom("a", -20, "second", ""), cameFrom("b", -90, "second", "BE"), cameFrom("c", -190, "second", ""), cameFrom("d", -5, "second", ""),
		cameFrom("e", -30, "first", "NL"), cameFrom("e", -31, "second", "NL"), cameFrom("a", -21, "third", "FR"), cameFrom("b", -80, "third", ""),
	}
	want := calm(t, 1, records)
	kills, stride := 0, slow.Every(t, 4)
	for killedAt(t, kills+1, true, records, []int{4, len(records) - 4}, want) {
		kills += stride
	}
	if kills < 20 {
		t.Errorf("only %d requests were made", kills)
	}
}

// TestShuffledLogHasTheSameSources: a log sorted by time and the same log shuffled within an hour have the same sessions and visits, with
// the same sources, and breakdowns have them in the same rows. Visits are no longer than the gap here, and no two events of a session have
// the same time.
func TestShuffledLogHasTheSameSources(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(14, 2))
	type event struct {
		record
		when time.Time
	}
	var events []event
	for n := range 120 {
		start := bubbleStart.Add(-8*time.Hour + time.Duration(n)*4*time.Minute)
		for i := range 1 + dice.IntN(6) {
			when := start.Add(time.Duration(i)*5*time.Minute + time.Duration(dice.IntN(240_000))*time.Millisecond)
			e := map[string]any{"siteId": "s", "type": []string{"page_view", "page_view", "click"}[dice.IntN(3)], "timestamp": when.UnixMilli(),
				"visitorId": fmt.Sprint("v", n), "id": fmt.Sprint(n, " ", i), "url": fmt.Sprintf("/p%d?utm_campaign=c%d", dice.IntN(5), dice.IntN(5)),
				"referrer": fmt.Sprintf("https://r%d.example/", dice.IntN(5)), "country": fmt.Sprint("C", dice.IntN(3))}
			if n%2 == 0 {
				e["sessionId"] = fmt.Sprint("session-", n)
			}
			events = append(events, event{record{Key: "k", At: bubbleStart, Value: mustJSON(e)}, when})
		}
	}
	var want []string
	for shuffled := range 4 {
		delay := func(event) time.Duration { return 0 }
		if shuffled > 0 {
			delays := make(map[string]time.Duration)
			for _, e := range events {
				delays[string(e.Value)] = time.Duration(dice.Int64N(int64(time.Hour)))
			}
			delay = func(e event) time.Duration { return delays[string(e.Value)] }
		}
		slices.SortFunc(events, func(a, b event) int { return a.when.Add(delay(a)).Compare(b.when.Add(delay(b))) })
		var records []record
		for _, e := range events {
			records = append(records, e.record)
		}
		got := sourcesOf(t, records)
		if shuffled == 0 {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("shuffled, the log has\n%s\nsorted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if len(want) < 200 {
		t.Errorf("only %d sessions, visits and rows", len(want))
	}
}

// TestShuffledLongVisitIsTwo: what metrics.md says of visits that are longer than the gap.
func TestShuffledLongVisitIsTwo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minutes []int
		visits  int
	}{{[]int{-40, -20, 0}, 1}, {[]int{0, -20, -40}, 1}, {[]int{0, -40, -20}, 2}} {
		visits := 0
		for _, line := range sourcesOf(t, visitsOf("v", c.minutes...)) {
			if strings.HasPrefix(line, "session ") {
				visits++
			}
		}
		if visits != c.visits {
			t.Errorf("page views at the minutes %v are %d visits, want %d", c.minutes, visits, c.visits)
		}
	}
}

// sourcesOf folds records in many steps and returns the sessions, without what follows the order of the log, and what breakdowns have of
// sessions, sorted.
func sourcesOf(t *testing.T, records []record) (lines []string) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Limits.StepItems = 30
		w.Folded(o, records)
		keys, tp := sinks.Keys{}, sinks.TP{Topic: 1}
		for nn := range sinks.DefaultShards {
			for _, it := range w.Query(keys.Shard("s", nn), "SESSION#") {
				it = shownOf(it)
				line := "session"
				for _, name := range slices.Concat(sinks.DimensionNames[:], []string{sinks.AttrStartedAt, sinks.AttrEndedAt, sinks.AttrPageViews,
					sinks.AttrEvents, sinks.AttrBounce, sinks.AttrEngaged, sinks.AttrEntryPage, sinks.AttrExitPage}) {
					if v := it[name]; name != "" && v.Kind() != sinks.None {
						line += fmt.Sprint(" ", name, "=", v)
					}
				}
				lines = append(lines, line)
			}
		}
		for hour := bubbleStart.Add(-9 * time.Hour); hour.Before(bubbleStart.Add(time.Hour)); hour = hour.Add(time.Hour) {
			it := w.Item(keys.Breakdown("s", hour.UnixMilli(), tp))
			if it == nil {
				continue
			}
			var b sketch.Breakdown
			if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), &b); err != nil {
				t.Fatal(err)
			}
			for d := range sketch.Dimension(len(sinks.DimensionNames)) {
				for _, row := range b.Rows(d) {
					if d != sketch.Page && row.Sessions > 0 { // A page may have no row in the hour in which the session started.
						lines = append(lines, fmt.Sprintf("row %s %s %s %+v", sinks.Hour(hour.UnixMilli()), d, row.Value, row.Booking))
					}
				}
			}
		}
		w.recounts(len(records))
	})
	slices.Sort(lines)
	return lines
}
