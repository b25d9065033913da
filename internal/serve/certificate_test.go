package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a certificate of a name, and its key, to files.
func writeCertificate(t *testing.T, cert, key, name string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if path == "" {
			continue
		}
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The certificate of new connections is that of the files. While only one of them has been replaced it is the one before.
func TestCertificatesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key, "first.example")
	var logged bytes.Buffer
	c, err := LoadCertificate(cert, key, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		t.Helper()
		client, server := net.Pipe()
		defer client.Close()
		defer server.Close()
		go tls.Server(server, c.Config()).Handshake() // The client says whether it succeeded.
		connection := tls.Client(client, &tls.Config{InsecureSkipVerify: true})
		if err := connection.Handshake(); err != nil {
			t.Fatal(err)
		}
		return connection.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := name(); got != "first.example" {
		t.Errorf("at first: %s", got)
	}
	writeCertificate(t, cert, "", "second.example")
	if got := name(); got != "first.example" || !strings.Contains(logged.String(), "not read again") {
		t.Errorf("with a certificate of another key: %s, log %q", got, logged.String())
	}
	writeCertificate(t, cert, key, "a-third-one.example")
	if got := name(); got != "a-third-one.example" {
		t.Errorf("with both replaced: %s", got)
	}
	if _, err := LoadCertificate(cert, filepath.Join(dir, "none.pem"), slog.Default()); err == nil || !strings.Contains(err.Error(),
		"none.pem") {
		t.Errorf("without a key: %v", err)
	}
}
