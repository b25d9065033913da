package connect

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/footfall/footfall/config"
)

// kafkaOptions are the options by which any client reaches the brokers: seeds, TLS and SASL.
func kafkaOptions(k config.Kafka) ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(k.Brokers...), kgo.ClientID(k.ClientID)}
	if k.TLS.Enabled {
		c, err := tlsConfig(k.TLS)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	password := k.SASL.Password
	if k.SASL.PasswordFile != "" {
		text, err := os.ReadFile(k.SASL.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("kafka.sasl.passwordFile: %w", err)
		}
		password = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	}
	switch strings.ToUpper(k.SASL.Mechanism) {
	case "PLAIN":
		opts = append(opts, kgo.SASL(plain.Auth{User: k.SASL.Username, Pass: password}.AsMechanism()))
	case "SCRAM-SHA-256":
		opts = append(opts, kgo.SASL(scram.Auth{User: k.SASL.Username, Pass: password}.AsSha256Mechanism()))
	case "SCRAM-SHA-512":
		opts = append(opts, kgo.SASL(scram.Auth{User: k.SASL.Username, Pass: password}.AsSha512Mechanism()))
	}
	return opts, nil
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
