package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Answers say up to when the site's partitions are counted, which hours are final, and which partitions are stopped or late.
func TestAnswersSayUpToWhenTheyAreComplete(t *testing.T) {
	const lateness = time.Hour
	checkpoint := func(through, at time.Time, done int64, more sinks.Item) sinks.Item {
		it := sinks.Item{"k": sinks.Int(3), "d": sinks.Int(done), "thr": sinks.Int(through.UnixMilli()), "at": sinks.Int(at.UnixMilli()),
			"ver": sinks.Str(fmt.Sprintf(`{"lateMs":%d}`, lateness.Milliseconds()))}
		for name, v := range more {
			it[name] = v
		}
		return it
	}
	early, late := at(12), at(14)
	for _, c := range []struct {
		name     string
		heads    []sinks.Item // of partitions 0, which the site uses, and 1
		through  time.Time    // zero: not known
		final    int          // hours of 10, 11, 12 and 13
		warnings []string
	}{
		{"nothing is recorded", []sinks.Item{nil, nil}, time.Time{}, 0, nil},
		{"the site's own partition decides", []sinks.Item{checkpoint(late, late, 0, nil), checkpoint(early, early, 1, nil)}, late, 3, nil},
		{"its own also if it is idle", []sinks.Item{checkpoint(early, early, 1, nil), checkpoint(late, late, 0, nil)}, early, 1, nil},
		{"another that is not idle counts", []sinks.Item{checkpoint(late, late, 1, nil), checkpoint(early, early, 0, nil)}, early, 1, nil},
		{"timestamps ahead of the clock", []sinks.Item{checkpoint(late.Add(40*time.Hour), late, 0, nil), nil}, late, 3, nil},
		{"parked", []sinks.Item{checkpoint(late, late, 1, nil), checkpoint(early, early, 1,
			sinks.Item{"park": sinks.Str(`{"reason":"read","since":"2026-05-12T12:00:00Z"}`)})}, early, 1,
			[]string{"parked events/1 false 12:00:00 parked since 2026-05-12T12:00:00Z (read): footfall status"}},
		{"a gap", []sinks.Item{checkpoint(early, early, 1, sinks.Item{"gap": sinks.Str(`{}`)}), nil}, early, 1,
			[]string{"gap events/0 true 12:00:00 records were lost"}},
		{"an accepted gap", []sinks.Item{checkpoint(late, late, 1, sinks.Item{"gap": sinks.Str(`{"accepted":"2026-05-12T12:00:00Z"}`)}), nil},
			late, 3, nil},
		{"behind", []sinks.Item{checkpoint(early, late, 0, nil), nil}, early, 1,
			[]string{"behind events/0 true 12:00:00 its last flush, of 2026-05-12T14:00:00Z, counted records that were 2h0m0s old"}},
		{"old records that are all counted", []sinks.Item{checkpoint(early, late, 1, nil), nil}, early, 1, nil},
		{"any lateness is allowed", []sinks.Item{checkpoint(late, late, 0, nil), checkpoint(late, late, 1,
			sinks.Item{"ver": sinks.Str(`{"lateMs":-1}`)})}, late, 0, nil},
		{"settings that cannot be read", []sinks.Item{checkpoint(late, late, 0, sinks.Item{"ver": sinks.Str("?")}), nil}, late, 0, nil},
		{"an earlier release", []sinks.Item{checkpoint(late, late, 0, sinks.Item{"thr": sinks.Int(0)}), nil}, time.Time{}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.topic("events", 1)
			for h := range 4 {
				w.hour(shop, at(10+h), future, 5, 5, 0, nil)
			}
			w.put(w.keys.DayStats(shop, at(0).UnixMilli()), future, sinks.Item{sinks.AttrMark("stats", tp0): sinks.Int(3),
				sinks.AttrEntity: sinks.Str(sinks.EntityStats), sinks.AttrEvents: sinks.Int(20)})
			for p, it := range c.heads {
				if it != nil {
					w.put(w.keys.Checkpoint(sinks.TP{Topic: 1, Partition: int32(p)}, "stats"), time.Time{}, it)
				}
			}
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(10), To: at(14), By: query.Hour}))
			final := 0
			for _, b := range a.Buckets {
				if b.Final {
					final++
				}
				if known := c.through.After(b.Start); known != (b.CompleteThrough != nil) || known && b.CompleteThrough.After(b.End) {
					t.Errorf("the hour of %v is complete through %v, the answer through %v", b.Start, b.CompleteThrough, c.through)
				}
			}
			if final != c.final || (a.CompleteThrough == nil) != c.through.IsZero() || a.CompleteThrough != nil &&
				!a.CompleteThrough.Equal(c.through) {
				t.Errorf("complete through %v, %d hours final; want %v, %d", a.CompleteThrough, final, c.through, c.final)
			}
			u := must[query.UniquesAnswer](t)(w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: at(10), To: at(11)}))
			if u.Final != (c.final > 0) {
				t.Errorf("visitors of the first hour: final %v, and %d hours are", u.Final, c.final)
			}
			var said []string
			for _, x := range a.Warnings {
				said = append(said, fmt.Sprint(x.Kind, " ", x.Partition, " ", x.OfSite, " ", x.Through.Format(time.TimeOnly), " ", x.Detail))
			}
			if len(said) != len(c.warnings) || len(said) > 0 && !strings.HasPrefix(said[0], c.warnings[0]) {
				t.Errorf("warnings %q, want %q", said, c.warnings)
			}
		})
	}
}
