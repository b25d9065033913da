package watch

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/secret"
	"github.com/footfall/footfall/sinks"
)

// A receiver is a webhook that checks what it gets. Requests come at once; a test reads ids and last after their answers.
type receiver struct {
	t      *testing.T
	answer func(http.ResponseWriter, *http.Request)
	mu     sync.Mutex
	ids    map[string]int
	last   Message
}

const key = "a key"

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var m Message
	body, err := io.ReadAll(req.Body)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	id := req.Header.Get("Webhook-Id")
	if err != nil || id != m.ID || req.Method != http.MethodPost ||
		req.Header.Get("Webhook-Signature") != Sign([]byte(key), id, req.Header.Get("Webhook-Timestamp"), body) {
		r.t.Errorf("%s %s: %v, %v", req.Method, body, req.Header, err)
	}
	r.got(m)
	if r.answer != nil {
		r.answer(w, req)
	}
}

func (r *receiver) got(m Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[m.ID]++
	r.last = m
}

// receive starts a receiver.
func receive(t *testing.T, answer func(http.ResponseWriter, *http.Request)) (*receiver, string) {
	t.Helper()
	r := &receiver{t: t, answer: answer, ids: make(map[string]int)}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return r, s.URL
}

// signing is a watcher that signs, and finds silence in the shop.
func (w *shopWorld) signing() *Watcher {
	of := w.watcher()
	of.sender.Key = secret.New(key, "", "")
	w.now = w.now.Add(time.Hour)
	return of
}

func (w *shopWorld) delivery() alerts.Delivery {
	w.t.Helper()
	found := w.findings()
	if len(found) != 1 {
		w.t.Fatalf("%+v", found)
	}
	return found[0].Delivery
}

// A finding is sent again, with the same id and later each time, until the webhook accepts it.
func TestWebhookGetsAFindingUntilItAccepts(t *testing.T) {
	status := http.StatusInternalServerError
	r, at := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	w := newShop(t)
	w.alert("silence", at+"/secret")
	of := w.signing()
	w.pass(of, 1)
	for range 3 {
		of.sender.send(t.Context())
	}
	if d := w.delivery(); d.State != alerts.Pending || d.Attempts != 1 || !strings.Contains(d.Error, "status 500") ||
		strings.Contains(d.Error, "secret") {
		t.Errorf("%+v", d)
	}
	status = http.StatusNoContent
	w.now = w.now.Add(time.Hour)
	for range 3 {
		of.sender.send(t.Context())
	}
	if d := w.delivery(); d.State != alerts.Sent || d.Attempts != 2 || d.Error != "" {
		t.Errorf("%+v", d)
	}
	if r.ids[r.last.ID] != 2 || len(r.ids) != 1 || r.last.Site != shop || r.last.Text != "0, usually 120" || r.last.When != "events stops" {
		t.Errorf("%v %+v", r.ids, r.last)
	}
}

// A webhook that redirects, hangs, ends the connection or answers without end is a failed attempt at most; after a day it is given up.
func TestWebhooksThatDoNotAccept(t *testing.T) {
	_, elsewhere := receive(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"redirects": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"hangs": func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() },
		"ends":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			_, at := receive(t, answer)
			w := newShop(t)
			w.alert("silence", at)
			of := w.signing()
			of.sender.client.Timeout = 100 * time.Millisecond
			w.pass(of, 1)
			of.sender.send(t.Context())
			if d := w.delivery(); d.State != alerts.Pending || d.Attempts != 1 || d.Error == "" {
				t.Errorf("%+v", d)
			}
			w.now = w.now.Add(maxAge)
			of.sender.send(t.Context())
			if d := w.delivery(); d.State != alerts.Failed || len(of.sender.queue) != 0 {
				t.Errorf("%+v, %d in the queue", d, len(of.sender.queue))
			}
		})
	}
}

