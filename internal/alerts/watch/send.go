package watch

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

const (
	maxQueue    = 1000             // findings that wait to be sent; others stay pending in the table for the next process
	maxParallel = 8                // webhooks that are asked at once
	sendTimeout = 10 * time.Second // for an attempt
	maxAnswer   = 4 << 10          // bytes of an answer that are read
	firstWait   = time.Minute      // after the first attempt; it doubles after each
	maxWait     = time.Hour
	maxAge      = 24 * time.Hour // of a finding that is sent
)

// sender sends findings to webhooks.
type sender struct {
	Options
	store  *alerts.Store
	client *http.Client
	queue  []*outgoing
	warned bool // that there is no key
}

// outgoing is a finding that is to be sent. Its alert says where to when its turn comes.
type outgoing struct {
	alerts.Finding
	next time.Time
	gone bool // the alert was deleted, or has no webhook any more
}

func newSender(o Options, store *alerts.Store) sender {
	dialer := &net.Dialer{Timeout: sendTimeout, Control: refuseLinkLocal}
	return sender{Options: o, store: store, client: &http.Client{
		Timeout:       sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, DisableKeepAlives: true,
			MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true},
	}}
}

// refuseLinkLocal refuses addresses that a name of a webhook must not stand for.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err == nil && alerts.LinkLocal(to.Addr()) {
		err = fmt.Errorf("%s is an address of the machine's own network", to.Addr())
	}
	return err
}

// add queues a finding, unless it is queued.
func (s *sender) add(f alerts.Finding) {
	queued := slices.ContainsFunc(s.queue, func(o *outgoing) bool { return o.Site == f.Site && o.Hour == f.Hour && o.Alert == f.Alert })
	if len(s.queue) < maxQueue && !queued {
		s.queue = append(s.queue, &outgoing{Finding: f})
	}
}

// send tries once to send each finding that is due, those of one site one after the other. One that the webhook does not accept waits, and
// the later ones of its alert with it; those of the site's other alerts are sent from the next call on, so that a call waits for at most
// one webhook of a site that does not answer. What is not begun within an interval is left to the next call: slow webhooks must not keep
// hours from being judged.
func (s *sender) send(ctx context.Context) {
	key, ok := s.key()
	if len(s.queue) == 0 || !ok {
		return
	}
	now := s.Now()
	sites := make(map[string][]*outgoing)
	for _, o := range s.queue {
		sites[o.Site] = append(sites[o.Site], o)
	}
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for _, of := range sites {
		group.Go(func() error {
			waiting := make(map[string]bool) // alerts
			for _, o := range of {
				if waiting[o.Alert] = waiting[o.Alert] || o.next.After(now); waiting[o.Alert] {
					continue
				}
				if s.Now().Sub(now) >= interval || !s.attempt(ctx, key, o) {
					break
				}
			}
			return nil
		})
	}
	_ = group.Wait()
	var rest []*outgoing
	for _, o := range s.queue {
		if o.Delivery.State == alerts.Pending && !o.gone {
			rest = append(rest, o)
		}
	}
	s.queue = rest
}

// key is what findings are signed with; ok is false if there is none.
func (s *sender) key() (key []byte, ok bool) {
	var text string
	err := errors.New("sites.alertKey is not set")
	if s.Key != nil {
		if text, err = s.Key.Read(); err == nil && text == "" {
			err = errors.New("sites.alertKey is not set")
		}
	}
	if err == nil {
		key, err = SigningKey(text)
	}
	if err != nil && len(s.queue) > 0 && !s.warned {
		s.warned = true
		// Cause: An alert with a webhook fired, and the process has no key to sign with. Remedy: Set `sites.alertKey` or
		// `sites.alertKeyFile`, and start it again. Findings of the last day are sent then.
		s.Log.Warn("findings of alerts are not sent", "error", err)
	}
	return key, err == nil
}

