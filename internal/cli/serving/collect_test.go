package serving

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/config"
)

func TestTopicOfEventsTakesNoSalts(t *testing.T) {
	o, c := collectFlags{salts: "events"}, config.Default()
	err := o.collect(t.Context(), nil, c, nil, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--salts-topic events") {
		t.Errorf("collect = %v", err)
	}
}

// TestEventsAreTakenWhole: what counts as absent in a topic is refused, while its sender listens.
func TestEventsAreTakenWhole(t *testing.T) {
	judge := judges(config.Default())()
	for field, want := range map[string]string{`"value":39.9`: "", `"value":"39.9"`: "unusable_field", `"value":0.30000000000000004`: "unusable_field",
		`"value":null`: "", `"properties":[]`: "unusable_field", `"title":"` + strings.Repeat("a", 600) + `"`: ""} {
		reason, detail := judge([]byte(`{"siteId":"a","type":"b","sessionId":"c","timestamp":1778594587250,`+field+`}`), time.UnixMilli(1778594587250))
		if reason != want {
			t.Errorf("%.30s: %q %s, want %q", field, reason, detail, want)
		}
	}
}

// TestConnectionOfACollectorHasOneRequest: what bounds connections bounds the bodies that are read.
func TestConnectionOfACollectorHasOneRequest(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := collectFlags{address: "127.0.0.1:0", cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	for path, block := range map[string]*pem.Block{o.cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		o.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := o.listen(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	go server.Serve(l)
	defer server.Close()
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	defer c.CloseIdleConnections()
	r, err := c.Get("https://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.ProtoMajor != 1 {
		t.Errorf("it speaks %s", r.Proto)
	}
}