// Of a huge answer the beginning is read.
func TestHugeAnswerIsNotRead(t *testing.T) {
	var wrote atomic.Int64
	_, at := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 100_000 {
			n, err := w.Write(make([]byte, 10_000))
			if wrote.Add(int64(n)); err != nil {
				return
			}
		}
	})
	w := newShop(t)
	w.alert("silence", at)
	of := w.signing()
	w.pass(of, 1)
	of.sender.send(t.Context())
	if d := w.delivery(); d.State != alerts.Sent {
		t.Errorf("%+v", d)
	}
	if n := wrote.Load(); n > 100<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// A webhook that fails does not keep those of other sites from being asked; a queue that is full keeps no more; without a key nothing is
// sent, and nothing is lost.
func TestWebhooksAreApart(t *testing.T) {
	_, bad := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	good, at := receive(t, nil)
	w := newShop(t)
	of := w.signing()
	add := func(site, id, webhook string) {
		a := alerts.Alert{Site: site, ID: id, Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Stops: true}, Webhook: webhook}
		if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: a.Item()}); err != nil {
			t.Fatal(err)
		}
		of.sender.add(alerts.Finding{Site: site, Alert: id, JudgedAt: w.now, Delivery: alerts.Delivery{State: alerts.Pending}})
	}
	for i := range 20 {
		add("bad", string(rune('a'+i)), bad)
	}
	for _, site := range []string{"one", "two", "three"} {
		add(site, "x", at)
	}
	signed := of.sender.Key
	of.sender.Key = nil
	of.sender.send(t.Context())
	if len(good.ids) != 0 || len(of.sender.queue) != 23 {
		t.Errorf("without a key %d were sent, %d wait", len(good.ids), len(of.sender.queue))
	}
	of.sender.Key = signed
	of.sender.send(t.Context())
	if len(good.ids) != 3 || len(of.sender.queue) != 20 {
		t.Errorf("%d were sent, %d wait", len(good.ids), len(of.sender.queue))
	}
	for hour := range int64(2 * maxQueue) {
		of.sender.add(alerts.Finding{Site: "bad", Hour: hour})
	}
	if len(of.sender.queue) != maxQueue {
		t.Errorf("%d wait", len(of.sender.queue))
	}
}

// A webhook that does not accept, and an alert that is damaged, hold up their own findings alone. Those of an alert are sent in their
// order.
func TestWebhooksOfASiteAreApart(t *testing.T) {
	_, bad := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	good, at := receive(t, nil)
	w := newShop(t)
	of := w.signing()
	for i, webhook := range []string{bad, bad, at} {
		id := string(rune('a' + i))
		it := alerts.Alert{Site: shop, ID: id, Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Stops: true}, Webhook: webhook}.Item()
		if id == "b" {
			it[sinks.AttrText] = sinks.Str("damaged")
		}
		if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		for hour := range int64(2) {
			of.sender.add(alerts.Finding{Site: shop, Alert: id, Hour: hour, JudgedAt: w.now,
				Delivery: alerts.Delivery{State: alerts.Pending}})
		}
	}
	for call, want := range []int{0, 2, 2, 2} {
		of.sender.send(t.Context())
		if q := of.sender.queue; len(good.ids) != want || len(q) != 6-want || q[0].Delivery.Attempts != 1 || q[1].Delivery.Attempts != 0 {
			t.Errorf("call %d: %d were sent, %d wait", call+1, len(good.ids), len(q))
		}
	}
}

// A finding goes to where its alert has it sent when it is sent, and nowhere once the alert is deleted.
func TestFindingsFollowTheirAlert(t *testing.T) {
	refuses := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	former, at := receive(t, refuses)
	w := newShop(t)
	w.alert("silence", at)
	of := w.signing()
	w.pass(of, 1)
	of.sender.send(t.Context())
	next, at := receive(t, refuses)
	remove := func() {
		if err := alerts.Delete(t.Context(), w.table.Table, shop, "silence"); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
	}
	remove()
	w.alert("silence", at)
	of.sender.send(t.Context())
	if former.ids[former.last.ID] != 1 || next.ids[former.last.ID] != 1 {
		t.Errorf("the former webhook got %v, the present one %v", former.ids, next.ids)
	}
	remove()
	of.sender.send(t.Context())
	if d := w.delivery(); next.ids[next.last.ID] != 1 || len(of.sender.queue) != 0 || d.Attempts != 2 {
		t.Errorf("after the alert was deleted: sent %v, %d in the queue, %+v", next.ids, len(of.sender.queue), d)
	}
}

