package collect

import (
	"bytes"
	"net/http"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// FuzzRequest: whatever a page or a backend sends, it is either refused as the sender's fault, and nothing is published, or each of its
// events is one that the pipeline counts, of the sender's site, and without the visitor's address.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(view), "Firefox", "", false)
	f.Add([]byte(`[`+view+`,{"siteId":"shop.example","type":"order","id":"2","ago":5,"value":39.9,"properties":{"a":[1]}}]`), "\xff", "1", false)
	f.Add([]byte(`{"siteId":"blog","type":"x","id":"3","address":"203.0.113.9","userAgent":"a","timestamp":null}`), "", "", true)
	f.Add([]byte(`{"siteId":"blog","type":"x","id":"4","sessionId":"s","timestamp":"2026-05-12T10:00:00Z","country":"CH"}`), "", "", true)
	settings := checkpoint.DefaultSettings()
	f.Fuzz(func(t *testing.T, body []byte, agent, forwarded string, backend bool) {
		w := newWorld(t, nil)
		path, site := PathBrowser, "shop.example"
		if backend {
			path, site = PathBackend, "blog"
		}
		answer := w.ask(http.MethodPost, path, string(body), shop, "User-Agent: "+agent, "X-Forwarded-For: "+forwarded,
			"Authorization: Bearer secret")
		if answer.Code != http.StatusAccepted {
			refusals := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge}
			if !slices.Contains(refusals, answer.Code) || len(w.queue.records) > 0 {
				t.Fatalf("%d %s, %d events published", answer.Code, answer.Body, len(w.queue.records))
			}
			return
		}
		if len(w.queue.records) == 0 {
			t.Fatal("nothing was published")
		}
		decode, _ := checkpoint.Maps(nil).Decoder(0, mapping.NoSchemas)
		var e event.Event
		for _, r := range w.queue.records {
			if reason, detail := settings.Verdict(decode, &kgo.Record{Value: r.Value, Timestamp: noon}, &e); reason != event.Accepted {
				t.Errorf("%s: %s: %s", r.Value, reason, detail)
			}
			if string(e.SiteID) != site || len(e.ID) == 0 {
				t.Errorf("%s: want an event of %s with an id", r.Value, site)
			}
			if address := []byte("203.0.113.9"); bytes.Contains(r.Value, address) && !bytes.Contains(body, address) {
				t.Errorf("%s has the visitor's address", r.Value)
			}
		}
	})
}
