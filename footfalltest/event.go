package footfalltest

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Event is an event as docs/events.md describes it. SiteID is required, and VisitorID or SessionID. Other fields may be empty.
type Event struct {
	SiteID     string         `json:"siteId"`
	Type       string         `json:"type"`      // "": page_view
	Time       time.Time      `json:"timestamp"` // when it happened, which is also the record's timestamp; zero: now
	ID         string         `json:"id"`        // of two events with one id the first counts; "": an id of its own
	VisitorID  string         `json:"visitorId,omitempty"`
	SessionID  string         `json:"sessionId,omitempty"`
	UserID     string         `json:"userId,omitempty"`
	URL        string         `json:"url,omitempty"`
	Referrer   string         `json:"referrer,omitempty"`
	Title      string         `json:"title,omitempty"`
	UserAgent  string         `json:"userAgent,omitempty"`
	Name       string         `json:"name,omitempty"`
	Value      *float64       `json:"value,omitempty"` // at most 6 decimal places
	Country    string         `json:"country,omitempty"`
	Region     string         `json:"region,omitempty"`
	City       string         `json:"city,omitempty"`
	Device     string         `json:"device,omitempty"`
	Browser    string         `json:"browser,omitempty"`
	OS         string         `json:"os,omitempty"`
	Properties map[string]any `json:"properties,omitempty"`
}

// Publish publishes events in this order, with the site as the key of their records, and returns when the brokers have them. It ends the
// test if an event would be rejected for what it says.
func (f *Footfall) Publish(t testing.TB, events ...Event) {
	t.Helper()
	decoder := event.NewDecoder()
	records := make([]*kgo.Record, 0, len(events))
	for i, e := range events {
		r, err := f.record(e)
		if err != nil {
			t.Fatalf("footfalltest: event %d of %d: %v", i+1, len(events), err)
		}
		if reason, detail := decoder.Decode(r.Value, new(event.Event)); reason != event.Accepted {
			t.Fatalf("footfalltest: event %d of %d is rejected as %s: %s: %s: use PublishRecords if that is meant", i+1, len(events), reason,
				detail, r.Value)
		}
		records = append(records, r)
	}
	f.PublishRecords(t, records...)
}

func (f *Footfall) record(e Event) (*kgo.Record, error) {
	if e.Time.IsZero() {
		e.Time = f.now()
	}
	e.Type, e.ID = cmp.Or(e.Type, "page_view"), cmp.Or(e.ID, rand.Text())
	value, err := json.Marshal(e)
	return &kgo.Record{Key: []byte(e.SiteID), Value: value, Timestamp: e.Time}, err
}

// PublishRecords publishes records as they are, such as some that are no events, and returns when the brokers have them. They go to the
// topic of f if they name none.
func (f *Footfall) PublishRecords(t testing.TB, records ...*kgo.Record) {
	t.Helper()
	for _, r := range records {
		r.Topic = cmp.Or(r.Topic, f.topic)
	}
	for i, published := range f.client.ProduceSync(t.Context(), records...) {
		if published.Err != nil {
			t.Fatalf("footfalltest: publish record %d of %d: %v", i+1, len(records), published.Err)
		}
	}
}
