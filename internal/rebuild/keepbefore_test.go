package rebuild_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// ofTopic is the partition of a part of a session, and a part of the id of a visit: each generation has a topic number of its own.
var ofTopic = regexp.MustCompile(`(partition": "|~visit-[0-9a-f]{16}-)[0-9]+_`)

// answers are those to questions about days of history, on all of them and around a date.
func answers(t *testing.T, table sinks.Table, from, date, to time.Time) map[string]string {
	t.Helper()
	r, all := query.New(table, time.Now), make(map[string]string)
	keep := func(question string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		text, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all[ofTopic.ReplaceAllString(question, "$1")] = ofTopic.ReplaceAllString(string(text), "$1")
	}
	for _, site := range []string{"site-0", "site-1"} {
		for _, by := range []query.By{query.Day, query.Hour, query.Month} {
			a, err := r.Stats(t.Context(), query.StatsParams{Site: site, From: from, To: to, By: by, Consistent: true,
				Paging: query.Paging{Limit: query.MaxLimit}})
			keep(fmt.Sprint(site, " stats by ", by), a, err)
		}
		for _, span := range [][2]time.Time{{from, to}, {date.Add(-5 * time.Hour), date.Add(5 * time.Hour)}} {
			for _, dimension := range []string{"page", "country", "referrer"} {
				a, err := r.Top(t.Context(), query.TopParams{Site: site, Dimension: dimension, From: span[0], To: span[1], Consistent: true})
				keep(fmt.Sprint(site, " top ", dimension, span), a, err)
			}
			u, err := r.Uniques(t.Context(), query.UniquesParams{Site: site, From: span[0], To: span[1], Consistent: true})
			keep(fmt.Sprint(site, " uniques ", span), u, err)
			for _, desc := range []bool{false, true} {
				for _, of := range []query.SessionsParams{{}, {User: "u1"}, {Visitor: "v0-3"}} {
					of.Site, of.From, of.To, of.Paging = site, span[0], span[1], query.Paging{Limit: 7, Desc: desc}
					lists, next := []query.Session{}, ""
					for {
						of.Cursor = next
						a, err := r.Sessions(t.Context(), of)
						if err != nil {
							t.Fatal(err)
						}
						lists = append(lists, a.Sessions...)
						if next = a.Cursor; next == "" {
							break
						}
					}
					// Those of a minute come in the order of the flushes that have listed them.
					slices.SortFunc(lists, func(a, b query.Session) int { return strings.Compare(a.SessionID, b.SessionID) })
					keep(fmt.Sprint(site, " sessions ", of.User, of.Visitor, desc, span), lists, nil)
					for i, s := range lists {
						if i%5 == 0 {
							one, err := r.Session(t.Context(), query.SessionParams{Site: site, Session: s.SessionID})
							keep(fmt.Sprint(site, " session ", s.SessionID), one, err)
						}
					}
				}
			}
		}
	}
	return all
}

func differing(a, b map[string]string) (list []string) {
	for question, answer := range a {
		if b[question] != answer {
			was, is := strings.Split(answer, "\n"), strings.Split(b[question], "\n")
			i := 0
			for i < min(len(was), len(is))-1 && was[i] == is[i] {
				i++
			}
			list = append(list, fmt.Sprintf("%s: line %d, %s, has become %s", question, i+1, was[i], is[i]))
		}
	}
	if len(a) != len(b) {
		list = append(list, fmt.Sprintf("%d answers have become %d", len(a), len(b)))
	}
	return list
}

const days = 9

// ofDays are records of some days up to now, and the offsets at which each of them begins.
func ofDays(w *testpipeline.World) (records []testpipeline.Record, begins [days + 1][2]int64, from, to time.Time) {
	w.RareFetches(time.Minute)
	w.Pass(time.Until(time.Date(2000, 2, 3, 12, 0, 0, 0, time.UTC)))
	to = time.Now().UTC()
	from = to.AddDate(0, 0, -days).Truncate(24 * time.Hour)
	for day := range days {
		for i, r := range testpipeline.Traffic(uint64(day), 2, 150, from.AddDate(0, 0, day).Add(23*time.Hour)) {
			r.Value = []byte(strings.NewReplacer(fmt.Sprintf(`"id":"%d"`, i), fmt.Sprintf(`"id":"%d-%d"`, day, i), // A session has one day.
				`"sessionId":"s`, fmt.Sprintf(`"sessionId":"s%d-`, day), `"sessionId":"c0a8017e`, fmt.Sprintf(`"sessionId":"c0a8017%d`, day),
			).Replace(string(r.Value)))
			records = append(records, r)
		}
		for _, r := range records {
			begins[day+1][r.Partition]++
		}
	}
	return records, begins, from, to
}