// An alert that is damaged does not keep findings of others of its site from being sent, and after a day what it found is given up.
func TestDamagedAlertsHoldUpNoFindings(t *testing.T) {
	r, at := receive(t, nil)
	w := newShop(t)
	of := w.signing()
	for _, id := range []string{"damaged", "silence"} {
		a := alerts.Alert{Site: shop, ID: id, Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Stops: true}, Webhook: at}
		it := a.Item()
		if id == "damaged" {
			it[sinks.AttrText] = sinks.Str("?")
		}
		if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		of.sender.add(alerts.Finding{Site: shop, Alert: id, JudgedAt: w.now, Delivery: alerts.Delivery{State: alerts.Pending}})
	}
	of.sender.send(t.Context())
	if len(r.ids) != 1 || r.last.Alert != "silence" || len(of.sender.queue) != 1 {
		t.Errorf("sent %v, %d in the queue", r.ids, len(of.sender.queue))
	}
	w.now = w.now.Add(maxAge)
	of.sender.send(t.Context())
	if len(of.sender.queue) != 0 {
		t.Errorf("%d in the queue after a day", len(of.sender.queue))
	}
}

// A finding is sent once, also where the table keeps it and its answer is lost: to a put that is repeated, or to the last one.
func TestLostAnswersLoseNoFinding(t *testing.T) {
	for name, last := range map[string]bool{"repeated": false, "lost": true} {
		r, at := receive(t, nil)
		w := newShop(t)
		w.alert("silence", at)
		of := w.signing()
		lost := 0
		w.table.refuse = func(it sinks.Item) bool {
			if it[sinks.AttrFound].Kind() == sinks.None || lost > 0 {
				return false
			}
			lost++
			if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Error(err)
			}
			return last
		}
		for range 2 {
			if err := of.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(time.Minute)
		}
		for range 2 {
			of.sender.send(t.Context())
		}
		if lost != 1 || len(r.ids) != 1 || r.ids[r.last.ID] != 1 || w.delivery().State != alerts.Sent {
			t.Errorf("%s: sent %v, %+v", name, r.ids, w.delivery())
		}
	}
}

// Webhooks that take their time do not keep hours from being judged: what is not begun within an interval waits for the next pass.
func TestSlowWebhooksAreLeftToTheNextPass(t *testing.T) {
	w := newShop(t)
	r, at := receive(t, func(http.ResponseWriter, *http.Request) { w.now = w.now.Add(interval / 2) })
	w.alert("silence", at)
	of := w.signing()
	for hour := range int64(5) {
		of.sender.add(alerts.Finding{Site: shop, Alert: "silence", Hour: hour, JudgedAt: w.now, Delivery: alerts.Delivery{State: alerts.Pending}})
	}
	for _, want := range []int{2, 4, 5} {
		if of.sender.send(t.Context()); len(r.ids) != want {
			t.Errorf("%d were sent, want %d", len(r.ids), want)
		}
	}
}

// Names that stand for an address of the machine's own network are not asked.
func TestLinkLocalAddressesAreRefused(t *testing.T) {
	for _, address := range []string{"169.254.169.254:80", "[fe80::1]:443", "[fd00:ec2::254]:80", "0.0.0.0:80",
		"[::ffff:169.254.169.254]:80"} {
		if refuseLinkLocal("tcp", address, nil) == nil {
			t.Errorf("%s is asked", address)
		}
	}
	if err := refuseLinkLocal("tcp", "10.0.0.8:443", nil); err != nil {
		t.Error(err)
	}
}

// A key is a text, or base64 after whsec_. The signature is that of the example of Standard Webhooks.
func TestSignatureIsThatOfStandardWebhooks(t *testing.T) {
	key, err := SigningKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := Sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, text := range []string{"whsec_!", "whsec_"} {
		if _, err := SigningKey(text); err == nil {
			t.Errorf("%s is a key", text)
		}
	}
}
