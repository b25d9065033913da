package faultproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// store stands in DynamoDB's place: it counts what it is asked to do, and answers with the names of the members of
// RequestItems' only table.
type store struct {
	*httptest.Server
	done atomic.Int64
	last atomic.Value // body of the last request
}

func newStore(t *testing.T) *store {
	var s store
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.last.Store(string(body))
		s.done.Add(1)
		w.Header().Set("X-Amz-Crc32", "1")
		io.WriteString(w, `{"Attributes":{}}`)
	}))
	t.Cleanup(s.Close)
	return &s
}

// start serves a proxy until end, which returns when it has done everything.
func start(t *testing.T, o Options) (p *Proxy, url string, end func()) {
	p = New(o)
	server := httptest.NewServer(p)
	end = func() {
		server.Close()
		p.Wait()
	}
	t.Cleanup(end)
	return p, server.URL, end
}

// ask sends one request. The answer is "" when there was none.
func ask(t *testing.T, url, operation, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // Go repeats a request on a connection that was kept and broke.
	resp, err := client.Do(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = append(text, " and no more"...)
	} else if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestEachFaultIsWhatItsNameSays(t *testing.T) {
	for _, c := range []struct {
		fault  Fault
		times  int64 // done
		status int   // 0: no answer
		says   string
	}{
		{None, 1, 200, `{"Attributes":{}}`},
		{Lost, 1, 0, ""},
		{Error, 1, 500, "InternalServerError"},
		{Refuse, 0, 500, "InternalServerError"},
		{Delay, 1, 200, `{"Attributes":{}}`},
		{Late, 1, 0, ""},
		{Twice, 2, 200, `{"Attributes":{}}`},
		{Throttle, 0, 400, `"reason":"TableWriteProvisionedThroughputExceeded"`},
		{HotKey, 0, 400, `"reason":"TableWriteKeyRangeThroughputExceeded"`},
		{Partial, 1, 200, `{"Attributes":{}}`}, // It is no batch.
		{Cut, 1, 200, `{"Attrib and no more`},
		{Close, 1, 200, `{"Attributes":{}}`},
		{Expired, 0, 400, "ExpiredTokenException"},
		{Skew, 0, 400, "Signature expired"},
	} {
		t.Run(fmt.Sprintf("fault %q", c.fault), func(t *testing.T) {
			s := newStore(t)
			p, url, end := start(t, Options{Target: s.URL, Mix: Mix{c.fault: 100}, Hold: 20 * time.Millisecond})
			status, answer := ask(t, url, "UpdateItem", `{"Key":{}}`)
			end()
			if status != c.status || !strings.Contains(answer, c.says) || s.done.Load() != c.times {
				t.Errorf("status %d, answer %q, done %d times; want %d, %q, %d", status, answer, s.done.Load(), c.status, c.says, c.times)
			}
			if s.done.Load() > 0 && s.last.Load() != `{"Key":{}}` {
				t.Errorf("asked to do %q", s.last.Load())
			}
			counted := c.fault
			if c.fault == Partial {
				counted = None
			}
			if n := p.Counts()[Count{"UpdateItem", counted}]; n != 1 {
				t.Errorf("counts are %v", p.Counts())
			}
		})
	}
}

// A request that is put off is done although its sender has given up.
func TestHeldRequestOutlivesItsSender(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		select {
		case <-goOn:
		case <-r.Context().Done():
			t.Error("the request ended with its sender")
		}
	}))
	defer s.Close()
	_, url, _ := start(t, Options{Target: s.URL, Mix: Mix{Late: 100}, Hold: 20 * time.Millisecond})
	if status, _ := ask(t, url, "PutItem", "{}"); status != 0 {
		t.Errorf("status %d, want no answer", status)
	}
	<-began
	close(goOn)
}

