package produce_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

var start = time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)

// run makes n records, 20 a second.
func run(c produce.Config, n int) []produce.Record {
	t := produce.NewTraffic(c)
	records := make([]produce.Record, n)
	for i := range records {
		records[i] = t.Next(start.Add(time.Duration(i) * 50 * time.Millisecond))
	}
	return records
}

func TestTrafficIsTheSameForTheSameSeed(t *testing.T) {
	c := produce.Config{Seed: 7, Buckets: 4, Bad: 0.05, Duplicates: 0.05, Late: 0.05}
	a, b := run(c, 5000), run(c, 5000)
	for i := range a {
		if !bytes.Equal(a[i].Value, b[i].Value) || !bytes.Equal(a[i].Key, b[i].Key) || !a[i].Time.Equal(b[i].Time) {
			t.Fatalf("record %d differs:\n%s\n%s", i, a[i].Value, b[i].Value)
		}
	}
	c.Seed = 8
	same := 0
	for i, r := range run(c, 5000) {
		if bytes.Equal(r.Value, a[i].Value) && len(r.Value) > 100 {
			same++
		}
	}
	if same > 0 {
		t.Errorf("another seed made %d of the same records", same)
	}
}

func TestTrafficIsValidAndVaried(t *testing.T) {
	slow.Unraced(t)
	const n = 50_000
	d, lists := event.NewDecoder(), classify.New()
	sites, types, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	visitors, sessions := map[string]int{}, map[string]int{}
	var sessionless, users, values, campaigns, referrers, countries int
	for i, r := range run(produce.Config{Seed: 1}, n) {
		e := decode(t, d, r)
		if want := start.Add(time.Duration(i) * 50 * time.Millisecond); !r.Time.Equal(want) {
			t.Fatalf("record %d has the time %v, want %v", i, r.Time, want)
		}
		if string(r.Key) != r.SiteID {
			t.Fatalf("key %q of site %q", r.Key, r.SiteID)
		}
		if e.ID == nil || ids[r.ID] {
			t.Fatalf("the id %q is missing or there twice", r.ID)
		}
		ids[r.ID] = true
		sites[r.SiteID]++
		types[r.Type]++
		visitors[r.SiteID+" "+string(e.VisitorID)]++
		if e.SessionID == nil {
			sessionless++
			sessions[string(e.VisitorID)]++ // That is one visit at most.
		} else {
			if sessions[string(e.SessionID)] == 0 && !e.IsPageView() {
				t.Fatalf("a session begins with a %s", e.Type)
			}
			sessions[string(e.SessionID)]++
		}
		if lists.Agent(e.UserAgent, nil).Bot || lists.Spam(e.URL, e.Referrer) {
			t.Fatalf("%q from %q is a bot's", e.UserAgent, e.Referrer)
		}
		count := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		count(&users, e.UserID != nil)
		count(&values, e.HasValue)
		count(&campaigns, bytes.Contains(e.URL, []byte("utm_source=")))
		count(&referrers, e.Referrer != nil)
		count(&countries, e.Given[figures.GivenCountry] != nil)
	}
	if len(sites) != 10 {
		t.Errorf("%d sites, want 10: %v", len(sites), sites)
	}
	// Of visits the first site has ten times as many as the tenth; their lengths vary.
	if r := float64(sites["news.example"]) / float64(sites["jobs.example"]); r < 7 || r > 14 {
		t.Errorf("the first site is %.1f times as large as the tenth, want about 10", r)
	}
	between := func(what string, got, low, high float64) {
		if got < low || got > high {
			t.Errorf("%s: %.3f, want %v to %v", what, got, low, high)
		}
	}
	for session, events := range sessions {
		if int64(events) > checkpoint.DefaultBots.Rate {
			t.Errorf("%d events of session %s, which may be a bot's by the rate", events, session)
		}
	}
	between("events a session", n/float64(len(sessions)), 3, 3.7)
	between("sessions a visitor", float64(len(sessions))/float64(len(visitors)), 1.6, 2.2)
	between("share without session", float64(sessionless)/n, 0.03, 0.07)
	between("share logged in", float64(users)/n, 0.09, 0.18)
	between("share of campaigns", float64(campaigns)/n, 0.03, 0.2)
	between("share with referrer", float64(referrers)/n, 0.2, 0.6)
	between("share with country", float64(countries)/n, 1, 1)
	between("purchases with a value", float64(values)/float64(types["purchase"]), 1, 1)
	for _, kind := range []string{"page_view", "click", "engagement", "purchase", "search", "signup"} {
		if types[kind] < n/500 {
			t.Errorf("%d events of type %s, want more: %v", types[kind], kind, types)
		}
	}
}

