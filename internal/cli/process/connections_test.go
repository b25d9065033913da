package process

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/capacity"
)

// counted counts the connections of a listener that are open.
type counted struct {
	net.Listener
	open, most *atomic.Int64
}

func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.most.Store(max(c.most.Load(), c.open.Add(1)))
	return &countedConn{Conn: conn, open: c.open}, nil
}

type countedConn struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// TestIdleConnectionsKeepNobodyOut: 400 connections that send nothing, half of a request, or one request a while ago,
// are open for a minute. The probe is answered throughout, and few connections are open at the server.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		l, err := network.Listen("tcp", "127.0.0.1:8080")
		if err != nil {
			t.Fatal(err)
		}
		var open, most atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		h := Probed{Ready: func() error { return nil }, Metrics: prometheus.NewRegistry()}
		go func() {
			ended <- serveHTTP(ctx, counted{l, &open, &most}, h, slog.New(slog.DiscardHandler), func(ctx context.Context) error {
				<-ctx.Done()
				return nil
			})
		}()
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return network.DialContext(ctx, "tcp", "127.0.0.1:8080")
		}
		probe := func() {
			client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
			defer client.CloseIdleConnections()
			r, err := client.Get("http://127.0.0.1:8080/livez")
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if body, err := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || string(body) != "ok\n" {
				t.Errorf("/livez: %s, %q, %v", r.Status, body, err)
			}
		}
		for i := range 400 {
			conn, err := dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			switch i % 3 {
			case 1:
				io.WriteString(conn, "GET /livez HT") // An error means that the server has closed it.
			case 2:
				io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
			}
			if i%20 == 0 {
				probe()
			}
		}
		for range 60 {
			time.Sleep(time.Second) // Fake time: idle connections stay for two minutes.
			probe()
		}
		synctest.Wait()
		if n := most.Load(); n > maxConnections+1 { // The one that has just been accepted, too.
			t.Errorf("%d connections were open at once, want %d at most", n, maxConnections)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestAnswersUnderWayHaveTime: work ends while a request is under way, which is answered.
func TestAnswersUnderWayHaveTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		l, err := network.Listen("tcp", "127.0.0.1:8080")
		if err != nil {
			t.Fatal(err)
		}
		under := make(chan struct{})
		s := Server{Log: slog.New(slog.DiscardHandler), Connections: 2, Write: 15 * time.Second, Ending: 15 * time.Second,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				close(under)
				time.Sleep(10 * time.Second) // Fake time, as brokers take.
				w.WriteHeader(http.StatusAccepted)
			})}
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), l, func(context.Context) error { <-under; return nil }) }()
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return network.DialContext(ctx, "tcp", "127.0.0.1:8080")
		}
		client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		r, err := client.Get("http://127.0.0.1:8080/")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if err := <-ended; err != nil || r.StatusCode != http.StatusAccepted {
			t.Errorf("status %d, %v", r.StatusCode, err)
		}
	})
}

// TestLogHasNoAddressesOfClients: net/http writes them.
func TestLogHasNoAddressesOfClients(t *testing.T) {
	for _, address := range []string{"203.0.113.9:50412", "[2001:db8::1]:443", "[fe80::1%eth0]:443", "[::ffff:203.0.113.9]:1"} {
		var out bytes.Buffer
		const line = "http: TLS handshake error from ADDRESS: read tcp ADDRESS->ADDRESS: EOF, server.go:1947"
		w := withoutAddresses{slog.NewLogLogger(slog.NewTextHandler(&out, nil), slog.LevelWarn)}
		io.WriteString(w, strings.ReplaceAll(line, "ADDRESS", address)+"\n")
		if want := strings.ReplaceAll(line, "ADDRESS", "-"); !strings.Contains(out.String(), want) {
			t.Errorf("logged %s, want %s", out.String(), want)
		}
	}
}

// TestHotKeysAreServedOnRequest: keys of the table name sites.
func TestHotKeysAreServedOnRequest(t *testing.T) {
	for on, want := range map[bool]int{false: http.StatusNotFound, true: http.StatusOK} {
		h := NewHandler(t.Context(), Probed{Metrics: prometheus.NewRegistry(), Heat: capacity.NewHeat(nil), HotKeys: on})
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/hot-keys", nil))
		if answer.Code != want {
			t.Errorf("hot keys %v: status %d, want %d", on, answer.Code, want)
		}
	}
}