// TestRebuildOfWhatTheTopicStillHas: where a topic has lost its first days, later ones are counted once more, and earlier ones are read as
// they were, also after the former generation was dropped and the rest was rebuilt once more.
func TestRebuildOfWhatTheTopicStillHas(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records, begins, from, to := ofDays(w)
		w.Decide("site-0", &sites.Rules{Name: "Keeps all", Days: map[string]int64{sinks.AttrHourDays: sites.Never,
			sinks.AttrDayDays: sites.Never}})
		w.Decide("site-2", &sites.Rules{Name: "Counts who is new", NewVisitors: true})
		for day := range days {
			at := from.AddDate(0, 0, day).Add(12 * time.Hour)
			records = append(records, testpipeline.Record{At: at, Value: testpipeline.MustJSON(map[string]any{"siteId": "site-2",
				"type": "page_view", "timestamp": at.UnixMilli(), "visitorId": "v", "sessionId": fmt.Sprint(day)})})
		}
		o := w.Options()
		o.Seal.Interval, o.Seal.After = time.Minute, time.Hour
		stop := member(t, o)
		w.Produce(records...)
		w.Settled()
		w.Pass(10 * time.Minute)

		job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}
		lose := func(days int) {
			t.Helper()
			for p := range int32(2) {
				if err := w.Cluster.DeleteRecords(w.Topic, p, begins[days][p]); err != nil {
					t.Fatal(err)
				}
			}
		}
		lose(2)
		w.Recreated = true // What was lost cannot be recounted.
		_, err := job.Run(t.Context())
		lost, ok := errors.AsType[*rebuild.LostError](err)
		if !ok {
			t.Fatalf("Run = %v, want a *LostError", err)
		}
		first := lost.Earliest
		if first.Before(from.AddDate(0, 0, 3)) || first.After(from.AddDate(0, 0, 5)) || first.Day() == 1 {
			t.Fatalf("the topic has all of %v and later, it is said, without two days from %v on", first, from)
		}
		before := answers(t, w.Table, from, first, to)
		for _, c := range []struct {
			date time.Time
			says string
		}{{first.AddDate(0, 0, -1), "may have lost records"}, {to.Truncate(24 * time.Hour), "may still come"}} {
			job.KeepBefore = c.date
			if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Run that keeps what is before %v = %v, want %q", c.date, err, c.says)
			}
		}
		flip := func(generation int) {
			t.Helper()
			job.Compared = func(c rebuild.Comparison) (bool, error) {
				if c.Figures < 20 || len(c.Differ) > 0 {
					t.Errorf("the comparison: %+v", c)
				}
				return true, nil
			}
			if r, err := job.Run(t.Context()); err != nil || !r.Flipped || r.Generation != generation {
				t.Fatalf("Run = %+v, %v", r, err)
			}
			w.Settled()
			w.Recounted()
			w.Pass(10 * time.Minute) // The days are sealed.
			for _, difference := range differing(before, answers(t, w.Table, from, first, to)) {
				t.Error(difference)
			}
		}
		job.KeepBefore = first
		flip(2)
		a, err := query.New(w.Table, time.Now).Stats(t.Context(), query.StatsParams{Site: "site-2", From: from, To: to})
		if err != nil || a.Totals == nil || a.Totals.NewSince == nil || !a.Totals.NewSince.Equal(first) {
			t.Errorf("new visitors: %+v, %v; want them since %v", a.Totals, err, first)
		}
		if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
		for _, difference := range differing(before, answers(t, w.Table, from, first, to)) {
			t.Errorf("after drop: %s", difference)
		}
		job.KeepBefore = time.Time{} // The topic has all that generation 2 has counted.
		flip(3)
		if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
		lose(3)
		job.KeepBefore = first.AddDate(0, 0, 1)
		flip(4)
		stop()
	})
}
