package testenv

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/twmb/franz-go/pkg/kadm"
)

// SecureBroker is a Kafka broker that asks who its clients are. Besides Addr, which takes plain connections for tests
// to look at it, it has two listeners that speak TLS, with a certificate for the host of their address.
type SecureBroker struct {
	Broker
	MTLS string // host:port; demands a client certificate that the authority in CA has signed
	SASL string // host:port; PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER over TLS, the latter again every 20 s

	User, Password string // accepted by SASL, with every mechanism but OAUTHBEARER

	issuer issuer // of tokens that it accepts
}

// ClientFiles are the PEM files of a client of a [SecureBroker].
type ClientFiles struct {
	CA        string // the authority that signed the broker's certificate
	Cert, Key string // the client's own certificate, signed by the same authority
}

var (
	secureKafka service[*SecureBroker]
	authority   certificates // of secureKafka; set when it is
)

// SecureKafka returns a broker with TLS and SASL that the process's tests share, and the files of a client of it.
func SecureKafka(t testing.TB) (*SecureBroker, ClientFiles) {
	t.Helper()
	b := secureKafka.of(t, startSecureKafka)
	dir := t.TempDir()
	files := ClientFiles{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "client.pem"), filepath.Join(dir, "client.key")}
	for name, text := range map[string][]byte{files.CA: authority.ca, files.Cert: authority.client.cert, files.Key: authority.client.key} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b, files
}

// The listeners are not named SSL and SASL_SSL: for such names the official image asks for key stores of Java's own format.
const secureEnv = kafkaEnv + `export KAFKA_LISTENERS=PLAINTEXT://:9092,MTLS://:9094,SASLTLS://:9095,INTERNAL://:19092,CONTROLLER://:9093 \
KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://%[1]s,MTLS://%[2]s,SASLTLS://%[3]s,INTERNAL://localhost:19092 \
KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT,MTLS:SSL,SASLTLS:SASL_SSL \
KAFKA_SSL_KEYSTORE_TYPE=PEM KAFKA_SSL_KEYSTORE_LOCATION=/tmp/broker.pem \
KAFKA_SSL_TRUSTSTORE_TYPE=PEM KAFKA_SSL_TRUSTSTORE_LOCATION=/tmp/ca.pem \
KAFKA_LISTENER_NAME_MTLS_SSL_CLIENT_AUTH=required \
KAFKA_LISTENER_NAME_SASLTLS_SASL_ENABLED_MECHANISMS=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER \
KAFKA_LISTENER_NAME_SASLTLS_OAUTHBEARER_SASL_SERVER_CALLBACK_HANDLER_CLASS=\
org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler \
KAFKA_LISTENER_NAME_SASLTLS_OAUTHBEARER_CONNECTIONS_MAX_REAUTH_MS=20000 \
KAFKA_LISTENER_NAME_SASLTLS_OAUTHBEARER_SASL_JAAS_CONFIG=\
'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;' \
KAFKA_SASL_OAUTHBEARER_JWKS_ENDPOINT_URL=file:///tmp/jwks.json KAFKA_SASL_OAUTHBEARER_EXPECTED_AUDIENCE=%[9]s \
KAFKA_OPTS='-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file:///tmp/jwks.json '\
'-Dorg.apache.kafka.sasl.oauthbearer.allowed.files=/tmp/jwks.json' \
KAFKA_LISTENER_NAME_SASLTLS_PLAIN_SASL_JAAS_CONFIG='org.apache.kafka.common.security.plain.PlainLoginModule required user_%[4]s="%[5]s";' \
KAFKA_LISTENER_NAME_SASLTLS_SCRAM___SHA___256_SASL_JAAS_CONFIG='org.apache.kafka.common.security.scram.ScramLoginModule required;' \
KAFKA_LISTENER_NAME_SASLTLS_SCRAM___SHA___512_SASL_JAAS_CONFIG='org.apache.kafka.common.security.scram.ScramLoginModule required;'
echo '%[10]s' >/tmp/jwks.json
cat >/tmp/ca.pem <<'END'
%[6]sEND
cat >/tmp/broker.pem <<'END'
%[7]s%[8]sEND
`

func startSecureKafka(ctx context.Context) (*SecureBroker, error) {
	c, err := run(ctx, KafkaImage(), "",
		testcontainers.WithExposedPorts("9092/tcp", "9094/tcp", "9095/tcp"))
	if err != nil {
		return nil, err
	}
	b := &SecureBroker{User: "counter", Password: "correct-horse"}
	for port, addr := range map[string]*string{"9092/tcp": &b.Addr, "9094/tcp": &b.MTLS, "9095/tcp": &b.SASL} {
		if *addr, err = c.PortEndpoint(ctx, port, ""); err != nil {
			return nil, err
		}
	}
	host, _, err := net.SplitHostPort(b.MTLS)
	if err != nil {
		return nil, err
	}
	if authority, err = newCertificates(host); err != nil {
		return nil, err
	}
	b.container = c
	if b.issuer, err = newIssuer(); err != nil {
		return nil, err
	}
	b.env = fmt.Sprintf(secureEnv, b.Addr, b.MTLS, b.SASL, b.User, b.Password, authority.ca, authority.broker.key, authority.broker.cert,
		oauthAudience, b.issuer.keys())
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	return b, b.addUser(ctx)
}

// addUser makes the user known to both kinds of SCRAM. PLAIN's users are in the broker's settings.
func (b *SecureBroker) addUser(ctx context.Context) error {
	cl, err := b.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	for _, mechanism := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		altered, err := kadm.NewClient(cl).AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{
			{User: b.User, Password: b.Password, Mechanism: mechanism, Iterations: 4096}})
		if err == nil {
			err = altered.Error()
		}
		if err != nil {
			return fmt.Errorf("add user %s with mechanism %v: %w", b.User, mechanism, err)
		}
	}
	return nil
}

// certificates are an authority and what it has signed, all as PEM.
type certificates struct {
	ca             []byte
	broker, client pair
}

type pair struct{ cert, key []byte }

// newCertificates makes an authority, a certificate for a broker at host, and one for a client.
func newCertificates(host string) (c certificates, err error) {
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "footfall test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	sign := func(serial int64, template x509.Certificate) (p pair, err error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return p, err
		}
		template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(serial), ca.NotBefore, ca.NotAfter
		template.KeyUsage = x509.KeyUsageDigitalSignature
		cert, err := x509.CreateCertificate(rand.Reader, &template, ca, &key.PublicKey, caKey)
		if err != nil {
			return p, err
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		return pair{encode("CERTIFICATE", cert), encode("PRIVATE KEY", der)}, err
	}
	self, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return c, err
	}
	c.ca = encode("CERTIFICATE", self)
	server := x509.Certificate{Subject: pkix.Name{CommonName: host}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if ip := net.ParseIP(host); ip != nil {
		server.IPAddresses = []net.IP{ip}
	} else {
		server.DNSNames = []string{host}
	}
	if c.broker, err = sign(2, server); err != nil {
		return c, err
	}
	c.client, err = sign(3, x509.Certificate{Subject: pkix.Name{CommonName: "counter"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return c, err
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
