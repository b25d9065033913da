// Package faultproxy stands between clients and DynamoDB Local and does to their requests what networks, overload and
// failing servers do: it loses answers, answers with errors after or before the work, holds requests, lets them arrive
// when their sender has long given up, delivers them twice, throttles, does batches by halves, cuts answers and connections, and takes
// credentials for expired and clocks for wrong.
//
// Which request meets which fault is drawn from a seed. What the proxy did is counted.
package faultproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Fault is what becomes of a request.
type Fault string

// The faults. Each request meets one at most.
const (
	None     Fault = ""         // passed on, and answered
	Lost     Fault = "lost"     // done, and the connection dropped instead of an answer
	Error    Fault = "error"    // done, and answered with status 500
	Refuse   Fault = "refuse"   // not done, and answered with status 500
	Delay    Fault = "delay"    // held for a while, then done and answered if the client still listens
	Late     Fault = "late"     // the connection dropped at once, and the request done a while later
	Twice    Fault = "twice"    // done, answered, and done once more a while later
	Throttle Fault = "throttle" // not done: the table is at its limit
	HotKey   Fault = "hotkey"   // not done: the key is at its limit
	Partial  Fault = "partial"  // of a batch some is done, and the rest answered as unprocessed; others pass
	Cut      Fault = "cut"      // done, and the connection dropped in the middle of the answer
	Close    Fault = "close"    // done and answered, and the connection dropped after that without notice
	Expired  Fault = "expired"  // not done: the credentials have expired
	Skew     Fault = "skew"     // not done: by the server's clock the signature is ten minutes old
)

// Faults are all faults, in the order in which they are drawn.
var Faults = []Fault{Lost, Error, Refuse, Delay, Late, Twice, Throttle, HotKey, Partial, Cut, Close, Expired, Skew}

// A Mix says how many percent of the requests meet each fault.
type Mix map[Fault]float64

// ParseMix reads a mix as it is written on command lines: lost=5,error=1,delay=0.5. Nothing is no faults.
func ParseMix(text string) (Mix, error) {
	m, sum := make(Mix), 0.0
	if text == "" {
		return m, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if !slices.Contains(Faults, Fault(name)) {
			return nil, fmt.Errorf("fault %q: choose among %v", name, Faults)
		}
		percent, err := strconv.ParseFloat(value, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return nil, fmt.Errorf("fault %s: %q is not a percentage", name, value)
		}
		m[Fault(name)] = percent
		sum += percent
	}
	if sum > 100 {
		return nil, fmt.Errorf("faults %s add up to %v percent", text, sum)
	}
	return m, nil
}

// Proxy is a server's handler. Its methods are safe for concurrent use.
type Proxy struct {
	target string
	hold   time.Duration
	client http.Client
	after  sync.WaitGroup // what is done when its request has ended

	mu     sync.Mutex // covers all below
	mix    Mix
	rng    *rand.Rand
	counts map[Count]int64
	paused chan struct{} // closed when requests go on; nil: they do
}

// A Count is a kind of requests: what they asked for, such as UpdateItem, and what became of them.
type Count struct {
	Operation string
	Fault     Fault
}

// Options say what a Proxy does.
type Options struct {
	Target string        // where requests go, http://HOST:PORT
	Mix    Mix           // which faults they meet
	Hold   time.Duration // how long one is held at the most; how long it is, is drawn
	Seed   uint64        // of all draws
}

// New makes a proxy.
func New(o Options) *Proxy {
	return &Proxy{
		target: o.Target, mix: o.Mix, hold: o.Hold,
		// Connections are kept as the SDK keeps them, and answers come as they are.
		client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}},
		rng:    rand.New(rand.NewPCG(o.Seed, 0x6661756c7473)), counts: make(map[Count]int64),
	}
}

// Counts returns how many requests of each kind there were.
func (p *Proxy) Counts() map[Count]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// Wait returns when everything has been done that was put off. No request may be under way.
func (p *Proxy) Wait() {
	p.after.Wait()
	p.client.CloseIdleConnections()
}

// SetMix changes which faults requests meet from now on.
func (p *Proxy) SetMix(m Mix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mix = m
}

// Pause keeps requests from being done, as a server does that is stopped: connections stay open, and nothing is answered. Once resume is
// called, all of them are done, also those whose senders have gone. It must be called once.
func (p *Proxy) Pause() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paused := make(chan struct{})
	p.paused = paused
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.paused = nil
		close(paused)
	}
}

// await returns when requests are not paused.
func (p *Proxy) await() {
	p.mu.Lock()
	paused := p.paused
	p.mu.Unlock()
	if paused != nil {
		<-paused
	}
}

