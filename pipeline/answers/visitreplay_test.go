package answers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
)

// TestReplayOfAVisitIsWhatWasBooked: the raw events that a reader shows of a visit are those that were counted in it, where
// partitions of two topics have seen the same visitors at the same time, and some of what they sent was a bot's.
func TestReplayOfAVisitIsWhatWasBooked(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"
		w.Decide("s", &sites.Rules{UserAgents: []string{"acme-probe"}, Referrers: []string{"ads.example"}})
		if _, err := kadm.NewClient(w.Client).CreateTopic(t.Context(), 2, 1, nil, "others"); err != nil {
			t.Fatal(err)
		}
		for n, topic := range []string{testpipeline.TestTopic, "others"} {
			w.Topic = topic
			o := w.Options()
			o.Settings.Bots.Rate = 4
			var records []record
			start := time.Now()
			for i := range 240 {
				when := start.Add(time.Duration(i) * 20 * time.Second)
				if i >= 120 {
					when = when.Add(45 * time.Minute) // Everyone's next visit.
				}
				event := map[string]any{"siteId": "s", "type": "click", "timestamp": when.UnixMilli(), "visitorId": fmt.Sprint("v", i%3),
					"url": "https://s.example/", "userAgent": browser}
				switch (i + n) % 11 {
				case 1:
					event["userAgent"] = "acme-probe/2"
				case 4:
					event["referrer"] = "https://ads.example/x"
				case 7:
					event["userAgent"] = "Googlebot/2.1 (+http://www.google.com/bot.html)"
				case 9:
					event["sessionId"] = "named"
				}
				at := record{Partition: int32(i/3+n) % 2, Key: "s", At: when, Value: mustJSON(event)}
				records = append(records, at)
				for range 6 * (i / 239) { // The last visitor's visit floods.
					records = append(records, at)
				}
			}
			w.Folded(o, records)
		}
		reader := query.New(w.Table, time.Now)
		replayed, visits := int64(0), 0
		for v := range 3 {
			all, err := reader.Sessions(t.Context(), query.SessionsParams{Site: "s", Visitor: fmt.Sprint("v", v)})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range all.Sessions {
				if x.SessionID == "named" {
					continue
				}
				a, err := reader.Events(t.Context(), query.EventsParams{Site: "s", Session: x.SessionID, Paging: query.Paging{Limit: query.MaxLimit}})
				if err != nil || int64(len(a.Events)) != x.Events {
					t.Errorf("%s: %d events are shown, %v; %d were booked", x.SessionID, len(a.Events), err, x.Events)
				}
				replayed, visits = replayed+x.Events, visits+1
			}
		}
		a, err := reader.Events(t.Context(), query.EventsParams{Site: "s", From: bubbleStart, To: bubbleStart.AddDate(0, 0, 2),
			Paging: query.Paging{Limit: query.MaxLimit}})
		if err != nil {
			t.Fatal(err)
		}
		want, bots := int64(0), make(map[string]int)
		for _, e := range a.Events {
			bots[e.Bot]++
			if e.Bot == "" && e.SessionID == "" {
				want++
			}
		}
		// Three visitors have two visits each in both partitions of two topics.
		if visits != 3*2*2*2 || replayed != want || bots["agent"] == 0 || bots["referrer"] == 0 || bots["rate"] == 0 {
			t.Errorf("%d visits of %d events, %d raw events of people; bots %v", visits, replayed, want, bots)
		}
	})
}
