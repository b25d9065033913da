package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// recounted is the result of a recount of the range [from, to) of hours of today; -1: open.
func recounted(site string, began time.Time, from, to int) verified.Result {
	r := verified.Result{Site: site, At: began, Zone: "UTC", Topic: "events", Records: 7, Compared: map[string]int64{"hour stats": 3}}
	if from >= 0 {
		r.From = at(from)
	}
	if to >= 0 {
		r.To = at(to)
	}
	return r
}

// A recount is said to cover figures only if it is of the whole range, could compare it, and nothing that came since can have changed it.
func testVerified(t *testing.T, w *world) {
	const lateness = time.Hour
	w.topic("events", 1)
	w.put(w.keys.Checkpoint(tp0, "stats"), time.Time{}, sinks.Item{"k": sinks.Int(3), "d": sinks.Int(1), "thr": sinks.Int(at(14).UnixMilli()),
		"at": sinks.Int(at(14).UnixMilli()), "ver": sinks.Str(fmt.Sprintf(`{"lateMs":%d}`, lateness.Milliseconds()))})
	behind, partial, wrong := recounted("behind", at(13), -1, -1), recounted("partial", at(13), -1, -1), recounted("wrong", at(13), -1, -1)
	behind.Behind, behind.ExitCode = 1, 4
	partial.LeftOut, partial.NotCompared = map[string]int64{"the log no longer holds all of it": 1}, 1
	wrong.Differences, wrong.ExitCode = 2, 1
	for _, r := range []verified.Result{recounted("", at(11), -1, -1), recounted(shop, at(10), 8, 9), recounted(shop, at(13), 9, 10),
		behind, partial,
		wrong} {
		if err := verified.Write(t.Context(), w.table, w.keys, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := verified.Write(t.Context(), w.table, sinks.KeysOfGeneration(2), recounted("rebuilt", at(13), -1, -1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		site     string
		from, to int // -1: open
		began    int
		reason   string
	}{
		{shop, 8, 9, 11, ""},                         // Both cover it: the later one.
		{shop, 9, 10, 13, ""},                        // Both cover it: the later one.
		{shop, 6, 10, 11, ""},                        // Only the one of all sites is of the whole range.
		{shop, 8, 11, 13, query.OtherRange},          // The one of all sites began too early after it.
		{shop, -1, 10, 11, ""},                       //
		{shop, 9, -1, 13, ""},                        // Both reach 10:00: the later one.
		{shop, 10, -1, 13, query.OtherRange},         // None reaches beyond 10:00.
		{"wrong", 8, -1, 13, ""},                     // The later one reaches 12:00.
		{"behind", 8, -1, 11, ""},                    // The later one was behind.
		{"partial", -1, -1, 11, ""},                  //
		{"other", 8, 10, 11, ""},                     //
		{"other", 8, 11, 11, query.OlderThanFigures}, // At 11:00 events of 10:30 could still come.
		{"behind", 8, 11, 13, query.Inconclusive},    //
		{"behind", 8, 10, 11, ""},                    //
		{"partial", 8, 11, 13, query.Inconclusive},   //
		{"rebuilt", 8, 10, 11, ""},                   // The later one is of another generation.
		{"rebuilt", 8, 11, 13, query.OtherRange},     //
		{"wrong", 8, 12, 13, ""},                     // It covers the range, and says that there are differences.
	} {
		p := query.VerifiedParams{Site: c.site, Consistent: true}
		if c.from >= 0 {
			p.From = at(c.from)
		}
		if c.to >= 0 {
			p.To = at(c.to)
		}
		a := must[query.VerifiedAnswer](t)(w.LastVerified(t.Context(), p))
		v := a.LastVerified
		if v == nil || !v.VerifiedAt.Equal(at(c.began)) || a.Reason != c.reason || a.Covers != (c.reason == "") {
			t.Errorf("%s, %d to %d: %+v, %q, covers %v; want that of %d:00, %q", c.site, c.from, c.to, v, a.Reason, a.Covers, c.began, c.reason)
			continue
		}
		if reached := min(c.began-1, 10); c.to < 0 && a.Covers && !a.To.Equal(at(reached)) && (c.site != "wrong" || !a.To.Equal(at(12))) {
			t.Errorf("%s, %d to where the recount ends: it ends at %v", c.site, c.from, a.To)
		}
		if c.to < 0 && !a.Covers && !a.To.Equal(now) || c.to >= 0 && !a.To.Equal(at(c.to)) {
			t.Errorf("%s, %d to %d: it ends at %v", c.site, c.from, c.to, a.To)
		}
		if own := a.WithoutCounts().LastVerified; v.Counts == nil || own.Counts != nil {
			t.Errorf("%s, %d to %d: counts %v, and of a site's own %v", c.site, c.from, c.to, v.Counts, own.Counts)
		}
	}
	if a := must[query.VerifiedAnswer](t)(w.LastVerified(t.Context(), query.VerifiedParams{Site: "wrong", From: at(8),
		To: at(12)})); a.LastVerified.DifferenceCount != 2 || !a.LastVerified.Through.Equal(at(12)) {
		t.Errorf("%+v, want two differences up to 12:00", a.LastVerified)
	}
	w.put(w.keys.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, "stats"), time.Time{}, sinks.Item{"k": sinks.Int(1), "d": sinks.Int(1), "ver": sinks.Str(`{"lateMs":-1}`)})
	a := must[query.VerifiedAnswer](t)(query.NewOf(w.table, w.keys, func() time.Time { return now }).LastVerified(t.Context(),
		query.VerifiedParams{Site: shop,
			From: at(8), To: at(9), Consistent: true}))
	if a.Covers || a.Reason != query.OlderThanFigures && a.Reason != query.OtherRange || a.LastVerified.Through != nil {
		t.Errorf("with any lateness: %+v, %q", a.LastVerified, a.Reason)
	}
}
