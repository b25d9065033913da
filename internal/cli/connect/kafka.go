package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/login"
)

// kafkaOptions are what any client needs to reach the brokers: seeds, TLS and SASL. Files are read again for each connection.
func kafkaOptions(k config.Kafka) ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(k.Brokers...), kgo.ClientID(k.ClientID)}
	if k.TLS.Enabled {
		files := &tlsFiles{settings: k.TLS}
		if _, err := files.read(); err != nil {
			return nil, err
		}
		opts = append(opts, kgo.Dialer(files.dial))
	}
	m, err := login.Mechanism(k.SASL)
	if err != nil {
		return nil, err
	}
	if m != nil {
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}

// tlsFiles are the certificates of connections to the brokers, which others replace.
type tlsFiles struct {
	settings config.TLS

	mu   sync.Mutex // covers last
	last *tls.Config
}

// dialPatience is how long a connection and its handshake may take.
const dialPatience = 10 * time.Second

func (f *tlsFiles) dial(ctx context.Context, network, host string) (net.Conn, error) {
	c, err := f.read()
	if err != nil {
		return nil, err
	}
	return (&tls.Dialer{NetDialer: &net.Dialer{Timeout: dialPatience}, Config: c}).DialContext(ctx, network, host)
}

// read reads the files. While they cannot be used, as between the writes of a certificate and of its key, it returns what they had last.
func (f *tlsFiles) read() (*tls.Config, error) {
	c, err := tlsConfig(f.settings)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.last = c
	} else if f.last == nil {
		return nil, err
	}
	return f.last, nil
}

func tlsConfig(t config.TLS) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("kafka.tls.ca: %s has no certificate in PEM form: name a file that begins with -----BEGIN CERTIFICATE-----", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.cert and kafka.tls.key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// OtherBrokers says how to reach another cluster than the configured one: by its brokers with the configured settings, or by the settings
// of kafka in a configuration file, to which neither the environment nor flags add anything.
func OtherBrokers(k config.Kafka, brokers []string, file string) ([]kgo.Opt, error) {
	if file != "" {
		c, err := config.Load(config.Sources{File: file})
		if err != nil {
			return nil, err
		}
		return kafkaOptions(c.Kafka)
	}
	k.Brokers = brokers
	return kafkaOptions(k)
}