// SigningKey reads a key: a text, or base64 after whsec_, as receivers of Standard Webhooks have it.
func SigningKey(text string) ([]byte, error) {
	if encoded, ok := strings.CutPrefix(text, "whsec_"); ok {
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(key) == 0 {
			return nil, errors.New("sites.alertKey: the part after whsec_ is empty or not base64: encode the key in base64, or leave whsec_ out")
		}
		return key, nil
	}
	return []byte(text), nil
}

// attempt sends a finding once to where its alert has it sent now, and keeps the result. It reports whether the next of the site may be
// sent: the finding is done with, or its alert is damaged.
func (s *sender) attempt(ctx context.Context, key []byte, o *outgoing) bool {
	webhook, err := alerts.Webhook(ctx, s.Table, o.Site, o.Alert)
	if err != nil { // The table did not answer, or the alert is damaged. That is no fault of a webhook.
		o.next, o.gone = s.Now().Add(firstWait), s.Now().Sub(o.JudgedAt) >= maxAge
		return !sinks.Retryable(err)
	}
	if webhook == "" {
		o.gone = true
		return true
	}
	err = s.post(ctx, key, webhook, o)
	if ctx.Err() != nil {
		return false
	}
	now := alerts.Delivery{State: alerts.Sent, Attempts: o.Delivery.Attempts + 1, At: s.Now().UTC().Truncate(time.Second)}
	if err != nil {
		now.State, now.Error = alerts.Pending, event.TruncateDetail(err.Error()) // One of TLS lists all names of a certificate.
		o.next = s.Now().Add(min(maxWait, firstWait<<min(o.Delivery.Attempts, 6)))
		if s.Now().Sub(o.JudgedAt) >= maxAge {
			now.State = alerts.Failed
		}
		// Cause: The webhook did not answer, or not with a status of 2xx. Remedy: Look at `error` and at the receiver. It is tried again for a
		// day.
		s.Log.Warn("a finding was not accepted", "site", o.Site, "alert", o.Alert, "attempts", now.Attempts, "state", now.State, "error", err)
	}
	s.Metrics.Attempts.WithLabelValues(map[string]string{alerts.Sent: accepted, alerts.Pending: refused,
		alerts.Failed: givenUp}[now.State]).Inc()
	if err := s.store.Delivered(ctx, o.Finding, now); err != nil {
		// Cause: The table did not answer. Remedy: None is needed; the finding may be sent again.
		s.Log.Warn("how a finding was sent is not kept", "site", o.Site, "alert", o.Alert, "error", err)
	}
	o.Delivery = now
	return now.State != alerts.Pending
}

// Message is what a webhook gets.
type Message struct {
	ID    string             `json:"id"` // the same at every repetition
	Site  string             `json:"siteId"`
	Alert string             `json:"alertId"`
	When  string             `json:"when"`
	From  time.Time          `json:"from"` // of the hour
	To    time.Time          `json:"to"`   // exclusive
	Found []alerts.Deviation `json:"found"`
	Text  string             `json:"text"` // for people
}

// post posts a finding. Errors say nothing of the URL but its host: the rest may be a secret.
func (s *sender) post(ctx context.Context, key []byte, webhook string, o *outgoing) error {
	if err := alerts.CheckWebhook(webhook); err != nil {
		return err
	}
	body, err := json.Marshal(Message{o.MessageID(), o.Site, o.Alert, o.When, o.Start(), o.Start().Add(time.Hour), o.Found, o.Text()})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, webhook, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook is no URL")
	}
	at := strconv.FormatInt(s.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "footfall")
	req.Header.Set("Webhook-Id", o.MessageID())
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", Sign(key, o.MessageID(), at, body))
	answer, err := s.client.Do(req)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("%s: %w", req.URL.Host, e.Err)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s: status %d", req.URL.Host, answer.StatusCode)
	}
	return nil
}

// Sign is the signature of a message, as Standard Webhooks has it: HMAC-SHA256 of id, timestamp and body.
func Sign(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
