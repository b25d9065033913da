package produce_test

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/slow"
)

// audienceOf are the records of a number of days from a Monday on, 3,000 a day.
func audienceOf(t *testing.T, seed uint64, began time.Time, days int) []produce.Record {
	t.Helper()
	audience := produce.NewAudience(produce.Config{Sites: 4, Seed: seed}, began)
	past := produce.Past{Audience: audience, From: began, To: began.AddDate(0, 0, days), Daily: 3000}
	var records []produce.Record
	for {
		r, err := past.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
}

var monday = time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)

type tracked struct{ VisitorID, SessionID, Device, Referrer, URL string }

func trackedOf(t *testing.T, r produce.Record) (e tracked) {
	t.Helper()
	if err := json.Unmarshal(r.Value, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// An audience has sessions of minutes, days with nights, weeks with weekends, and visitors who come back days later.
func TestAudienceIsLikeThatOfASite(t *testing.T) {
	slow.Unraced(t)
	records := audienceOf(t, 1, monday, 14)
	if n := float64(len(records)); math.Abs(n-14*3000) > 0.02*n {
		t.Errorf("%v records in 14 days, want 3000 a day", n)
	}
	type session struct {
		first, last time.Time
		events      int
	}
	sessions, visitors := map[string]*session{}, map[string]time.Time{}
	hours, days, devices, referrers := map[int]int{}, map[time.Weekday]int{}, map[string]int{}, map[string]int{}
	campaigns, returned := 0, 0
	var before time.Time
	for _, r := range records {
		if r.Time.Before(before) {
			t.Fatalf("a record of %v comes after one of %v", r.Time, before)
		}
		before = r.Time
		e := trackedOf(t, r)
		hours[r.Time.Hour()]++
		days[r.Time.Weekday()]++
		devices[e.Device]++
		referrers[e.Referrer]++
		if strings.Contains(e.URL, "utm_campaign=") {
			campaigns++
		}
		if first, ok := visitors[e.VisitorID]; !ok {
			visitors[e.VisitorID] = r.Time
		} else if r.Time.Sub(first) > 48*time.Hour {
			returned++
		}
		if s := sessions[e.SessionID]; e.SessionID == "" {
			continue
		} else if s == nil {
			sessions[e.SessionID] = &session{r.Time, r.Time, 1}
		} else {
			if gap := r.Time.Sub(s.last); gap > 30*time.Minute {
				t.Fatalf("session %s pauses for %v", e.SessionID, gap)
			}
			s.last = r.Time
			s.events++
		}
	}
	var durations []time.Duration
	for _, s := range sessions {
		if s.events > 1 {
			durations = append(durations, s.last.Sub(s.first))
		}
	}
	slices.Sort(durations)
	if median := durations[len(durations)/2]; median < time.Minute || median > 10*time.Minute {
		t.Errorf("the median session of several events lasts %v, want minutes", median)
	}
	if hours[15] < 3*hours[3] {
		t.Errorf("%d events at 3, %d at 15 o'clock, want a night and a day", hours[3], hours[15])
	}
	if days[time.Sunday]*5 > days[time.Tuesday]*4 {
		t.Errorf("%d events on Sundays, %d on Tuesdays, want fewer on Sundays", days[time.Sunday], days[time.Tuesday])
	}
	if devices["mobile"] == 0 || devices["desktop"] == 0 || devices["tablet"] == 0 || len(referrers) < 5 || campaigns == 0 || returned == 0 {
		t.Errorf("devices %v, %d referrers, %d events of campaigns, %d of visitors who came back, want some of all", devices, len(referrers),
			campaigns, returned)
	}
}

// The same seed and beginning make the same records; another beginning has other visitors.
func TestAudienceIsReproducible(t *testing.T) {
	a, b := audienceOf(t, 7, monday, 1), audienceOf(t, 7, monday, 1)
	for i := range a {
		if string(a[i].Value) != string(b[i].Value) {
			t.Fatalf("record %d differs:\n%s\n%s", i, a[i].Value, b[i].Value)
		}
	}
	visitors := map[string]bool{}
	for _, r := range a {
		visitors[trackedOf(t, r).VisitorID] = true
	}
	for _, r := range audienceOf(t, 7, monday.Add(24*time.Hour), 1) {
		if v := trackedOf(t, r).VisitorID; visitors[v] {
			t.Fatalf("visitor %s of one beginning comes with another", v)
		}
	}
}

// The rhythm neither adds to nor takes from the rate over a week.
func TestRhythmIsOneOnAverage(t *testing.T) {
	sum := 0.0
	for minute := range 7 * 24 * 60 {
		r := produce.Rhythm(monday.Add(time.Duration(minute) * time.Minute))
		if r < 0.1 || r > 3 {
			t.Fatalf("the rhythm is %v after %d minutes", r, minute)
		}
		sum += r
	}
	if mean := sum / (7 * 24 * 60); math.Abs(mean-1) > 0.001 {
		t.Errorf("the rhythm's average is %v, want 1", mean)
	}
}
