package dynamo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/sinktest"
)

// TestRequestsAreAsAgreed keeps every request as it goes over the wire in one readable file.
func TestRequestsAreAsAgreed(t *testing.T) {
	onClients(t, func(t *testing.T, open opener) {
		var log bytes.Buffer
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			var body any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			text, err := json.MarshalIndent(body, "", "  ") // Sorts the members.
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(&log, "%s %s\n\n", operation, unescape(text))
			io.WriteString(w, "{}")
		})
		table := open(t, s, dynamo.ConnectOptions{})
		cond := func(attr string, op sinks.Op, v sinks.Value) sinks.Cond {
			return sinks.Cond{Attr: attr, Op: op, Value: v}
		}
		attr := func(name string, v sinks.Value) sinks.Attr { return sinks.Attr{Name: name, Value: v} }
		key := sinks.Key{PK: "CHAIN#1", SK: "P#17#stats"}
		whole := sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str("s"), "name": sinks.Str(""), "values": sinks.Int(-5),
			"part": sinks.Bytes([]byte{1, 2}), "none": sinks.Bytes(nil), "sessionIds": sinks.Strings([]string{"a", "b"}), "absent": {}}
		for _, c := range []struct {
			what string
			send func() error
		}{
			{"apply a step to an item", func() error {
				_, err := table.Update(t.Context(), sinks.Update{Key: guarded.Key,
					Add:    []sinks.Attr{attr("pageViews", sinks.Int(3)), attr("valueMicros", sinks.Int(-1))},
					Set:    []sinks.Attr{attr("ws1_17", sinks.Int(8)), attr("ttl", sinks.Int(1770000000))},
					Remove: []string{"gsi1pk", "gsi1sk"}, If: guarded.If})
				return err
			}},
			{"acquire a chain", func() error {
				_, err := table.Update(t.Context(), sinks.Update{Key: key, Add: []sinks.Attr{attr("ep", sinks.Int(1))},
					Set: []sinks.Attr{attr("own", sinks.Str("me"))}, Return: true})
				return err
			}},
			{"intend a step", func() error {
				_, err := table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{attr("k", sinks.Int(8))},
					If: []sinks.Cond{cond("ep", sinks.Equal, sinks.Int(2)), cond("k", sinks.Equal, sinks.Int(7)),
						cond("pk", sinks.Present, sinks.Value{}), cond("x", sinks.Absent, sinks.Value{})}})
				return err
			}},
			{"touch an item", func() error { _, err := table.Update(t.Context(), sinks.Update{Key: key}); return err }},
			{"put an item unless it exists", func() error {
				_, err := table.Put(t.Context(), sinks.Put{Item: whole, If: []sinks.Cond{cond("pk", sinks.Absent, sinks.Value{})}})
				return err
			}},
			{"put an item", func() error { _, err := table.Put(t.Context(), sinks.Put{Item: whole}); return err }},
			{"delete an item as it is known", func() error {
				_, err := table.Delete(t.Context(), sinks.Delete{Key: key, If: []sinks.Cond{cond("rev", sinks.Equal, sinks.Int(3))}})
				return err
			}},
			{"delete an item", func() error { _, err := table.Delete(t.Context(), sinks.Delete{Key: key}); return err }},
			{"put a batch", func() error { _, err := table.BatchPut(t.Context(), sinktest.Batch(whole)); return err }},
			{"get a batch", func() error {
				_, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key, {PK: "p", SK: "s"}}, Consistent: true})
				return err
			}},
			{"query a partition", func() error { _, err := table.Query(t.Context(), sinks.Query{PK: "p"}); return err }},
			{"query a prefix, strongly", func() error {
				_, err := table.Query(t.Context(), sinks.Query{PK: "p", Prefix: "EVENT#", Consistent: true})
				return err
			}},
			{"query from and to", func() error { _, err := table.Query(t.Context(), sinks.Query{PK: "p", From: "a", To: "b"}); return err }},
			{"query from", func() error { _, err := table.Query(t.Context(), sinks.Query{PK: "p", From: "a"}); return err }},
			{"query to", func() error { _, err := table.Query(t.Context(), sinks.Query{PK: "p", To: "b"}); return err }},
			{"query the last of an index", func() error {
				_, err := table.Query(t.Context(), sinks.Query{Index: sinks.GSI1, PK: "SITE#a#USER#u", Prefix: "2026", Desc: true, Limit: 20})
				return err
			}},
		} {
			fmt.Fprintf(&log, "# %s\n", c.what)
			if err := c.send(); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		golden.Check(t, "testdata/requests.golden", log.String())
	})
}

// unescape undoes what encoding/json does to < and > for the sake of HTML.
func unescape(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">"))
}

func TestSetWithoutAValueIsRefused(t *testing.T) {
	onClients(t, func(t *testing.T, open opener) {
		s := serve(t, says(200, "{}"))
		_, err := open(t, s, dynamo.ConnectOptions{}).Update(t.Context(), sinks.Update{Key: guarded.Key, Set: []sinks.Attr{{Name: "own"}}})
		if err == nil || !strings.Contains(err.Error(), `"own" has no value`) || s.requests.Load() != 0 {
			t.Errorf("Update = %v after %d requests, want an error that names the attribute and none", err, s.requests.Load())
		}
	})
}

func TestBoundsInTheWrongOrderHoldNothing(t *testing.T) {
	onClients(t, func(t *testing.T, open opener) {
		s := serve(t, says(200, "{}"))
		p, err := open(t, s, dynamo.ConnectOptions{}).Query(t.Context(), sinks.Query{PK: "p", From: "b", To: "a"})
		if err != nil || len(p.Items) != 0 || p.Next != "" || s.requests.Load() != 0 {
			t.Errorf("Query = %+v, %v after %d requests, want nothing and none", p, err, s.requests.Load())
		}
	})
}

// Requests that are in flight together keep a connection each; the SDK's own transport would keep 10, and open the
// other 30 anew in every round.
func TestConnectionsAreKept(t *testing.T) {
	onClients(t, func(t *testing.T, open opener) {
		const workers, rounds = 40, 5
		var opened atomic.Int64
		var together atomic.Pointer[sync.WaitGroup]
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			round := together.Load()
			round.Done()
			round.Wait() // for the other workers' requests
			io.WriteString(w, "{}")
		}))
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		s.Start()
		defer s.Close()
		table := open(t, &service{Server: s}, dynamo.ConnectOptions{Concurrency: workers, AttemptTimeout: time.Minute})
		for range rounds {
			var round, done sync.WaitGroup
			round.Add(workers)
			together.Store(&round)
			for range workers {
				done.Go(func() {
					if _, err := table.Update(t.Context(), guarded); err != nil {
						t.Error(err)
					}
				})
			}
			done.Wait()
		}
		if n := opened.Load(); n < workers || n >= 2*workers {
			t.Errorf("%d rounds of %d requests opened %d connections, want hardly more than %d", rounds, workers, n, workers)
		}
	})
}