func TestBatchesAreDoneByHalves(t *testing.T) {
	const entries = 7
	for operation, form := range map[string][2]string{
		"BatchWriteItem": {`{"RequestItems":{"t":[%s]},"Return":1}`, `"UnprocessedItems"`},
		"BatchGetItem":   {`{"RequestItems":{"t":{"ConsistentRead":true,"Keys":[%s]}},"Return":1}`, `"UnprocessedKeys"`},
	} {
		t.Run(operation, func(t *testing.T) {
			s := newStore(t)
			p, url, _ := start(t, Options{Target: s.URL, Mix: Mix{Partial: 100}, Seed: 7})
			var list []string
			for i := range entries {
				list = append(list, fmt.Sprintf(`{"n":"<%d>"}`, i))
			}
			status, answer := ask(t, url, operation, fmt.Sprintf(form[0], strings.Join(list, ",")))
			if status != 200 || !strings.Contains(answer, form[1]) || !strings.Contains(answer, `"Attributes"`) {
				t.Fatalf("status %d, answer %s", status, answer)
			}
			asked := s.last.Load().(string)
			if !strings.Contains(asked, `"Return":1`) || operation == "BatchGetItem" && (!strings.Contains(asked, `"ConsistentRead":true`) ||
				!strings.Contains(answer, `"ConsistentRead":true`)) {
				t.Errorf("asked to do %s, answered %s", asked, answer)
			}
			some, rest := members(t, asked), members(t, answer)
			if len(some) == 0 || len(rest) == 0 || len(some)+len(rest) != entries {
				t.Errorf("%d done, %d left over, of %d", len(some), len(rest), entries)
			}
			for i := range entries {
				n := fmt.Sprintf("<%d>", i)
				if slices.Contains(some, n) == slices.Contains(rest, n) {
					t.Errorf("%s: done %v, left over %v", n, some, rest)
				}
			}
			if n := p.Counts()[Count{operation, Partial}]; n != 1 {
				t.Errorf("counts are %v", p.Counts())
			}
		})
	}
}

// members finds the values of all members n in a text of JSON.
func members(t *testing.T, text string) (list []string) {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			if n, ok := x["n"].(string); ok {
				list = append(list, n)
			}
			for _, e := range x {
				walk(e)
			}
		}
	}
	walk(whole)
	return list
}

func TestSameSeedSameFaults(t *testing.T) {
	mix := Mix{Lost: 5, Error: 1, Throttle: 3, Partial: 20}
	draws := func(seed uint64) (list []Fault) {
		p := New(Options{Mix: mix, Seed: seed})
		for range 10_000 {
			f, _ := p.draw("BatchWriteItem")
			list = append(list, f)
		}
		return list
	}
	first := draws(1)
	if !slices.Equal(first, draws(1)) {
		t.Error("the same seed draws other faults")
	}
	if slices.Equal(first, draws(2)) {
		t.Error("another seed draws the same faults")
	}
	counts := make(map[Fault]int)
	for _, f := range first {
		counts[f]++
	}
	for f, percent := range mix {
		if share := float64(counts[f]) / 100; share < 0.7*percent || 1.3*percent < share {
			t.Errorf("%v %% met %s, want %v %%", share, f, percent)
		}
	}
}

func TestMixIsReadAsItIsWritten(t *testing.T) {
	m, err := ParseMix("lost=5,error=0.5")
	if want := (Mix{Lost: 5, Error: 0.5}); err != nil || !maps.Equal(m, want) {
		t.Errorf("mix = %v, %v, want %v", m, err, want)
	}
	if m, err := ParseMix(""); err != nil || len(m) != 0 {
		t.Errorf("nothing is %v, %v", m, err)
	}
	for text, says := range map[string]string{
		"loss=5": `"loss"`, "lost": "not a percentage", "lost=-1": "not a percentage", "lost=101": "not a percentage",
		"lost=NaN": "not a percentage", "lost=60,error=50": "110 percent", "lost=5,": `""`,
	} {
		if _, err := ParseMix(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseMix(%q) = %v, want %s", text, err, says)
		}
	}
}

// A request to a paused server gets no answer. The server handles it once it resumes, whether or not its sender still waits.
func TestPausedRequestsAreDoneLater(t *testing.T) {
	s := newStore(t)
	p := New(Options{Target: s.URL})
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		arrived <- struct{}{}
		p.ServeHTTP(w, r)
	}))
	defer server.Close()
	resume := p.Pause()
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
		if err == nil {
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(r); err == nil {
				resp.Body.Close()
			}
		}
		left <- err
	}()
	<-arrived
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("a request to a paused server ended with %v, want that its sender has left", err)
	}
	patient := make(chan int)
	go func() {
		status, _ := ask(t, server.URL, "UpdateItem", "{}")
		patient <- status
	}()
	<-arrived
	if n := s.done.Load(); n != 0 {
		t.Errorf("%d requests are done while the server is paused", n)
	}
	resume()
	if status := <-patient; status != http.StatusOK {
		t.Errorf("a request that waited is answered with status %d", status)
	}
	server.Close() // Waits for the other one.
	if n := s.done.Load(); n != 2 {
		t.Errorf("%d of 2 requests are done", n)
	}
}

func TestMixCanChange(t *testing.T) {
	s := newStore(t)
	p, url, _ := start(t, Options{Target: s.URL})
	for _, want := range []int{http.StatusOK, http.StatusInternalServerError, http.StatusOK} {
		if status, _ := ask(t, url, "UpdateItem", "{}"); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
		if want == http.StatusOK {
			p.SetMix(Mix{Refuse: 100})
		} else {
			p.SetMix(nil)
		}
	}
}
