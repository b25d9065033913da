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

	Authority *Authority // signed its certificate

	issuer issuer // of tokens that it accepts
}

// ClientFiles are the PEM files of a client of a [SecureBroker].
type ClientFiles struct {
	CA        string // the authority that signed the broker's certificate
	Cert, Key string // the client's own certificate, signed by the same authority
}

var secureKafka service[*SecureBroker]

// SecureKafka returns a broker with TLS and SASL that the process's tests share, and the files of a client of it.
func SecureKafka(t testing.TB) (*SecureBroker, ClientFiles) {
	t.Helper()
	b := secureKafka.of(t, startSecureKafka)
	dir := t.TempDir()
	files := ClientFiles{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "client.pem"), filepath.Join(dir, "client.key")}
	files.Trust(t, b.Authority)
	b.Authority.Issue(t, files, b.User, time.Hour)
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
	b.container = c
	if b.issuer, err = newIssuer(); err != nil {
		return nil, err
	}
	authority, err := newAuthority()
	if err == nil {
		err = b.certify(authority, authority)
	}
	if err != nil {
		return nil, err
	}
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

// Certify gives the broker, from its next start on, a certificate of an authority, and lets it accept clients with certificates of others.
func (b *SecureBroker) Certify(t testing.TB, by *Authority, accepted ...*Authority) {
	t.Helper()
	if err := b.certify(by, accepted...); err != nil {
		t.Fatal(err)
	}
}

func (b *SecureBroker) certify(by *Authority, accepted ...*Authority) error {
	host, _, err := net.SplitHostPort(b.MTLS)
	if err != nil {
		return err
	}
	template := x509.Certificate{Subject: pkix.Name{CommonName: host}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	cert, key, err := by.sign(template, 24*time.Hour)
	b.Authority = by
	b.env = fmt.Sprintf(secureEnv, b.Addr, b.MTLS, b.SASL, b.User, b.Password, bundle(accepted), key, cert, oauthAudience, b.issuer.keys())
	return err
}

// An Authority signs certificates of brokers and clients.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes an authority. Brokers and clients do not trust it yet.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "footfall test authority " + rand.Text()},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &Authority{cert, key}, err
}

// Issue replaces a client's certificate and key, with new ones under a name, for a time from now on. Each file is replaced at once, by
// renaming another.
func (a *Authority) Issue(t testing.TB, files ClientFiles, name string, lifetime time.Duration) {
	t.Helper()
	cert, key, err := a.sign(x509.Certificate{Subject: pkix.Name{CommonName: name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, lifetime)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, files.Key, key)
	replace(t, files.Cert, cert)
}

// Trust replaces the file of the authorities that a client trusts.
func (f ClientFiles) Trust(t testing.TB, authorities ...*Authority) {
	t.Helper()
	replace(t, f.CA, bundle(authorities))
}

func replace(t testing.TB, file string, text []byte) {
	t.Helper()
	err := os.WriteFile(file+".new", text, 0o600)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sign makes a key and a certificate for it, as PEM.
func (a *Authority) sign(template x509.Certificate, lifetime time.Duration) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template.NotBefore, template.NotAfter = a.cert.NotBefore, now.Add(lifetime)
	template.SerialNumber, template.KeyUsage = big.NewInt(now.UnixNano()), x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", keyDER), err
}

// bundle are the authorities' own certificates.
func bundle(authorities []*Authority) (all []byte) {
	for _, a := range authorities {
		all = append(all, encode("CERTIFICATE", a.cert.Raw)...)
	}
	return all
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
