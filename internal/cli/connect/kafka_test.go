package connect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
)

// certificate makes a self-signed certificate of 127.0.0.1, 2001:db8::1 and names that is its own authority, for servers and clients, as
// PEM files.
func certificate(t *testing.T, names ...string) (cert, key string) {
	t.Helper()
	return certificateUntil(t, time.Now().Add(time.Hour), names...)
}

func certificateUntil(t *testing.T, end time.Time, names ...string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "footfall test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: end, DNSNames: names,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP("2001:db8::1")},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestBrokersAreReachedWithTLSAndSASL(t *testing.T) {
	cert, key := certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	authority, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(authority)
	var served atomic.Pointer[tls.Certificate]
	served.Store(&pair)
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"),
		kfake.TLS(&tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return served.Load(), nil }}),
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "secret"), kfake.Superuser("SCRAM-SHA-256", "me", "secret"),
		kfake.Superuser("SCRAM-SHA-512", "me", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	passwordFile := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(passwordFile, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	right := func(mechanism string) config.Kafka {
		return config.Kafka{Brokers: c.ListenAddrs(), Topic: "events", TLS: config.TLS{Enabled: true, CA: cert, Cert: cert, Key: key},
			SASL: config.SASL{Mechanism: mechanism, Username: "me", PasswordFile: passwordFile}}
	}
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "plain", "scram-sha-512"} {
		if err := reach(t, right(mechanism)); err != nil {
			t.Errorf("%s with mutual TLS: %v", mechanism, err)
		}
	}
	for _, w := range []struct {
		name  string
		spoil func(*config.Kafka)
		want  string
	}{
		{"wrong password", func(k *config.Kafka) { k.SASL.PasswordFile, k.SASL.Password = "", "wrong" },
			`user (now "me") and password`}, // kfake closes the connection.
		{"wrong password as Kafka answers it", func(*config.Kafka) {
			c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
				resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
				return resp, nil, true
			})
		}, `refuse user "me": SASL_AUTHENTICATION_FAILED`},
		{"token that is refused without a reason", func(k *config.Kafka) {
			k.SASL = config.SASL{Mechanism: "oauthbearer", OAuth: config.OAuth{TokenFile: passwordFile}}
			c.ControlKey(int16(kmsg.SASLHandshake), func(req kmsg.Request) (kmsg.Response, error, bool) {
				return req.ResponseKind(), nil, true
			})
			c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
				resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
				return resp, nil, true
			})
		}, "refuse the token: SASL_AUTHENTICATION_FAILED"},
		{"no credentials", func(k *config.Kafka) { k.SASL = config.SASL{} }, `kafka.sasl: mechanism (now "")`},
		{"authority unknown", func(k *config.Kafka) { k.TLS.CA = "" }, `kafka.tls.ca (now "")`},
		{"certificate of another name", func(k *config.Kafka) { k.TLS.ServerName = "kafka.internal" },
			`kafka.tls.serverName (now "kafka.internal")`},
		{"file without a certificate", func(k *config.Kafka) { k.TLS.CA = key }, "kafka.tls.ca: " + key + " has no certificate in PEM form"},
		{"broker's certificate has expired", func(k *config.Kafka) {
			oldCert, oldKey := certificateUntil(t, time.Now().Add(-time.Minute))
			old, err := tls.LoadX509KeyPair(oldCert, oldKey)
			if err != nil {
				t.Fatal(err)
			}
			k.TLS.CA = oldCert
			served.Store(&old)
		}, "renew the brokers' certificate"},
		{"key that belongs to nothing", func(k *config.Kafka) { k.TLS.Key = cert }, "kafka.tls.cert and kafka.tls.key: "},
	} {
		t.Run(w.name, func(t *testing.T) {
			k := right("scram-sha-512")
			w.spoil(&k)
			if err := reach(t, k); err == nil || !strings.Contains(err.Error(), w.want) {
				t.Errorf("error %v, want %q", err, w.want)
			}
		})
	}
}

// reach asks the brokers for the topic as run does before it begins.
func reach(t *testing.T, k config.Kafka) error {
	t.Helper()
	opts, err := kafkaOptions(k)
	if err != nil {
		return err
	}
	return doctor.CheckTopic(t.Context(), opts, k)
}

// TestCertificatesAreReadAgain: authority, certificate and key are replaced while a client has its options. Its next connections have the
// new ones. While the files cannot be used, connections have the last ones.
func TestCertificatesAreReadAgain(t *testing.T) {
	var server atomic.Pointer[tls.Config]
	use := func(cert, key string) {
		t.Helper()
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		authority, err := x509.ParseCertificate(pair.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AddCert(authority)
		server.Store(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots})
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	replace := func(from [2]string) {
		t.Helper()
		for i, name := range []string{cert, key} {
			text, err := os.ReadFile(from[i])
			if err == nil {
				err = os.WriteFile(name, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var pairs [2][2]string
	for i := range pairs {
		pairs[i][0], pairs[i][1] = certificate(t)
	}
	use(pairs[0][0], pairs[0][1])
	replace(pairs[0])
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.TLS(&tls.Config{
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return server.Load(), nil }}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	k := config.Kafka{Brokers: c.ListenAddrs(), Topic: "events", TLS: config.TLS{Enabled: true, CA: cert, Cert: cert, Key: key}}
	opts, err := kafkaOptions(k)
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string, fails bool) {
		t.Helper()
		if err := doctor.CheckTopic(t.Context(), opts, k); err != nil != fails {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("as they were", false)
	use(pairs[1][0], pairs[1][1])
	check("the broker's are others", true)
	replace(pairs[1])
	check("replaced", false)
	if err := os.WriteFile(cert, []byte("half a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("being written", false)
}