// draw decides what becomes of a request, and how long it is held.
func (p *Proxy) draw(operation string) (f Fault, hold time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := 100 * p.rng.Float64()
	for _, candidate := range Faults {
		if x -= p.mix[candidate]; x < 0 {
			f = candidate
			break
		}
	}
	if f == Partial && !strings.HasPrefix(operation, "Batch") {
		f = None
	}
	p.counts[Count{operation, f}]++
	return f, time.Duration(p.rng.Float64() * float64(p.hold))
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // The client has gone before it had asked.
	}
	// What becomes of a request does not depend on whether its sender waits.
	q := request{context.WithoutCancel(r.Context()), r.URL.RequestURI(), r.Method, r.Host, r.Header, body}
	p.await()
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	fault, hold := p.draw(operation)
	switch fault {
	case Lost:
		p.do(q)
		panic(http.ErrAbortHandler)
	case Error:
		p.do(q)
		internalError(w)
	case Refuse:
		internalError(w)
	case Delay:
		time.Sleep(hold)
		p.pass(w, q)
	case Late:
		p.later(q, hold)
		panic(http.ErrAbortHandler)
	case Twice:
		p.later(q, hold)
		p.pass(w, q)
	case Throttle:
		throttled(w, operation, "ProvisionedThroughputExceeded")
	case HotKey:
		throttled(w, operation, "KeyRangeThroughputExceeded")
	case Partial:
		p.byHalves(w, q, operation)
	case Cut:
		p.passAndDrop(w, q, func(a answer) answer { a.body = a.body[:len(a.body)/2]; return a })
	case Close:
		p.passAndDrop(w, q, func(a answer) answer { return a })
	case Expired:
		refuse(w, "com.amazon.coral.service#ExpiredTokenException", "The security token included in the request is expired")
	case Skew:
		w.Header().Set("Date", time.Now().UTC().Add(10*time.Minute).Format(http.TimeFormat))
		refuse(w, "com.amazon.coral.service#InvalidSignatureException", "Signature expired: it is now earlier than ten minutes ago")
	default:
		p.pass(w, q)
	}
}

// request is one that was read whole, so that it can be sent when and as often as a fault wants.
type request struct {
	ctx               context.Context
	uri, method, host string
	header            http.Header
	body              []byte
}

// answer is what DynamoDB said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request on.
func (p *Proxy) do(q request) (a answer, err error) {
	r, err := http.NewRequestWithContext(q.ctx, q.method, p.target+q.uri, bytes.NewReader(q.body))
	if err != nil {
		return a, err
	}
	r.Header, r.Host = q.header.Clone(), q.host
	r.Header.Del("Connection")
	resp, err := p.client.Do(r)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	a = answer{status: resp.StatusCode, header: resp.Header}
	a.body, err = io.ReadAll(resp.Body)
	return a, err
}

// pass sends a request on and its answer back. Where there is none, the client's connection breaks as ours did.
func (p *Proxy) pass(w http.ResponseWriter, q request) {
	a, err := p.do(q)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	a.write(w)
}

// passAndDrop sends a request on and what is left of its answer back, and drops the connection, as boxes between client and server do.
func (p *Proxy) passAndDrop(w http.ResponseWriter, q request, leave func(answer) answer) {
	a, err := p.do(q)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	leave(a).write(w)
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (p *Proxy) later(q request, hold time.Duration) {
	p.after.Go(func() {
		time.Sleep(hold)
		p.do(q) // Nobody waits for the answer.
	})
}

func (a answer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.Header().Del("Connection")
	w.WriteHeader(a.status)
	w.Write(a.body) // The client may have gone.
}

func internalError(w http.ResponseWriter) {
	reply(w, http.StatusInternalServerError, map[string]any{
		"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": "Internal server error"})
}

// throttled answers as DynamoDB does, with the reason that it gives beside the error.
func throttled(w http.ResponseWriter, operation, limit string) {
	reason := "TableWrite" + limit
	if slices.Contains([]string{"BatchGetItem", "GetItem", "Query", "Scan"}, operation) {
		reason = "TableRead" + limit
	}
	reply(w, http.StatusBadRequest, map[string]any{
		"__type":            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
		"message":           "The level of configured provisioned throughput for the table was exceeded",
		"ThrottlingReasons": []map[string]string{{"reason": reason, "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/footfall"}},
	})
}

// refuse answers as AWS does before a request has come to DynamoDB.
func refuse(w http.ResponseWriter, code, message string) {
	reply(w, http.StatusBadRequest, map[string]any{"__type": code, "message": message})
}

func reply(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // Our own maps of strings.
	}
	answer{status, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, text}.write(w)
}