// TestRestartedTrafficRepeatsNoId shows that a second run of a seed continues the first as a site's traffic does:
// the same visitors come back, but no event and no session comes twice.
func TestRestartedTrafficRepeatsNoId(t *testing.T) {
	ids, visitors := map[string]bool{}, map[string]bool{}
	returned := 0
	for day := range 2 {
		traffic := produce.NewTraffic(produce.Config{Seed: 3})
		for i := range 2000 {
			r := traffic.Next(start.AddDate(0, 0, day).Add(time.Duration(i) * time.Second))
			var e struct{ ID, VisitorID, SessionID string }
			if err := json.Unmarshal(r.Value, &e); err != nil {
				t.Fatal(err)
			}
			if ids[e.ID] {
				t.Fatalf("event %s comes twice", e.ID)
			}
			ids[e.ID] = true
			if day == 0 {
				visitors[e.VisitorID] = true
				ids[e.SessionID] = e.SessionID != ""
				continue
			}
			if ids[e.SessionID] {
				t.Fatalf("session %s goes on a day later", e.SessionID)
			}
			if visitors[e.VisitorID] {
				returned++
			}
		}
	}
	if returned == 0 {
		t.Error("no visitor came back")
	}
}

func TestTrafficGoesWrongAsAsked(t *testing.T) {
	const n = 20_000
	c := produce.Config{Seed: 5, Sites: 3, Bad: 0.1, Duplicates: 0.05, Late: 0.2}
	d := event.NewDecoder()
	reasons := map[event.Reason]int{}
	seen := map[string]bool{}
	var bad, duplicates, late, tooLate int
	for i, r := range run(c, n) {
		now := start.Add(time.Duration(i) * 50 * time.Millisecond)
		var e event.Event
		reason, _ := d.Decode(r.Value, &e)
		if reason != event.Accepted {
			reasons[reason]++
			bad++
			continue
		}
		if seen[string(r.Value)] {
			duplicates++
			continue
		}
		seen[string(r.Value)] = true
		if by := now.Sub(r.Time); by != 0 {
			if by < time.Minute || by > 60*time.Hour {
				t.Fatalf("late by %v", by)
			}
			late++
			if by > 48*time.Hour {
				tooLate++
			}
		}
	}
	for _, x := range []struct {
		what string
		got  int
		want float64
	}{{"bad", bad, 0.1}, {"duplicates", duplicates, 0.05}, {"late", late, 0.2}} {
		if share := float64(x.got) / n; math.Abs(share-x.want) > 0.015 {
			t.Errorf("share of %s: %.3f, want %v", x.what, share, x.want)
		}
	}
	if tooLate == 0 || tooLate > late/10 {
		t.Errorf("%d of %d late events are too late, want a few", tooLate, late)
	}
	// Not of bytes.
	others := []event.Reason{event.BadRecordTime, event.TooLate, event.TooEarly, event.UnknownSite, event.TooManySites, event.Panicked,
		event.Unreadable, event.NotMapped, event.UnknownSchema}
	for _, reason := range event.Reasons {
		if reasons[reason] == 0 && !slices.Contains(others, reason) {
			t.Errorf("no record is bad as %s: %v", reason, reasons)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		config produce.Config
		want   string // empty: valid
	}{
		{"nothing set", produce.Config{}, ""},
		{"all set", produce.Config{Sites: 5, Seed: 1, Buckets: 3, Bad: 0.5, Late: 0.25, Duplicates: 0.25}, ""},
		{"fewer than no sites", produce.Config{Sites: -1}, "--sites -1: choose 1 to 100000"},
		{"too many sites", produce.Config{Sites: 100_001}, "--sites 100001: choose 1 to 100000"},
		{"more than all", produce.Config{Bad: 1.5}, "--bad 1.5: choose a share from 0 to 1"},
		{"less than none", produce.Config{Late: -1}, "--late -1: choose a share from 0 to 1"},
		{"no number", produce.Config{Duplicates: math.NaN()}, "--duplicates NaN: choose a share from 0 to 1"},
		{"more than all together", produce.Config{Bad: 0.5, Late: 0.75},
			"--bad, --duplicates and --late add up to 1.25: their sum must be at most 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.config.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("Validate = %v, want %q", err, test.want)
			}
		})
	}
}

func BenchmarkTraffic(b *testing.B) {
	t := produce.NewTraffic(produce.Config{Sites: 100})
	b.ReportAllocs()
	for b.Loop() {
		t.Next(start)
	}
}
